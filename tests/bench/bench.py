"""Measures the built server and prints the table of docs/benchmarks.md. Started by run.sh."""

import os
import resource
import secrets
import shutil
import subprocess
import sys
import tempfile
import time

import beside
import calling_back
import dataset
import engine
import fanning
import filled
import growing
import reading
import reviewing
import starting
import table
import writing
from pairs import QUIET_PRESSURE, WrongAnswer, await_quiet
from processes import Asyncops, Nginx

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
QUIET_WAIT_SECONDS = 30


class Run:
    """What all rows share: a directory on the disk of the build, a certificate, a token."""

    def __init__(self, directory):
        self.binaries = os.path.abspath(
            os.environ.get("ASYNCOPS_BIN", os.path.join(ROOT, "build/release/bin")))
        self.directory = directory
        self.certificate = os.path.join(directory, "server.crt")
        self.key = os.path.join(directory, "server.key")
        self.token = secrets.token_hex(16)
        self.token_file = os.path.join(directory, "tokens.csv")
        self.first_bytes = {}  # of the lists of the last slice, by server
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
             "-days", "2", "-keyout", self.key, "-out", self.certificate],
            check=True, capture_output=True)
        descriptor = os.open(self.token_file, os.O_WRONLY | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f'{self.token},bench,bench,"system:masters"\n')


def read_rows(run, wanted):
    """B1 and B6 share one server."""
    rows = []
    with Asyncops(run, "reading") as server:
        server.await_port(server.port)
        if "B1" in wanted:
            stored = dataset.load(run, server)
            with Nginx(run) as nginx:
                rows += guarded("B1", reading.get_one, run, server, nginx, stored)
        if "B6" in wanted:
            rows += guarded("B6", reviewing.review, run, server)
    return rows


def list_rows(run):
    with filled.serve(run, "listing", reading.LISTED[-1][0]) as server, Nginx(run) as nginx:
        return guarded("B2", reading.list_all, run, server, nginx)


def write_rows(run, wanted):
    rows = []
    with Asyncops(run, "writing") as server:
        server.await_port(server.port)
        if "B4" in wanted:
            rows += guarded("B4", writing.patch_status, run, server)
        if "B3" in wanted:
            rows = guarded("B3", writing.create, run, server) + rows
    return rows


def fan_rows(run):
    with Asyncops(run, "fanning") as server:
        server.await_port(server.port)
        return guarded("B5", fanning.fan_out, run, server)


def guarded(name, measure, *arguments):
    say(name)
    try:
        return measure(*arguments)
    except WrongAnswer as error:
        return [table.failed_row(name, error)]


def say(text):
    print(f"bench: {text} ...", file=sys.stderr, flush=True)


def measure_all(run, wanted):
    rows = []
    if "start" in wanted:
        rows += guarded("start", starting.start, run)
    if wanted & {"B1", "B6"}:
        rows += read_rows(run, wanted)
    if "B2" in wanted:
        rows += list_rows(run)
    if wanted & {"B3", "B4"}:
        rows += write_rows(run, wanted)
    if "B5" in wanted:
        rows += fan_rows(run)
    if "B11" in wanted:
        rows += guarded("B11", growing.growth, run)
    for name, measure in (("B7", engine.full_lifecycle), ("B7a", engine.steady_polling),
                          ("B8", calling_back.callbacks), ("B9", engine.restart)):
        if name in wanted:
            rows += guarded(name, measure, run)
    rows += beside.rows(run, wanted, guarded)
    order = ["B1", "B1a", "B1b", "B2", "B2a", "B3", "B4", "B5", "B6", "B6a", "B7", "B7a", "B8", "B9",
             "B10", "B10a", "B11", "B12", "B13", "start", "RSS", "size"]
    return sorted(rows, key=lambda row: order.index(row.name))


def machine(pressure):
    text = f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}"
    if pressure is None:
        return text + "; the kernel tells no pressure, so nobody knows whether it was quiet"
    text += f", CPU pressure before the start {pressure:.0f} %"
    if pressure > QUIET_PRESSURE:
        text += "; NOT QUIET: believe no figure here, and ratios with care"
    return text


def main(arguments):
    known = {"B1", "B2", "B3", "B4", "B5", "B6", "B7", "B7a", "B8", "B9", "B11", "start"}
    known |= beside.ROWS
    wanted = set(arguments) or known
    if not wanted <= known:
        print(f"bench: the rows are {' '.join(sorted(known))}", file=sys.stderr)
        return 2
    # B5 has ten thousand connections on either side.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    parent = os.environ.get("ASYNCOPS_BENCH_DIR", os.path.join(ROOT, "build"))
    os.makedirs(parent, exist_ok=True)
    directory = tempfile.mkdtemp(prefix="bench-", dir=parent)
    began = time.monotonic()
    try:
        say("waiting for a quiet machine")
        pressure = await_quiet(QUIET_WAIT_SECONDS)
        rows = measure_all(Run(directory), wanted)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    print(f"asyncops bench: {machine(pressure)}; took {time.monotonic() - began:.0f} s\n")
    print(table.render(rows))
    return 1 if any(row.met == "FAILED" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
