"""Start and size: from exec to the first 200 of /readyz, and what an idle server holds."""

import os
import shutil
import ssl
import subprocess
import time
import urllib.error
import urllib.request

from clients import Client
from pairs import PAIRS, middle
from processes import Asyncops, free_port, status_kib
from table import Row, limit_row, spread_text

START_MS = 50
RSS_MIB = 20


def await_ready(server, context):
    """Seconds from now until /readyz says 200. Nothing is waited for between two tries but half a
    millisecond."""
    start = time.monotonic()
    while True:
        if server.child.poll() is not None:
            raise RuntimeError(f"the server ended at its start:\n{server.log_text()}")
        try:
            url = server.url + "/readyz"
            with urllib.request.urlopen(url, timeout=5, context=context) as answer:
                if answer.status == 200:
                    return time.monotonic() - start
        except (urllib.error.URLError, OSError):
            time.sleep(0.0005)


def unverified():
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def start_once(run, name, resident=None):
    """Milliseconds of one start on the directory; appends the MiB resident after one GET."""
    context = unverified()
    port = free_port()
    start = time.monotonic()
    with Asyncops(run, name, port=port, own_identity=True) as server:
        await_ready(server, context)
        taken = (time.monotonic() - start) * 1e3
        if resident is not None:
            client = Client(server.url, run, context)
            client.get("/api/v1/namespaces/default")
            resident.append(status_kib(server.pid, "VmRSS") / 1024)
            client.close()
    return taken


def start(run):
    whole, keyed, again, resident = [], [], [], []
    for _ in range(PAIRS):
        directory = os.path.join(run.directory, "start")
        whole.append(start_once(run, "start", resident))
        for name in os.listdir(directory):
            if name.startswith("asyncops.db"):
                os.remove(os.path.join(directory, name))
        keyed.append(start_once(run, "start"))
        again.append(start_once(run, "start"))
        shutil.rmtree(directory)
    row = limit_row("start", "exec to /readyz on a directory with keys and no database", keyed,
                    "{:.0f}", START_MS, " ms")
    row.notes.append(
        f"on an empty directory: {spread_text(whole, '{:.0f}')} ms, so making the keys takes "
        f"{middle(whole) - middle(keyed):.0f} ms; on one that was used: "
        f"{spread_text(again, '{:.0f}')} ms. All with the client's first TLS handshake")
    return [row, limit_row("RSS", "resident after the start and one GET", resident, "{:.1f}",
                           RSS_MIB, " MiB"), binary_size(run)]


def binary_size(run):
    stripped = os.path.join(run.directory, "stripped")
    subprocess.run(["strip", "-o", stripped, os.path.join(run.binaries, "asyncops")], check=True)
    return Row("size", "the binary, stripped", f"{os.path.getsize(stripped) / 2**20:.1f} MiB")
