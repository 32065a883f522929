"""Many users at once through proxies that keep their connections: whatever is aborted, too large or
pipelined, no answer, event or identity is of another request. The requests are of a Go program,
tests/clients/go/cmd/frontproxy, which says what it does."""

import collections
import json
import os
import re
import subprocess

from declared import idle_operation, namespace, operations
from stack import await_true
import world
from world import tools

LANES = 8
OPERATIONS = 8
PADDING = "x" * 4000  # lists that fill the buffers of sockets
MIXED_IN = 100
MARK = re.compile(r"by-(lane-\d+)-\d+-\d+$")


def _lane(number):
    return f"lane-{number}"


def _declare(here, number):
    """A user, a namespace where it may do all, and operations of its own there."""
    name = _lane(number)
    here.cluster.api().create("/api/v1/namespaces", namespace(name))
    here.cluster.run("-n", name, "create", "rolebinding", name, "--clusterrole=edit",
                     "--user=" + name)
    # Its certificate is made here, and read by the program too.
    api = here.cluster.api(name)
    await_true(f"{name} may list", lambda: api.send("GET", operations(name))[0] == 200, 30)
    for each in range(OPERATIONS):
        await_true(f"{name} may create", lambda: api.send(
            "POST", operations(name), idle_operation(
                f"{name}-op-{each}", annotations={"padding": PADDING}))[0] in (201, 409), 30)


def _run(here, *flags):
    return subprocess.run(
        [tools.go_program(here.cache, "frontproxy"), "-server", here.asyncops.url,
         "-server-ca", here.asyncops.ca_file, "-cluster", here.cluster.url,
         "-cluster-ca", here.cluster.server_ca_file, "-certificates", here.cluster.pki,
         "-lanes", str(LANES), "-operations", str(OPERATIONS), *flags],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=150)


def crosses_nothing(here):
    for number in range(LANES):
        _declare(here, number)
    done = _run(here, "-for", "15s")
    print(done.stdout, flush=True)
    assert done.returncode == 0, "answers are not of their questions"
    assert here.asyncops.running(), "asyncops ended"


def wrote_down_each_request_with_its_user(here):
    """Of those too whose answer nobody waited for. No byte of a body was taken for a request."""
    seen = collections.Counter()
    with open(os.path.join(here.directory, "audit.log"), encoding="utf-8") as file:
        for text in file:
            line = json.loads(text)
            assert "smuggled" not in line["auditID"], text
            mark = MARK.match(line["auditID"])
            if mark is None:
                continue
            user = line.get("user", "")
            # A stranger says that it is somebody, and is nobody.
            assert user in (mark.group(1), "system:anonymous", ""), text
            seen[user] += 1
    print(f"  audited: {dict(seen)}", flush=True)
    assert all(seen[_lane(number)] > 100 for number in range(LANES)), seen


def finds_out_a_proxy_that_mixes_users_up(here):
    """What the cases above would say if it were so."""
    done = _run(here, "-for", "8s", "-mix", str(MIXED_IN))
    assert done.returncode == 1, f"nothing was found:\n{done.stdout}"
    assert "said of another" in done.stdout or "asked for by" in done.stdout \
        or "403, not 200" in done.stdout, done.stdout


def prepared(here):
    here.asyncops.more = ["--audit-log-path", os.path.join(here.directory, "audit.log")]


world.run([crosses_nothing, wrote_down_each_request_with_its_user,
           finds_out_a_proxy_that_mixes_users_up], prepare=prepared)
