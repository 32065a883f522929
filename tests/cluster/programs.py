"""The programs of a current cluster, built once from the Go module beside this file and kept in the
cache of tests/clients, whose Go they are built with.

usage: programs.py CACHE     Builds them. Exit code 77: SKIPPED, they cannot be had on this machine."""

import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "clients"))

import tools

GO_MODULE = os.path.join(HERE, "go")
PACKAGES = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
}


def version():
    return tools.module_version("k8s.io/kubernetes", GO_MODULE)


def build(cache):
    """Name -> path of each program, kubectl too. tools.Unavailable says why one cannot be had. Those
    that lie in the folder KUBERNETES_BIN of the environment, of another release, are taken from there."""
    flags, folder, found = tools.says_version(version()), os.environ.get("KUBERNETES_BIN", ""), {}
    for name, package in PACKAGES.items():
        given = os.path.join(folder, name)
        found[name] = given if folder and os.path.exists(given) else tools.go_build(
            cache, package, name, flags, GO_MODULE)
    return {**found, "kubectl": tools.kubectl(cache)}


def main():
    cache = os.path.abspath(sys.argv[1])
    tools.forget_skip(cache, "the cluster")
    begin = time.monotonic()
    try:
        build(cache)
    except tools.Unavailable as problem:
        tools.skip(cache, "the cluster", problem)
    print(f"Kubernetes {version()}: there, {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
