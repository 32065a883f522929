"""B3 and B4: durable creates and status patches, against raw SQLite in transactions of 100 rows on
the same disk."""

import json
import os
import subprocess

import clients
import dataset
import objects
from clients import Client, WrongAnswer
from pairs import Sample, alternate
from table import pair_row, rate_text

NAME = "BENCH-NAME"
NAME_LENGTH = 13
PATCHED = 1000


class Creates:
    """Slices of creates of one kind in a namespace of its own. Where what is made settles slowly,
    as systems do, which get their status 50 a second, nobody waits for that."""

    def __init__(self, run, server, namespace, path, make, settles=True):
        self.settles = settles
        # As many as may be under way at the end of a slice; those of the slice before come in, too.
        self.slack = clients.CONNECTIONS * (1 if settles else 2)
        self.run, self.server = run, server
        self.client = Client(server.url, run)
        self.path = path.format(namespace)
        dataset.make_namespace(self.client, namespace)
        fill = dataset.fitted(self.client, self.path,
                              lambda name, size: make(namespace, name, size), NAME_LENGTH)
        self.template = json.dumps(make(namespace, NAME, fill), separators=(",", ":"))
        self.file = os.path.join(run.directory, namespace + ".json")
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(self.template)
        self.slices = 0
        self.known = len(self.names())

    def slice(self):
        self.slices += 1
        suffix = f"-s{self.slices:03}"
        sample = clients.wrk(self.server, "create.lua",
                             [self.run.token, self.path, self.file, suffix])
        if self.settles:
            dataset.await_still(self.client)
        self.check(suffix, sample)
        return sample

    def check(self, suffix, sample):
        """All that was acknowledged is there, and no more than that and what was under way."""
        names = self.names()
        new = len(names) - self.known
        self.known = len(names)
        if not sample.answers <= new <= sample.answers + self.slack:
            raise WrongAnswer(f"{sample.answers} creates were acknowledged, {new} are stored")
        mine = [name for name in names if name.endswith(suffix)]
        for name in mine[::max(1, len(mine) // 20)]:
            stored = json.loads(self.client.get(f"{self.path}/{name}"))
            sent = json.loads(self.template.replace(NAME, name))
            if not holds(stored, sent):
                raise WrongAnswer(f"{name} is stored otherwise than it was sent")

    def names(self):
        names, token = [], ""
        accept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
        while True:
            query = f"?limit=5000&continue={token}"
            page = json.loads(self.client.get(self.path + query, accept))
            names += [item["metadata"]["name"] for item in page["items"]]
            token = page["metadata"].get("continue", "")
            if not token:
                return names


def holds(stored, sent):
    """Whether all that was sent is in what is stored, which has more: defaults and status."""
    if isinstance(sent, dict):
        return isinstance(stored, dict) and all(
            name in stored and holds(stored[name], value) for name, value in sent.items())
    return stored == sent


def raw_slice(run, mode="insert"):
    def run_slice():
        program = os.path.join(run.binaries, "raw_sqlite")
        done = subprocess.run([program, os.path.join(run.directory, "raw.db"),
                               str(clients.SLICE_SECONDS), str(dataset.OBJECT_BYTES), mode],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        rows, microseconds = map(int, done.stdout.split())
        return Sample(rows * 1e6 / microseconds)
    return run_slice


def create(run, server):
    """B3. The systems come last: the server goes on with them for minutes."""
    raw = raw_slice(run)
    operations = Creates(run, server, "operations", objects.OPERATIONS, objects.operation)
    systems = Creates(run, server, "systems", objects.SYSTEMS, objects.external_system, False)
    full = pair_row("B3", "the same of an operation, while the controller takes it up",
                    alternate(operations.slice, raw, pairs=3), None, True, rate_text)
    row = pair_row("B3", f"durable CREATE of a 2 KB object, {clients.CONNECTIONS} connections; "
                   "raw SQLite, 100 rows a transaction",
                   alternate(systems.slice, raw), 0.50, True, rate_text)
    return [row, full]


def patch_status(run, server):
    """B4: status patches of objects that nobody else writes; one in twenty comes too late."""
    client = Client(server.url, run)
    namespace = "patched"
    dataset.make_namespace(client, namespace)
    path = objects.SYSTEMS.format(namespace)
    fill = dataset.fitted(client, path,
                          lambda name, size: objects.external_system(namespace, name, size), 12)
    for number in range(PATCHED):
        client.create(path, objects.external_system(namespace, f"system-{number:05}", fill))
    raw_slice(run)()

    def run_slice():
        sample = clients.wrk(server, "patch.lua",
                             [run.token, f"{path}/system-", "0", str(PATCHED - 1)], refused=0.05)
        stored = json.loads(client.get(f"{path}/system-00000"))
        if stored["status"].get("observedGeneration") != 1 or not holds(
                stored, objects.external_system(namespace, "system-00000", fill)):
            raise WrongAnswer("a status patch changed more than the status")
        return sample

    return [pair_row("B4", f"status PATCH of a 2 KB object, {clients.CONNECTIONS} connections, 5 % "
                     "refused; raw SQLite UPDATEs, 100 a transaction",
                     alternate(run_slice, raw_slice(run, "update")), 0.45, True, rate_text)]
