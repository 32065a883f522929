"""A cluster to play with, until Ctrl-C. With --install the manifests are applied, and it is said how
to start asyncops by hand; with --asyncops and --simcloud both run, too.

usage: play.py [--cache FOLDER] [--directory FOLDER] [--install] [--self-signed]
               [--asyncops FILE --simcloud FILE]"""

import argparse
import contextlib
import os
import shlex
import signal
import sys
import tempfile

from asyncops_server import ROOT, AsyncopsServer
from cluster import Cluster
import programs
from stack import Simcloud
import tools

# Where the samples expect it.
CLOUD_PORT = 18080


def _arguments():
    parser = argparse.ArgumentParser(description="A real Kubernetes on loopback, until Ctrl-C.")
    parser.add_argument("--cache", default="build/release/tests/clients/cache",
                        help="where built programs are kept (%(default)s)")
    parser.add_argument("--directory", help="for certificates, logs and data (a temporary one)")
    parser.add_argument("--install", action="store_true", help="apply the manifests")
    parser.add_argument("--self-signed", action="store_true",
                        help="apply manifests/overlays/self-signed, not manifests/base")
    parser.add_argument("--asyncops", help="this binary runs in it, and the manifests are applied")
    parser.add_argument("--simcloud", help="this binary runs beside it")
    return parser.parse_args()


def _play(arguments, cluster, stack):
    """Starts what else was asked for, and says how to use it."""
    print(f"Kubernetes {programs.version()} on {cluster.url}; logs are in {cluster.directory}.\n"
          f"kubectl of that version: {cluster.kubectl}")
    if arguments.simcloud:
        cloud = stack.enter_context(
            Simcloud(arguments.simcloud, cluster.directory, "2s", port=CLOUD_PORT))
        print(f"The simulated cloud is on {cloud.url}.")
    if arguments.asyncops or arguments.install or arguments.self_signed:
        server = stack.enter_context(
            AsyncopsServer(arguments.asyncops or "asyncops", cluster, cluster.directory))
        server.install(arguments.self_signed)
        if arguments.asyncops:
            server.serve()
            server.await_available()
            print(f"asyncops is on {server.url}.")
        else:
            print("Start asyncops so:\n  " + shlex.join(server.serve_command()))
    samples = os.path.normpath(os.path.join(ROOT, "manifests", "samples"))
    print(f"\n  export KUBECONFIG={cluster.kubeconfig()}\n  kubectl apply -f {samples}\n\n"
          "Ctrl-C ends it.", flush=True)


def main():
    arguments = _arguments()
    cache = os.path.abspath(arguments.cache)
    tools.forget_skip(cache, "the cluster")
    try:
        paths = programs.build(cache)
    except tools.Unavailable as problem:
        tools.skip(cache, "the cluster", problem)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with tempfile.TemporaryDirectory() as temporary, contextlib.ExitStack() as stack, \
            contextlib.suppress(KeyboardInterrupt):
        directory = os.path.abspath(arguments.directory or temporary)
        os.makedirs(directory, exist_ok=True)
        _play(arguments, stack.enter_context(Cluster(paths, directory)), stack)
        signal.pause()


if __name__ == "__main__":
    main()
