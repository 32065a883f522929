"""Brings the tools of clients into the cache, so that no test waits for a download.

usage: prepare.py TOOL CACHE     Exit code 77: SKIPPED, the tool cannot be had on this machine."""

import os
import sys
import time

import tools


def go(cache):
    for name in ("watchcheck", "story"):
        tools.go_program(cache, name)
    tools.kubectl(cache)


def python(cache):
    tools.python_clients(cache)


def schemathesis(cache):
    tools.schemathesis(cache)


def node(cache):
    tools.node(cache)


TOOLS = [go, python, schemathesis, node]


def main():
    name, cache = sys.argv[1], os.path.abspath(sys.argv[2])
    tools.forget_skip(cache, "tools of " + name)
    begin = time.monotonic()
    try:
        next(each for each in TOOLS if each.__name__ == name)(cache)
    except tools.Unavailable as problem:
        tools.skip(cache, "tools of " + name, problem)
    print(f"{name}: there, {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
