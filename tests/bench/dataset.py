"""The stored objects that the reading rows read."""

import concurrent.futures
import json
import re
import time

import objects
from clients import Client

NAMESPACES = ("bench", "other")
TRIAL = "trial"  # as long as those, for what is made to find the size
OBJECTS = 5000  # in each namespace
OBJECT_BYTES = 2048
LOADERS = 8


def name_of(number):
    return f"operation-{number:05}"


def await_still(client):
    """Waits until nothing is written any more: the controller has seen everything."""
    before, since = None, time.monotonic()
    deadline = since + 60
    while time.monotonic() < deadline:
        text = client.get("/metrics", accept="text/plain").decode()
        now = re.search(r"^asyncops_store_revision (\S+)$", text, re.MULTILINE).group(1)
        if now != before:
            before, since = now, time.monotonic()
        elif time.monotonic() - since > 0.6:
            return
        time.sleep(0.1)
    raise RuntimeError("the server did not come to rest within a minute")


def make_namespace(client, name):
    client.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace",
                                         "metadata": {"name": name}})


def fitted(client, path, make, name_length):
    """The filling with which make(name, filling) is served as OBJECT_BYTES, once everyone has
    written to it. Leaves two objects."""
    fill = 0
    for attempt in ("first", "second"):
        name = attempt.ljust(name_length, "x")
        client.create(path, make(name, fill))
        await_still(client)
        fill += OBJECT_BYTES - len(client.get(f"{path}/{name}"))
    return fill


def load(run, server):
    """Stores the operations, waits for rest, and returns their path and the bytes that each one is
    served as: {path: bytes}."""
    client = Client(server.url, run)
    for namespace in (TRIAL, *NAMESPACES):
        make_namespace(client, namespace)
    fill = fitted(client, objects.OPERATIONS.format(TRIAL),
                  lambda name, size: objects.operation(TRIAL, name, size), len(name_of(0)))

    def create(first):
        mine = Client(server.url, run)
        for number in range(first, OBJECTS, LOADERS):
            for namespace in NAMESPACES:
                mine.create(objects.OPERATIONS.format(namespace),
                            objects.operation(namespace, name_of(number), fill))
        mine.close()

    with concurrent.futures.ThreadPoolExecutor(LOADERS) as pool:
        list(pool.map(create, range(LOADERS)))
    await_still(client)
    stored = {}
    for namespace in NAMESPACES:
        path = objects.OPERATIONS.format(namespace)
        for number in range(OBJECTS):
            stored[f"{path}/{name_of(number)}"] = client.get(f"{path}/{name_of(number)}")
    client.close()
    check_stored(stored)
    return stored


def check_stored(stored):
    """Each is the object that its path names."""
    for path, body in stored.items():
        meta = json.loads(body)["metadata"]
        if not path.endswith(f"/{meta['namespace']}/asyncoperations/{meta['name']}"):
            raise RuntimeError(f"{path} answers with {meta['namespace']}/{meta['name']}")
