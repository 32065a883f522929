"""Traffic of every kind at once, with the database kept busy: the APIService never stops being
available, no request fails, no event is lost, and namespaces still come and go.

usage: soak_test.py ASYNCOPS SIMCLOUD CACHE DIRECTORY; SOAK_SECONDS of the environment (15), for which
`make cluster-soak` takes 600"""

import json
import os
import time

from asyncops_server import API_SERVICE
from caller import TABLE
from declared import condition, idle_operation, is_ready, namespace, operations, resources, system
from declared import systems, volume
from load import Load
from stack import OPERATIONS, await_true
import world

SECONDS = float(os.environ.get("SOAK_SECONDS", "15"))
HERE = "team-soak"
# Lists that fill buffers, and writes that the log of changes has to keep.
KEPT = 300
PADDING = {"padding": "x" * 2000}
WRITERS, READERS, DECLARERS = 4, 2, 2
SERVICE = "/apis/apiregistration.k8s.io/v1/apiservices/" + API_SERVICE


class Times:
    """How long requests of a kind took."""

    def __init__(self):
        self.seconds = {}

    def send(self, kind, api, method, path, *sent):
        """What a source of a load yields: what, status and answer."""
        begin = time.monotonic()
        status, answer = api.send(method, path, *sent)
        self.seconds.setdefault(kind, []).append(time.monotonic() - begin)
        return f"{method} {path}", status, answer

    def tell(self):
        for kind, all_of_it in sorted(self.seconds.items()):
            ordered = sorted(all_of_it)
            shown = ", ".join(f"{name} {ordered[int((len(ordered) - 1) * part)] * 1000:.0f}"
                              for name, part in (("p50", .5), ("p99", .99), ("max", 1)))
            print(f"  {kind:22} {len(ordered):7} requests, ms: {shown}", flush=True)


def _user(here, name):
    return here.cluster.api("soak-" + name, ["system:masters"])


# --- the sources of the load


def _writer(here, times, lane):
    """Creates, patches and deletes operations, without a pause: the database's one writer is busy."""
    api = _user(here, f"writer-{lane}")

    def write(turn):
        path, name = operations(HERE), f"short-{lane}-{turn}"
        yield times.send("create", api, "POST", path, idle_operation(name, annotations=PADDING))
        yield times.send("patch", api, "PATCH", operations(HERE, name),
                         {"metadata": {"labels": {"turn": str(turn)}}},
                         "application/merge-patch+json")
        yield times.send("delete", api, "DELETE", operations(HERE, name))
    return write


def _reader(here, times, lane):
    api = _user(here, f"reader-{lane}")

    def read(turn):
        yield times.send("get", api, "GET", operations(HERE, f"kept-{turn % KEPT}"))
        yield times.send("list of 50", api, "GET", operations(HERE) + "?limit=50")
        if turn % 10 == 0:
            yield times.send("list of all", api, "GET", operations(HERE))
        yield times.send("discovery", api, "GET", OPERATIONS)
        yield times.send("history", api, "GET", operations(HERE, f"kept-{turn % KEPT}", "history"))
    return read


def _table_reader(here, times):
    """As `kubectl get`."""
    api = _user(here, "tables")

    def read(_):
        begin = time.monotonic()
        api.connection.request("GET", operations(HERE), None, {"Accept": TABLE})
        response = api.connection.getresponse()
        table = json.loads(response.read())
        times.seconds.setdefault("table", []).append(time.monotonic() - begin)
        yield "table", response.status, table.get("message")
    return read


def _declarer(here, times, lane):
    """What becomes of declarations: made outside, seen Ready, deleted outside."""
    api = _user(here, f"declarer-{lane}")

    def declare(turn):
        name = f"volume-{lane}-{turn}"
        path = resources(HERE, name)
        yield times.send("declare", api, "POST", resources(HERE), volume(name))
        await_true(f"{name} Ready", lambda: is_ready(api.get(path)), 60)
        yield times.send("delete a declaration", api, "DELETE", path)
        await_true(f"{name} gone", lambda: api.send("GET", path)[0] == 404, 60)
    return declare


def _namespace_maker(here, times):
    """A namespace with an operation in it, made and deleted: discovery has to hold."""
    api = _user(here, "namespaces")

    def make(turn):
        name = f"soak-{turn}"
        path = "/api/v1/namespaces/" + name
        yield times.send("namespace", api, "POST", "/api/v1/namespaces", namespace(name))
        yield times.send("create", api, "POST", operations(name), idle_operation("only"))
        yield times.send("delete a namespace", api, "DELETE", path)
        await_true(f"namespace {name} gone", lambda: api.send("GET", path)[0] == 404, 90)
    return make


def _watcher(here, seen):
    """Of one writer's operations, through kube-apiserver: each is seen to come, change and go."""
    api = _user(here, "watcher")
    state = {"version": api.get(operations(HERE) + "?limit=1")["metadata"]["resourceVersion"]}

    def watch(_):
        api.connection.request("GET", f"{operations(HERE)}?watch=true&timeoutSeconds=5"
                               f"&resourceVersion={state['version']}")
        response = api.connection.getresponse()
        for line in iter(response.readline, b""):
            event = json.loads(line)
            assert event["type"] in ("ADDED", "MODIFIED", "DELETED"), event
            metadata = event["object"]["metadata"]
            state["version"] = metadata["resourceVersion"]
            if metadata["name"].startswith("short-0-"):
                seen.append((metadata["name"], event["type"]))
        yield "watch", response.status, None
    return watch


# --- the cases


def prepares(here):
    api = here.cluster.api()
    api.create("/api/v1/namespaces", namespace(HERE))
    api.create(systems(HERE), system(here.cloud.url))
    for index in range(KEPT):
        api.create(operations(HERE), idle_operation(f"kept-{index}", annotations=PADDING))


def _in_order(seen):
    """Of each name that the watch saw come: its events, but for the last that may be still to come."""
    events = {}
    for name, kind in seen:
        events.setdefault(name, []).append(kind)
    wrong = {name: kinds for name, kinds in list(events.items())[:-2]
             if kinds[0] != "ADDED" or kinds[-1] != "DELETED" or set(kinds[1:-1]) - {"MODIFIED"}}
    assert not wrong and len(events) > 2, (len(events), list(wrong.items())[:3])
    turns = sorted(int(name.rsplit("-", 1)[1]) for name in events)
    assert turns == list(range(turns[0], turns[-1] + 1)), "operations that no event told of"
    return len(seen)


def stays_available_whatever_is_asked(here):
    times, seen, states = Times(), [], set()
    sources = [_writer(here, times, lane) for lane in range(WRITERS)]
    sources += [_reader(here, times, lane) for lane in range(READERS)]
    sources += [_declarer(here, times, lane) for lane in range(DECLARERS)]
    sources += [_table_reader(here, times), _namespace_maker(here, times), _watcher(here, seen)]
    end = time.monotonic() + SECONDS
    with Load(sources) as load:
        api = here.cluster.api()
        while time.monotonic() < end:
            available = condition(api.get(SERVICE), "Available")
            states.add((available["status"], available["lastTransitionTime"]))
            load.wait(0.5)
    times.tell()
    load.assert_nothing_failed()
    assert {status for status, _ in states} == {"True"} and len(states) == 1, states
    print(f"  {_in_order(seen)} events of one writer seen, none lost", flush=True)
    stats = here.cloud.stats()
    assert stats["duplicatesByCorrelation"] == 0 and stats["existing"] == 0, stats
    print(f"  {stats['created']} volumes made and deleted outside, each once", flush=True)


world.run([prepares, stays_available_whatever_is_asked])
