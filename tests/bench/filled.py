"""Data directories that are filled before their server starts."""

import json
import os
import subprocess

import objects
from clients import Client
from dataset import OBJECT_BYTES
from processes import Asyncops

NAMESPACE = "many"
PATH = objects.OPERATIONS.format(NAMESPACE)
# What the store adds: the digits of the version differ by a few bytes.
VERSION_BYTES = 6


def finished(fill):
    """An operation that is over: the controller looks at it once and leaves it."""
    times = {"startTime": "2030-01-01T00:00:00Z", "completionTime": "2030-01-01T00:01:00Z"}

    def condition(kind, value, reason):
        return {"type": kind, "status": value, "reason": reason, "message": "",
                "lastTransitionTime": "2030-01-01T00:01:00Z", "observedGeneration": 1}

    value = objects.operation(NAMESPACE, "object-0000000", fill)
    del value["spec"]["suspend"]
    value["metadata"].update({
        "uid": "00000000-0000-4000-8000-000000000000", "generation": 1, "resourceVersion": "",
        "creationTimestamp": "2030-01-01T00:00:00Z"})
    value["status"] = {
        "phase": "Succeeded", "state": "Succeeded", "operationID": "op-1", "submission": 1,
        "attempt": 1, "retryCount": 0, "observedGeneration": 1, **times,
        "conditions": [condition("Ready", "True", "Available"),
                       condition("AsyncOperation", "True", "Completed"),
                       condition("AsyncOperationPending", "False", "Completed"),
                       condition("AsyncOperationCompleted", "True", "Succeeded"),
                       condition("TerminalError", "False", "NoError")]}
    return value


def text_of(fill):
    return json.dumps(finished(fill), separators=(",", ":"))


def serve(run, name, count):
    """A server on a new directory with so many finished operations of about 2 KB."""
    directory = os.path.join(run.directory, name)
    # The first start makes the keys and the database.
    with Asyncops(run, name) as server:
        server.await_port(server.port)
        client = Client(server.url, run)
        client.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace",
                                             "metadata": {"name": NAMESPACE}})
        client.close()
    template = os.path.join(run.directory, "object.json")
    with open(template, "w", encoding="utf-8") as file:
        file.write(text_of(OBJECT_BYTES - VERSION_BYTES - len(text_of(0))))
    subprocess.run([os.path.join(run.binaries, "fill_store"), directory, template, str(count)],
                   check=True)
    server = Asyncops(run, name)
    server.await_port(server.port)
    return server
