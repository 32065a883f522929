"""B12 and B13: start to ready, and what an idle server holds, against Go servers beside the same
cluster."""

import os
import time
import urllib.error
import urllib.request

import filled
import starting
from asyncops_server import AsyncopsServer
from pairs import Sample, alternate, middle
from peers import MetricsServer, SampleApiserver
from processes import status_kib
from table import Row, pair_row, spread_text

STARTS = 5
FILLED = 100000
IDLE_SECONDS = 10
IDLE_RUNS = 3
RESIDENT_PART = 1 / 5
# Tries of the Go server's readiness, which takes seconds: not so many that they slow it.
PATIENCE = 0.01


def ready_text(samples):
    return f"{middle([each.value for each in samples]) * 1e3:.0f} ms"


def await_ready(server, context):
    while True:
        if server.child.poll() is not None:
            raise RuntimeError(f"the server ended at its start:\n{server.log_text()}")
        try:
            with urllib.request.urlopen(server.url + "/readyz", timeout=5, context=context):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(PATIENCE)


def start_rows(run, peers, cluster, etcd):
    """B12."""
    context = starting.unverified()

    def of_directory(name):
        return lambda: Sample(starting.start_once(run, name) / 1e3)

    def peer():
        start = time.monotonic()
        with SampleApiserver(run, peers, cluster, etcd, "starting") as server:
            await_ready(server, context)
            return Sample(time.monotonic() - start)

    starting.start_once(run, "start-empty")
    filled.serve(run, "start-filled", FILLED).stop()
    against = alternate(of_directory("start-empty"), peer, STARTS)
    full = alternate(of_directory("start-filled"), of_directory("start-empty"), STARTS)
    return [pair_row("B12", "start to /readyz, empty database; reference: sample-apiserver",
                     against, 0.02, False, ready_text),
            pair_row("B12", f"start to /readyz, {FILLED:,} finished operations; reference: our "
                     "empty one", full, 1.2, False, ready_text)]


class Behind:
    """asyncops behind the cluster's kube-apiserver, and how long each start took."""

    def __init__(self, run, peers, cluster):
        self.server = AsyncopsServer(os.path.join(run.binaries, "asyncops"), cluster,
                                     peers.folder("behind"))
        self.server.install()
        self.context = starting.unverified()
        self.starts = []

    def __enter__(self):
        begin = time.monotonic()
        self.server.start(self.server.serve_command())
        await_ready(self.server, self.context)
        self.starts.append(time.monotonic() - begin)
        return self

    def __exit__(self, *_):
        self.server.stop()

    def resident(self):
        return status_kib(self.server.child.pid, "VmRSS") / 1024


def resident_rows(run, peers, cluster):
    """B13, and B12 of the cluster mode."""
    behind = Behind(run, peers, cluster)
    ours, theirs = [], []
    for _ in range(IDLE_RUNS):
        with behind, MetricsServer(run, peers, cluster) as peer:
            time.sleep(IDLE_SECONDS)
            ours.append(behind.resident())
            theirs.append(status_kib(peer.pid, "VmRSS") / 1024)
    ratios = [a / b for a, b in zip(ours, theirs)]
    row = Row("B13", f"resident after {IDLE_SECONDS} s idle behind kube-apiserver; reference: "
              "metrics-server", spread_text(ours, "{:.1f}") + " MiB",
              spread_text(theirs, "{:.1f}") + " MiB", spread_text(ratios, "{:.2f}"),
              f"<= {RESIDENT_PART:.2f}", "met" if middle(ratios) <= RESIDENT_PART else "SHORT")
    row.notes.append("the cluster has no nodes, so metrics-server has nothing to hold")
    start = Row("B12", "start to /readyz behind a kube-apiserver",
                spread_text([each * 1e3 for each in behind.starts], "{:.0f}") + " ms")
    return [start, row]
