"""scripts/run.sh as a person uses it: it starts, kubectl works with what it prints, and Ctrl-C stops
everything with exit code 0 and leaves nothing running.

usage: run_test.py BIN-DIRECTORY"""

import os
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "stack"))

from stack import Child, await_true

RUN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "scripts", "run.sh")


def group_members(group):
    """Command lines of what still runs in the process group."""
    out = subprocess.run(["ps", "-eo", "pgid=,stat=,args="], capture_output=True, text=True,
                         check=True).stdout
    rows = [line.split(None, 2) for line in out.splitlines()]
    return [row[2] for row in rows if row[0] == str(group) and not row[1].startswith("Z")]


def run_until_interrupted(binaries, directory):
    log = os.path.join(directory, "run.log")
    environment = {**os.environ, "ASYNCOPS_BIN": binaries, "ASYNCOPS_PORT": "0",
                   "SIMCLOUD_PORT": "0", "ASYNCOPS_DATA_DIR": os.path.join(directory, "stays")}
    run = Child(log)
    with open(log, "wb") as file:
        # A group of its own, as a terminal gives it to what runs in the foreground.
        run.child = subprocess.Popen([RUN], stdout=file, stderr=file, stdin=subprocess.DEVNULL,
                                     env=environment, start_new_session=True)
    group = run.child.pid
    try:
        kubeconfig = run.await_line(r"^ *export KUBECONFIG=(\S+)$", 0)
        run.await_line("(Ctrl-C stops both)", 0)
        shown = subprocess.run(["kubectl", "get", "namespaces"], capture_output=True, text=True,
                               check=True, timeout=30,
                               env={**os.environ, "KUBECONFIG": kubeconfig, "HOME": directory})
        assert re.search(r"^default +Active", shown.stdout, re.MULTILINE), shown
        os.killpg(group, signal.SIGINT)
        code = run.child.wait(timeout=15)
        assert code == 0, f"exit {code}:\n{run.log_text()}"
        await_true(lambda: f"an end of {group_members(group)}", lambda: not group_members(group), 5)
        assert os.path.exists(kubeconfig), "the data directory did not stay"
    finally:
        if group_members(group):
            os.killpg(group, signal.SIGKILL)
        run.child.wait()


def main():
    with tempfile.TemporaryDirectory() as directory:
        run_until_interrupted(sys.argv[1], directory)
        # The same directory serves again.
        run_until_interrupted(sys.argv[1], directory)


main()
