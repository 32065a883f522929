"""Every kubectl of this machine: the one on PATH, its siblings of other versions, Debian's, and the
newest, built from its published library. One that cannot be had is said to be SKIPPED, with why."""

import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "clients"))

import tools

DEBIAN_PACKAGE = "kubernetes-client"
DEBIAN_MINOR = (1, 20)
# Where the tools of tests/clients are kept already.
CLIENTS_CACHE = os.environ.get("CLIENTS_CACHE")


class Kubectl:
    """One binary and what it says of itself."""

    def __init__(self, path, label=None):
        self.path = path
        done = subprocess.run([path, "version", "--client", "-o", "json"], capture_output=True,
                              check=True, env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"})
        version = json.loads(done.stdout)["clientVersion"]["gitVersion"]
        major, minor = re.match(r"v(\d+)\.(\d+)", version).groups()
        self.minor = (int(major), int(minor))
        self.name = f"{label or os.path.basename(path)} ({version})"


def beside_the_one_on_path():
    """kubectl, and kubectl.1.27 and the like where the file that it links to lies."""
    found = shutil.which("kubectl")
    if found is None:
        return []
    folder = os.path.dirname(os.path.realpath(found))
    names = sorted(name for name in os.listdir(folder) if re.fullmatch(r"kubectl[.-]?v?1\.\d+", name))
    siblings = [Kubectl(os.path.join(folder, name)) for name in names]
    return [Kubectl(found), *siblings]


def debian(cache):
    """Debian's kubectl out of its package, kept in the cache folder; None where it cannot be had."""
    root = os.path.join(cache, "root")
    binary = os.path.join(root, "usr", "bin", "kubectl")
    tools.forget_skip(CLIENTS_CACHE or cache, "Debian's kubectl")
    if not os.path.exists(binary):
        os.makedirs(cache, exist_ok=True)
        try:
            subprocess.run(["apt-get", "-q", "download", DEBIAN_PACKAGE], cwd=cache, check=True,
                           capture_output=True, timeout=60)
            package = next(name for name in os.listdir(cache) if name.endswith(".deb"))
            subprocess.run(["dpkg-deb", "-x", os.path.join(cache, package), root], check=True,
                           capture_output=True)
        except (OSError, subprocess.SubprocessError, StopIteration) as problem:
            tools.note_skip(CLIENTS_CACHE or cache, "Debian's kubectl", problem)
            return None
    return Kubectl(binary, label="Debian's kubectl")


def newest(cache):
    """The kubectl that the Go module of tests/clients builds; None where it cannot be had."""
    tools.forget_skip(cache, "the newest kubectl")
    try:
        return Kubectl(tools.kubectl(cache), label="the newest kubectl")
    except tools.Unavailable as problem:
        tools.note_skip(cache, "the newest kubectl", problem)
        return None


def every(cache):
    found = beside_the_one_on_path()
    if all(each.minor != DEBIAN_MINOR for each in found):
        found.append(debian(cache))
    found.append(newest(CLIENTS_CACHE or cache))
    return [each for each in found if each is not None]
