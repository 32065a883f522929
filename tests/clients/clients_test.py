"""Runs one independent client, or the watch checker, against a real standalone server.

usage: clients_test.py SUITE ASYNCOPS CACHE [ARGUMENT...]

SUITE is a function below. Exit codes: 0 all holds, 1 it does not, 77 SKIPPED: a tool cannot be had
on this machine. The reason is printed, and kept in CACHE/skipped for who sums up."""

import os
import sys
import tempfile
import time

import tools
from client_server import ClientServer, raise_file_limit

HERE = os.path.dirname(os.path.abspath(__file__))


def go_clients(server, cache, arguments):
    """client-go and controller-runtime, with WatchList (their default) and without it."""
    story = tools.go_program(cache, "story")
    print(f"client-go {tools.module_version('k8s.io/client-go')}, controller-runtime "
          f"{tools.module_version('sigs.k8s.io/controller-runtime')}")
    for gate in ("true", "false"):
        print(f"WatchListClient={gate}")
        code = server.serve([story, *arguments], {"KUBE_FEATURE_WatchListClient": gate,
                                                  "STORY": f"watchlist-{gate}"})
        if code != 0:
            return code
    return 0


def python_clients(server, cache, arguments):
    """The official Python client, and kopf."""
    python = os.path.join(tools.python_clients(cache), "python")
    return server.serve([python, "-B", os.path.join(HERE, "python", "story.py"), *arguments], {})


def node_clients(server, cache, arguments):
    """The official JavaScript client."""
    node, folder = tools.node(cache)
    # Where the packages are, so that imports find them.
    story = os.path.join(folder, "story.mjs")
    with open(os.path.join(HERE, "node", "story.mjs"), encoding="utf-8") as source, \
            open(story, "w", encoding="utf-8") as copy:
        copy.write(source.read())
    return server.serve([node, story, *arguments], {})


def schemathesis(server, cache, arguments):
    """Requests made from the OpenAPI documents."""
    python = os.path.join(tools.schemathesis(cache), "python")
    return server.serve([python, "-B", os.path.join(HERE, "schemathesis", "run.py"), *arguments], {})


def watch_checker(server, cache, arguments):
    """Watchers with selectors, none of which may miss, double or reorder an event."""
    watchcheck = tools.go_program(cache, "watchcheck")
    # First whether the checker itself would notice.
    return tools.go_test(cache, "watchcheck") or server.serve([watchcheck, *arguments], {})


SUITES = [go_clients, python_clients, node_clients, schemathesis, watch_checker]


def tail(log):
    """What is more than routine."""
    lines = [line for line in log.splitlines() if '"level":"info"' not in line]
    return "\n".join(lines[-30:])


def main():
    name, asyncops, cache = sys.argv[1:4]
    suite = next(each for each in SUITES if each.__name__ == name)
    cache = os.path.abspath(cache)
    tools.forget_skip(cache, name)
    raise_file_limit()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as directory, ClientServer(asyncops, directory) as server:
        server.start()
        try:
            code = suite(server, cache, sys.argv[4:])
        except tools.Unavailable as problem:
            tools.skip(cache, name, problem)
        if code == 0 and server.stop() != 0:
            print("the server did not end with 0")
            code = 1
        if code != 0:
            print("the server's log ends:\n" + tail(server.log_text()))
    print(f"{name}: {'holds' if code == 0 else 'FAILED'}, {time.monotonic() - begin:.0f} s")
    sys.exit(1 if code != 0 else 0)


main()
