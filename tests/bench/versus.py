"""B1a and B1b: a Go client that shows a certificate, against us alone and against a Go peer."""

import dataclasses
import json
import os
import subprocess
import time
import zlib

import clients
import dataset
import objects
from clients import WrongAnswer
from pairs import Sample, alternate, middle
from peers import FLUNDERS, CertifiedAsyncops
from processes import cpu_seconds
from table import pair_row, rate_text

READ, LISTED, WATCHED, MADE = "bench", "listing", "watching", "making"
NAMESPACES = (READ, LISTED, WATCHED, MADE)
COUNT = {READ: 1000, LISTED: 500, WATCHED: 1, MADE: 0}
WATCHERS = 250
CREATORS = 64
SETTINGS = 12  # annotations of 64 bytes that a flunder has


@dataclasses.dataclass
class Slice(Sample):
    """value: answers per second of CPU time, the database's included. own: without it."""

    own: float = 0.0
    rate: float = 0.0
    connections: int = 0


def core_text(slices):
    return (f"{middle([each.value for each in slices]):,.0f} per CPU second, "
            f"{middle([each.rate for each in slices]):,.0f}/s")


class Loader:
    """Slices of load by the Go client on one server."""

    def __init__(self, run, peers, server):
        self.server = server
        self.program = peers.program("bench-load")
        self.common = ["-url", server.url, "-ca", run.certificate, "-cert", peers.certificate,
                       "-key", peers.key]

    def __call__(self, mode, *flags):
        own, beside = cpu_seconds(self.server.pid), self.server.beside()
        done = subprocess.run([self.program, *self.common, *map(str, flags), mode],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise WrongAnswer(f"{self.server.url}: {done.stderr.strip()[:600]}")
        said = json.loads(done.stdout)
        own = cpu_seconds(self.server.pid) - own
        beside = self.server.beside() - beside
        answers = said["answers"]
        return Slice(answers / max(own + beside, 0.01), answers=answers,
                     own=answers / max(own, 0.01), rate=answers / said["seconds"],
                     connections=said["connections"])


def write_list(run, name, client, paths, checked=True):
    """The file of what load is to be answered."""
    path = os.path.join(run.directory, name)
    with open(path, "w", encoding="ascii") as file:
        for each in paths:
            body = client.get(each)
            file.write(f"{each} {len(body)} {zlib.crc32(body) if checked else 0}\n")
    return path


# --- B1a


def aggregator(run, peers):
    """64 requests at a time by a client that keeps 25 idle connections, against wrk's 64 on the same
    server, and against the same client where it keeps all."""
    with CertifiedAsyncops(run, peers, "aggregated") as server:
        server.await_port(server.port)
        client = peers.client(server, run)
        stored = fill_ours(client, run)
        load = Loader(run, peers, server)
        listed = write_list(run, "aggregated.list", client, stored)

        def go_client(idle):
            done = load("get", "-objects", listed, "-idle", idle)
            return Sample(done.rate, 1e6 / done.own, done.answers), done.connections

        def few():
            sample, connections = go_client(25)
            fresh.append(connections / sample.answers)
            return sample

        def by_wrk():
            prefix = stored[0].rpartition("-")[0] + "-"
            return clients.wrk(server, "get.lua", [run.token, prefix, "0", str(len(stored) - 1)])

        fresh = []
        against_wrk = alternate(few, by_wrk)
        against_all = alternate(few, lambda: go_client(64)[0])
    row = pair_row("B1a", "GET by a Go client, 64 at a time, 25 idle connections, mTLS; reference: "
                   "B1's wrk with 64 connections", against_wrk, 0.50, True, rate_text)
    row.notes.append(f"{middle(fresh):.1%} of its requests made a connection of their own")
    return [row, pair_row("B1a", "the same; reference: that client with 64 idle connections",
                          against_all, None, True, rate_text)]


# --- B1b


def flunder(namespace, name, rest):
    """As much text in as many members as our object has."""
    settings = {f"setting-{number:03}": f"value {number:03} of a volume, just as long as such are"
                for number in range(SETTINGS)}
    return {"apiVersion": "wardle.example.com/v1alpha1", "kind": "Flunder",
            "metadata": {"name": name, "namespace": namespace,
                         "labels": {"app.kubernetes.io/name": "bench", "team": "a"},
                         "annotations": {**settings, "rest": "x" * rest}},
            "spec": {"reference": "acme-cloud", "referenceType": "Flunder"}}


def fill(client, path_of, make, count=COUNT):
    """Stores make(namespace, name) in each namespace; the paths of those that are read."""
    for namespace in NAMESPACES:
        for number in range(count[namespace]):
            client.create(path_of.format(namespace), make(namespace, dataset.name_of(number)))
    return [f"{path_of.format(READ)}/{dataset.name_of(number)}" for number in range(COUNT[READ])]


def seen_by_controller(client, path):
    """The object, once the controller has written its status."""
    deadline = time.monotonic() + 60
    while "conditions" not in json.loads(body := client.get(path)).get("status", {}):
        if time.monotonic() > deadline:
            raise RuntimeError(f"{path} has no status after a minute")
        time.sleep(0.05)
    return body


def fill_ours(client, run):
    for namespace in (dataset.TRIAL, *NAMESPACES):
        dataset.make_namespace(client, namespace)
    size = 0
    for number in range(3):
        path, name = objects.OPERATIONS.format(dataset.TRIAL), dataset.name_of(number)
        client.create(path, objects.operation(dataset.TRIAL, name, size))
        served = len(seen_by_controller(client, f"{path}/{name}"))
        # With what is kept of who wrote which field it may be longer than that without any filling.
        size = max(0, size + dataset.OBJECT_BYTES - served)
    paths = fill(client, objects.OPERATIONS,
                 lambda namespace, name: objects.operation(namespace, name, size))
    for namespace in NAMESPACES:
        if COUNT[namespace]:
            last = dataset.name_of(COUNT[namespace] - 1)
            seen_by_controller(client, f"{objects.OPERATIONS.format(namespace)}/{last}")
    dataset.await_still(client)
    with open(os.path.join(run.directory, "made-here.json"), "w", encoding="ascii") as file:
        json.dump(objects.external_system(MADE, "NAME", size), file)
    return paths


def fill_peer(client, run, size):
    """Objects of that many bytes, as they are served."""
    name = dataset.name_of(0)
    path = FLUNDERS.format(WATCHED)
    client.create(path, flunder(WATCHED, name, 0))
    rest = size - len(client.get(f"{path}/{name}"))
    paths = fill(client, FLUNDERS,
                 lambda namespace, name: flunder(namespace, name, rest), {**COUNT, WATCHED: 0})
    with open(os.path.join(run.directory, "made-there.json"), "w", encoding="ascii") as file:
        json.dump(flunder(MADE, "NAME", rest), file)
    return paths


class Side:
    """One of the two servers, filled, and the slices of each verb on it."""

    def __init__(self, run, peers, server, fill_it, collections, body):
        self.load = Loader(run, peers, server)
        self.client = peers.client(server, run)
        self.collection, self.made = collections
        self.body = os.path.join(run.directory, body)
        self.ours = isinstance(server, CertifiedAsyncops)
        paths = fill_it(self.client, run)
        self.objects = write_list(run, body + ".get", self.client, paths)
        # The version of the list moves with whatever is written to the database.
        self.listed = write_list(run, body + ".list", self.client,
                                 [self.collection.format(LISTED)], checked=False)
        self.size = len(self.client.get(paths[0]))

    def get(self):
        return self.load("get", "-objects", self.objects, "-idle", 64)

    def list(self):
        return self.load("get", "-objects", self.listed, "-idle", 64, "-concurrency", 4)

    def create(self):
        done = self.load("create", "-path", self.made.format(MADE), "-body", self.body, "-prefix",
                         "made", "-idle", 64, "-concurrency", CREATORS, "-length", "1s")
        if self.ours:
            self.await_controller()
        return done

    def await_controller(self):
        """What it still does for these objects is not to fall into the next slice; on a busy
        machine it does."""
        try:
            dataset.await_still(self.client)
        except RuntimeError as late:
            print(f"bench: B1b: {late}", flush=True)

    def watch(self):
        return self.load("watch", "-path", self.collection.format(WATCHED), "-prefix",
                         dataset.name_of(0), "-concurrency", WATCHERS)


def peer_row(what, measured, goal):
    row = pair_row("B1b", what, measured, goal, True, core_text)
    ours, theirs = measured.ours, measured.reference
    alone = middle([a.own / b.own for a, b in zip(ours, theirs)])
    rates = middle([a.rate / b.rate for a, b in zip(ours, theirs)])
    row.notes.append(f"{what.split(' ')[0]}: without etcd's CPU time the ratio is {alone:.1f}; that "
                     f"of the rates by the clock {rates:.1f}")
    return row


def sample_apiserver(run, peers, server, peer):
    ours = Side(run, peers, server, fill_ours, (objects.OPERATIONS, objects.SYSTEMS),
                "made-here.json")
    theirs = Side(run, peers, peer, lambda client, run: fill_peer(client, run, ours.size),
                  (FLUNDERS, FLUNDERS), "made-there.json")
    if abs(ours.size - theirs.size) > 40:
        raise WrongAnswer(f"objects of {ours.size} and {theirs.size} bytes are not alike")
    rows = []
    for what, verb, goal in (
            (f"GET of one {ours.size} B object by 64 Go connections; reference: sample-apiserver "
             "and etcd", "get", 10.0),
            (f"LIST of {COUNT[LISTED]} such, 4 at a time", "list", None),
            (f"CREATE of such, {CREATORS} at a time", "create", None),
            (f"WATCH events of {WATCHERS} watchers, 50 changes/s", "watch", None)):
        rows.append(peer_row(what, alternate(getattr(ours, verb), getattr(theirs, verb)), goal))
    return rows
