"""B7, B7a, B9, B10: the engine, against a cloud of its own process that costs next to nothing."""

import json
import os
import shutil
import subprocess
import time
import urllib.request

import filled
import objects
import starting
from clients import Client, WrongAnswer
from dataset import OBJECT_BYTES
from pairs import Sample, alternate, middle
from processes import Asyncops, Process, free_port, status_kib
from table import limit_row, pair_row, rate_text, time_text
from writing import raw_slice

NAMESPACE = "engine"
PATH = objects.OPERATIONS.format(NAMESPACE)
SYSTEM = "raw-cloud"

LIFECYCLES = 5000
POLLS = 3
# Intent, Submitted, Running, Succeeded: what each operation has on disk before it goes on.
TRANSITIONS = 4
PER_CORE = 5000

STEADY = 100_000
STEADY_INTERVAL = 30
STEADY_CORE_PERCENT = 30
IN_FLIGHT_MIB = 40

BACKLOG = 10_000
LITTLE_HISTORY, MUCH_HISTORY = 10_000, 1_000_000
READY_MS = 150


class Cloud(Process):
    """raw_cloud: each operation is over at its POLLS-th poll; 0: never."""

    def __init__(self, run, polls):
        self.port = free_port()
        super().__init__([os.path.join(run.binaries, "raw_cloud"), str(self.port), str(polls)],
                         os.path.join(run.directory, "raw-cloud.log"))
        self.await_port(self.port)
        self.url = f"http://127.0.0.1:{self.port}"

    def calls(self):
        with urllib.request.urlopen(self.url + "/calls", timeout=30) as answer:
            return json.load(answer)


def operation(interval, status=None):
    value = objects.operation(NAMESPACE, "object-0000000", 0)
    del value["spec"]["suspend"]
    value["spec"]["externalSystemRef"]["name"] = SYSTEM
    value["spec"]["submit"]["path"] = "/operations"
    value["spec"]["poll"]["interval"] = {"initial": interval, "max": interval, "factor": 1}
    value["metadata"].update({
        "uid": "00000000-0000-4000-8000-000000000000", "generation": 1, "resourceVersion": "",
        "creationTimestamp": "2030-01-01T00:00:00Z"})
    if status:
        value["status"] = status
    return value


def running(interval):
    return operation(interval, {
        "phase": "Running", "state": "Running", "operationID": "op-1", "submission": 1,
        "attempt": 1, "retryCount": 0, "observedGeneration": 1})


def unlimited(cloud):
    return {"endpoint": cloud.url, "preset": "AcceptedLocation",
            "idempotency": {"in": "Header", "name": "Idempotency-Key"},
            "limits": {"requestsPerSecond": 100_000, "burst": 100_000,
                       "maxInFlight": 10_000}}


def make_directory(run, name, system):
    """A data directory with keys, the namespaces and an ExternalSystem with this spec, if any."""
    server = Server(run, name)
    with server:
        server.await_port(server.port)
        client = Client(server.url, run)
        for namespace in (NAMESPACE, filled.NAMESPACE):
            client.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace",
                                                 "metadata": {"name": namespace}})
        if system:
            create_system(client, system)
        client.close()
    return server.directory


def create_system(client, spec):
    client.create(objects.SYSTEMS.format(NAMESPACE), {
        "apiVersion": "asyncops.dev/v1alpha1", "kind": "ExternalSystem",
        "metadata": {"name": SYSTEM, "namespace": NAMESPACE}, "spec": spec})


class Server(Asyncops):
    """A server that may call the loopback."""

    def __init__(self, run, name):
        super().__init__(run, name, extra=["--allow-outbound=127.0.0.0/8"])


def fill(run, directory, value, count, poll_url=None):
    text = json.dumps(value, separators=(",", ":"))
    template = os.path.join(run.directory, "engine-object.json")
    with open(template, "w", encoding="utf-8") as file:
        file.write(text)
    command = [os.path.join(run.binaries, "fill_store"), directory, template, str(count)]
    subprocess.run(command + ([poll_url] if poll_url else []), check=True)


def count_of(client, selector):
    """How many operations match, at most 500."""
    path = f"{PATH}?limit=500&fieldSelector={selector}"
    return len(json.loads(client.get(path, "application/json;as=PartialObjectMetadataList;"
                                           "g=meta.k8s.io;v=v1"))["items"])


def lifecycles(run):
    """Slices of LIFECYCLES operations from nothing to Succeeded, all at once: they wait for their
    ExternalSystem, which is created. The sample's value is transitions in a second of the server's
    CPU time."""
    numbers = iter(range(1000))

    def run_slice():
        with Cloud(run, POLLS) as cloud:
            directory = make_directory(run, f"lifecycles-{next(numbers)}", None)
            fill(run, directory, operation("10ms"), LIFECYCLES)
            with Server(run, os.path.basename(directory)) as server:
                server.await_port(server.port)
                client = Client(server.url, run)
                await_none(client, "status.phase!=Pending")
                await_rest(server)
                cpu = server.cpu()
                create_system(client, unlimited(cloud))
                began = time.monotonic()
                while cloud.calls()["gets"] < POLLS * LIFECYCLES:
                    if time.monotonic() - began > 300:
                        raise WrongAnswer(f"the cloud saw only {cloud.calls()}")
                    time.sleep(0.02)
                await_none(client, "status.phase!=Succeeded")
                used = server.cpu() - cpu
                seen = cloud.calls()
                client.close()
            if seen["posts"] != LIFECYCLES:
                raise WrongAnswer(f"{LIFECYCLES} operations were started {seen['posts']} times")
            shutil.rmtree(directory)
        transitions = TRANSITIONS * LIFECYCLES
        return Sample(transitions / used, used * 1e6 / transitions, transitions)
    return run_slice


