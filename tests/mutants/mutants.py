#!/usr/bin/env python3
"""Breaks the engine on purpose, one bug at a time, and shows which test notices.

usage: mutants.py check SOURCE              each bug still finds its place
       mutants.py run SOURCE BUILD [WORD]   SOURCE is patched (and put right again): a copy

`run` builds the targets below in BUILD, which is configured, and exits with 1 if a bug survives.
With a WORD only bugs with it in their names."""

import os
import re
import signal
import subprocess
import sys

from bugs import BUGS

TARGETS = ["unit_reconciler_engine", "unit_reconciler_protocol", "contract_storage", "sim_engine"]
CHECKS = [
    (["unit_reconciler_engine", "--gtest_brief=1", "--gtest_fail_fast"], re.compile(r"^\[  FAILED  \] ([\w/.]+)", re.M)),
    (["unit_reconciler_protocol", "--gtest_brief=1", "--gtest_fail_fast"], re.compile(r"^\[  FAILED  \] ([\w/.]+)", re.M)),
    (["contract_storage", "--gtest_brief=1", "--gtest_fail_fast"], re.compile(r"^\[  FAILED  \] ([\w/.]+)", re.M)),
    (["sim_engine", "--first", "--seeds", "1..300"], re.compile(r"^seed \d+ PROBLEM: .*", re.M)),
]
TIMEOUT_S = 900


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def check(source):
    """The bugs whose text does not stand in its file exactly once."""
    lost = [bug for bug in BUGS if read(os.path.join(source, bug.file)).count(bug.old) != 1]
    for bug in lost:
        print(f"{bug.file}: no place, or several, for: {bug.name}")
    names = [bug.name for bug in BUGS]
    assert len(names) == len(set(names)), "two bugs of one name"
    return lost


def build(directory):
    made = subprocess.run(["ninja", "-C", directory, *TARGETS], capture_output=True, text=True,
                          check=False)
    return made.returncode == 0, made.stdout[-3000:]


def catcher(directory):
    """What noticed: a test's name, or what the simulation saw; None where nothing did."""
    for command, pattern in CHECKS:
        binary = os.path.join(directory, "bin", command[0])
        try:
            ran = subprocess.run([binary, *command[1:]], capture_output=True, text=True,
                                 errors="replace", timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            return f"{command[0]}: it never ended"
        if ran.returncode == 0:
            continue
        found = pattern.search(ran.stdout)
        return f"{command[0]}: {found.group(found.lastindex or 0) if found else 'it crashed'}"
    return None


def run(source, directory, word):
    survivors = []
    for bug in BUGS:
        if word not in bug.name:
            continue
        path = os.path.join(source, bug.file)
        text = read(path)
        try:
            write(path, text.replace(bug.old, bug.new))
            built, output = build(directory)
            caught = catcher(directory) if built else None
        finally:
            write(path, text)
        if not built:
            print(output)
        if caught is None:
            survivors.append(bug)
        print(f"{'caught  ' if caught else 'SURVIVES' if built else 'NO BUILD'}  {bug.name}  "
              f"({caught or bug.file})", flush=True)
    print(f"{len(survivors)} survive")
    return survivors


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    # What is patched must be put right, too, where somebody ends it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    verb, source = sys.argv[1:3]
    if check(source):
        sys.exit(1)
    if verb == "run":
        word = sys.argv[4] if len(sys.argv) > 4 else ""
        sys.exit(1 if run(source, sys.argv[3], word) else 0)


main()
