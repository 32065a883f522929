"""B8: signed callbacks that are durable before they are answered, beside creates on the same
server."""

import base64
import hashlib
import hmac
import json
import os
import re
import secrets
import shutil
import time

import clients
import engine
import objects
import writing
from clients import Client, WrongAnswer
from dataset import OBJECT_BYTES
from pairs import alternate
from table import pair_row, rate_text

FOLLOWED = 1000
# More than one slice can send.
MESSAGES = 60_000
# One in so many is told twice.
DOUBLED = 10
PATH = f"/callbacks/{engine.NAMESPACE}/systems/{engine.SYSTEM}"


class Hooks:
    """Slices of Standard Webhooks for operations that run, each message once but for some."""

    def __init__(self, run, server):
        self.run, self.server = run, server
        self.client = Client(server.url, run)
        self.key = secrets.token_bytes(32)
        self.client.create(f"/api/v1/namespaces/{engine.NAMESPACE}/secrets", {
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "hooks"},
            "data": {"secret": base64.b64encode(
                b"whsec_" + base64.b64encode(self.key)).decode()}})
        event = {"type": "operation.changed", "data": {"id": "op-" + writing.NAME,
                                                       "details": objects.filler(OBJECT_BYTES - 84)}}
        self.body = json.dumps(event, separators=(",", ":"))
        self.body_file = os.path.join(run.directory, "callback.json")
        with open(self.body_file, "w", encoding="ascii") as file:
            file.write(self.body)
        self.slices = 0
        self.stored = self.count("stored")

    def slice(self):
        self.slices += 1
        messages = os.path.join(self.run.directory, "callbacks.txt")
        with open(messages, "w", encoding="ascii") as file:
            file.writelines(self.lines())
        sample = clients.wrk(self.server, "callback.lua", [PATH, self.body_file, messages])
        self.check(sample.answers)
        return sample

    def lines(self):
        """Operation, id, time and signature of each message."""
        now = str(int(time.time()))
        last = ""
        for number in range(MESSAGES):
            if number % DOUBLED == DOUBLED - 1:
                yield last
                continue
            name = f"object-{number * 7 % FOLLOWED:07}"
            known_as = f"msg-{self.slices}-{number}"
            signed = f"{known_as}.{now}.{self.body.replace(writing.NAME, name)}"
            made = hmac.new(self.key, signed.encode(), hashlib.sha256).digest()
            last = f"{name} {known_as} {now} v1,{base64.b64encode(made).decode()}\n"
            yield last

    def check(self, answers):
        """All that was new and acknowledged is stored, and nothing twice."""
        stored, before = self.count("stored"), self.stored
        self.stored = stored
        new = answers * (DOUBLED - 1) / DOUBLED
        # On a busy machine more was under way at the end than there are connections.
        slack = 2 * clients.CONNECTIONS
        if not new - slack <= stored - before <= new + slack:
            raise WrongAnswer(f"of {answers} callbacks {stored - before} were stored")

    def count(self, result):
        text = self.client.get("/metrics", accept="text/plain").decode()
        found = re.search(r'^async_callback_total\{[^}]*result="' + result + r'"[^}]*\} (\d+)$',
                          text, re.MULTILINE)
        return int(found.group(1)) if found else 0


def system(cloud):
    """Is hardly ever called: the poll that a callback asks for waits for its turn."""
    return {"endpoint": cloud.url, "preset": "AcceptedLocation",
            "idempotency": {"in": "Header", "name": "Idempotency-Key"},
            "limits": {"requestsPerSecond": 0.001, "burst": 1},
            "callback": {"scheme": "StandardWebhooks", "correlate": "/data/id",
                         "secretRefs": [{"name": "hooks", "key": "secret"}]}}


def callbacks(run):
    with engine.Cloud(run, 0) as cloud:
        directory = engine.make_directory(run, "callbacks", system(cloud))
        engine.fill(run, directory, engine.running("300s"), FOLLOWED, cloud.url + "/operations/")
        with engine.Server(run, "callbacks") as server:
            server.await_port(server.port)
            hooks = Hooks(run, server)
            creates = writing.Creates(run, server, "systems", objects.SYSTEMS,
                                      objects.external_system, settles=False)
            measured = alternate(hooks.slice, creates.slice)
        shutil.rmtree(directory)
    return [pair_row("B8", f"callback of 2 KB with HMAC, durable, one in {DOUBLED} known already, "
                     f"{clients.CONNECTIONS} connections; CREATE as in B3", measured, 0.90, True,
                     rate_text)]