def await_none(client, selector):
    deadline = time.monotonic() + 300
    while count_of(client, selector):
        if time.monotonic() > deadline:
            raise WrongAnswer(f"{count_of(client, selector)} operations are {selector} still")
        time.sleep(0.1)


def await_rest(server):
    """Waits until the server has nothing to do."""
    deadline = time.monotonic() + 300
    used = None
    while used is None or server.cpu() - used > 0.02:
        if time.monotonic() > deadline:
            raise WrongAnswer("the server works on though nothing is to be done")
        used = server.cpu()
        time.sleep(1)


def full_lifecycle(run):
    measured = alternate(lifecycles(run), raw_slice(run), pairs=3)
    row = pair_row("B7", f"{LIFECYCLES:,} operations: submit, {POLLS} polls, end; durable "
                   "transitions in a second of the server's CPU time; raw SQLite, 100 rows a "
                   "transaction", measured, 0.25, True, rate_text)
    per_core = middle([sample.value for sample in measured.ours])
    if per_core >= PER_CORE:
        row.met = "met"
    row.goal += f" or {PER_CORE:,}/s"
    return [row]


def resident_mib(server):
    return status_kib(server.pid, "VmRSS") / 1024


def steady_polling(run):
    """B7a and B10: STEADY operations run outside and nothing changes."""
    with Cloud(run, 0) as cloud:
        directory = make_directory(run, "steady", unlimited(cloud))
        with Server(run, "steady") as server:
            server.await_port(server.port)
            Client(server.url, run).get("/api/v1/namespaces/default")
            time.sleep(1)
            empty = resident_mib(server)
        fill(run, directory, running(f"{STEADY_INTERVAL}s"), STEADY, cloud.url + "/operations/")
        with Server(run, "steady") as server:
            server.await_port(server.port)
            await_round(cloud, STEADY)
            client = Client(server.url, run)
            version = head_version(client)
            began, cpu, calls = time.monotonic(), server.cpu(), cloud.calls()["gets"]
            time.sleep(STEADY_INTERVAL)
            taken, used = time.monotonic() - began, server.cpu() - cpu
            polls = cloud.calls()["gets"] - calls
            if head_version(client) != version:
                raise WrongAnswer("something was written though nothing changed")
            if not 0.8 * STEADY <= polls * STEADY_INTERVAL / taken <= 1.2 * STEADY:
                raise WrongAnswer(f"{polls} polls of {STEADY} operations in {taken:.0f} s")
            full = resident_mib(server)
            client.close()
        shutil.rmtree(directory)
    busy = limit_row("B7a", f"{STEADY:,} operations polled every {STEADY_INTERVAL} s, nothing "
                     "changes: of one core", [used / taken * 100], "{:.0f}", STEADY_CORE_PERCENT,
                     " %")
    busy.notes.append(f"{polls / taken:,.0f} polls a second, {used / polls * 1e6:.0f} us of CPU "
                      "each; no row was written")
    memory = limit_row("B10", f"memory of {STEADY:,} operations in flight", [full - empty],
                       "{:.1f}", IN_FLIGHT_MIB, " MiB")
    memory.notes.append(f"{(full - empty) * 2**20 / STEADY:.0f} bytes each")
    return [busy, memory]


def await_round(cloud, count):
    """Waits until all operations are polled in turn: what was there before the start is taken up
    500 operations a second."""
    deadline = time.monotonic() + 600
    before = 0
    while True:
        time.sleep(STEADY_INTERVAL)
        calls = cloud.calls()["gets"]
        if calls - before >= 0.95 * count:
            time.sleep(STEADY_INTERVAL)  # the last of them was looked at for the first time
            return
        if time.monotonic() > deadline:
            raise WrongAnswer(f"only {calls - before} polls came in {STEADY_INTERVAL} s")
        before = calls


def head_version(client):
    return json.loads(client.get(f"{PATH}?limit=1"))["metadata"]["resourceVersion"]


def restart(run):
    """B9: from exec to the first 200 of /readyz, with little history and with much."""
    with Cloud(run, 0) as cloud:
        slices = []
        for name, history in (("much", MUCH_HISTORY), ("little", LITTLE_HISTORY)):
            directory = make_directory(run, "restart-" + name, unlimited(cloud))
            fill(run, directory, running("30s"), BACKLOG, cloud.url + "/operations/")
            finished = filled.finished(OBJECT_BYTES)
            finished["metadata"]["uid"] = "00000000-0000-4000-9000-000000000000"
            fill(run, directory, finished, history)
            slices.append(restarts(run, os.path.basename(directory)))
        measured = alternate(*slices)
    row = pair_row("B9", f"restart after kill -9 with {BACKLOG:,} in flight and {MUCH_HISTORY:,} "
                   f"of history, to ready; with {LITTLE_HISTORY:,}", measured, 1.2, False,
                   time_text)
    ready = limit_row("B9", "the same, in time", [s.value * 1e3 for s in measured.ours], "{:.0f}",
                      READY_MS, " ms")
    return [row, ready]


def restarts(run, name):
    def run_slice():
        server = Server(run, name)
        began = time.monotonic()
        starting.await_ready(server, starting.unverified())
        taken = time.monotonic() - began
        time.sleep(1)
        server.child.kill()
        server.child.wait()
        return Sample(taken)
    return run_slice

