"""Callbacks against the real server: every scheme, early and doubled ones, forged ones in numbers,
and kill -9. Polls are an hour apart, so whatever ends an operation here is a callback's doing."""

import base64
import json
import os
import ssl
import sys
import tempfile
import threading
import time

import provider as providers
from provider import Caller, Provider

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "stack"))
from stack import ASYNCOPS, OPERATIONS, Server, await_true  # noqa: E402

SYSTEMS = ASYNCOPS + "/namespaces/default/externalsystems"
AOPS = OPERATIONS + "/namespaces/default/asyncoperations"
SCHEMES = {
    "StandardWebhooks": (providers.standard_webhooks, {}),
    "GitHub": (providers.github, {}),
    "Stripe": (providers.stripe, {}),
    "Slack": (providers.slack, {}),
    "HMAC": (providers.acme, {"hmac": {
        "header": "X-Acme-Signature", "prefix": "acme=", "encoding": "Base64",
        "content": "${timestamp}.${id}.${body}", "timestampHeader": "X-Acme-Time",
        "idHeader": "X-Acme-Id"}}),
    "Token": (providers.token, {}),
}


def equal(got, wanted, what):
    if got != wanted:
        raise AssertionError(f"{what}: {got!r}, not {wanted!r}")


class World:
    def __init__(self, binary, directory):
        self.server = Server(binary, directory)
        self.server.start()
        self.provider = Provider()
        self.count = 0
        self.connect()
        self.api.create("/api/v1/namespaces/default/secrets", {
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "hook"},
            "data": {"plain": _encoded(providers.SECRET),
                     "webhook": _encoded(providers.WEBHOOK_SECRET)}})

    def connect(self):
        self.api = self.server.api()
        ca = os.path.join(self.server.files, "certificate-authority.pem")
        self.caller = Caller(ssl.create_default_context(cafile=ca))

    def system(self, name, scheme, has_key=True, **more):
        key = "webhook" if scheme == "StandardWebhooks" else "plain"
        callback = {"scheme": scheme, **SCHEMES[scheme][1], **more}
        if scheme != "Token":
            callback["secretRefs"] = [{"name": "hook", "key": key}]
        spec = {"endpoint": self.provider.url, "callback": callback}
        if has_key:
            spec["idempotency"] = {"in": "Header", "name": "Idempotency-Key"}
        self.api.create(SYSTEMS, {
            "apiVersion": "asyncops.dev/v1alpha1", "kind": "ExternalSystem",
            "metadata": {"name": name}, "spec": spec})

    def operation(self, system):
        """Its name and the operation's ID, once it is submitted."""
        name = self.create(system)
        await_true(f"{name} is submitted", lambda: self.status(name).get("operationID"))
        return name, self.status(name)["operationID"]

    def create(self, system):
        self.count += 1
        name = f"make-{self.count}"
        self.api.create(AOPS, {
            "apiVersion": "operations.asyncops.dev/v1alpha1", "kind": "AsyncOperation",
            "metadata": {"name": name},
            "spec": {
                "type": "Create", "externalSystemRef": {"name": system},
                "submit": {"path": "/volumes", "body": {"size": "1Gi"}},
                "operation": {"id": "/id"},
                "poll": {"path": "/operations/${operation.id}",
                         "interval": {"initial": "1h", "max": "1h"},
                         "acceptors": [
                             {"when": "response.body.status == 'done'", "state": "Succeeded"},
                             {"when": "response.body.status == 'failed'", "state": "Failed"}]},
                "callback": {"inject": {"in": "Body", "pointer": "/callbackUrl"}},
                "outputs": [{"name": "volumeID", "value": "/volume"}]}})
        return name

    def status(self, name):
        return self.api.get(AOPS + "/" + name).get("status", {})

    def ended(self, name):
        await_true(lambda: f"{name} succeeds: {self.status(name)}",
                   lambda: self.status(name).get("state") == "Succeeded")

    def call(self, url, scheme, event, name="m1", headers=None):
        body = json.dumps(event).encode()
        return self.caller.send(url, body, {**SCHEMES[scheme][0](body, name), **(headers or {})})[0]

    def metric(self, text):
        self.api.connection.request("GET", "/metrics")
        page = self.api.connection.getresponse().read().decode()
        return next((float(line.rsplit(" ", 1)[1]) for line in page.splitlines()
                     if line.startswith(text)), 0.0)


def _encoded(text):
    return base64.b64encode(text.encode()).decode()


def each_scheme(world):
    for scheme in SCHEMES:
        system = scheme.lower()
        world.system(system, scheme)
        name, operation = world.operation(system)
        url = world.provider.url_of(operation)
        equal(world.call(url, scheme, {"id": operation}), 202, scheme)
        await_true(f"a poll for {scheme}", lambda: world.status(name).get("state") == "Running")
        world.provider.finish(operation)
        equal(world.call(url, scheme, {"id": operation, "n": 2}, "m2"), 202, scheme)
        world.ended(name)
        equal(world.status(name)["outputs"], {"volumeID": "volume-of-" + operation}, scheme)
        equal(world.call(url, scheme, {"id": operation, "n": 3}, "m3"), 410, scheme)
        equal(world.metric(f'async_callback_total{{scheme="{scheme}",result="stored"}}'), 2.0,
              scheme)


def wrong_ones(world):
    name, operation = world.operation("github")
    url = world.provider.url_of(operation)
    forged = {"X-Hub-Signature-256": "sha256=" + "0" * 64}
    equal(world.caller.send(url, b"{}", forged)[0], 401, "a forged signature")
    equal(world.caller.send(url, b"{}")[0], 401, "no signature")
    other = url[:-1] + ("1" if url.endswith("0") else "0")
    equal(world.caller.send(other, b"{}")[0], 404, "another token")
    equal(world.caller.send(url.rsplit("/", 1)[0] + "/x", b"{}")[0], 404, "no token")
    equal(world.caller.send(url, b"x" * (1 << 20) + b"x")[0], 413, "a large body")
    equal(world.caller.send(url, method="GET")[0], 405, "a GET")
    broken = b"{"
    equal(world.caller.send(url, broken, providers.github(broken, "m"))[0], 400, "no JSON")
    status, headers = world.caller.send(url, method="OPTIONS",
                                        headers={"WebHook-Request-Origin": "events.example"})
    equal((status, headers.get("WebHook-Allowed-Origin")), (200, "events.example"), "handshake")
    equal(world.status(name)["state"], "Submitted", "nothing of it counted")
    equal(world.call(url, "GitHub", {}, "same"), 202, "a message")
    equal(world.call(url, "GitHub", {}, "same"), 200, "the message again")


def system_url(world):
    world.system("events", "StandardWebhooks", correlate="event.subject", trustPayload=True)
    name, operation = world.operation("events")
    base = world.server.url + "/callbacks/default/systems/"
    event = {"specversion": "1.0", "id": "e1", "source": "/provider", "type": "volume.done",
             "subject": operation, "data": {"status": "done", "volume": "v-1"}}
    kind = {"Content-Type": "application/cloudevents+json"}
    equal(world.call(base + "nobody", "StandardWebhooks", event, headers=kind), 401, "no system")
    polls = world.provider.polls
    equal(world.call(base + "events", "StandardWebhooks", event, headers=kind), 202, "an event")
    world.ended(name)
    equal(world.provider.polls, polls, "polls for a trusted end")
    equal(world.status(name)["outputs"], {"volumeID": "v-1"}, "outputs of the event")
    late = {**event, "id": "e2", "data": {"status": "failed"}}
    equal(world.call(base + "events", "StandardWebhooks", late, "m2", kind), 200, "a late event")
    equal(world.status(name)["state"], "Succeeded", "what is over stays so")


def early(world):
    seen = []

    def call_first(operation, url):
        world.provider.finish(operation)
        seen.append(world.call(url, "GitHub", {}, "early-" + operation))
    world.provider.before_answer = call_first
    name, _ = world.operation("github")
    world.provider.before_answer = None
    equal(seen, [202], "a callback before the answer to the submit")
    world.ended(name)


def lost_answer(world):
    world.system("forgetful", "GitHub", has_key=False, correlate="/id")
    world.provider.loses_answers = True
    name = world.create("forgetful")
    await_true(f"{name} is parked", lambda: world.status(name).get("state") == "OutcomeUnknown")
    world.provider.loses_answers = False
    operation, url = list(world.provider.calls.items())[-1]
    forged = {"X-Hub-Signature-256": "sha256=" + "0" * 64}
    equal(world.caller.send(url, b"{}", forged)[0], 401, "a forged signature")
    equal(world.status(name)["state"], "OutcomeUnknown", "which proves nothing")
    world.provider.finish(operation)
    equal(world.call(url, "GitHub", {"id": operation}), 202, "a callback that names it")
    world.ended(name)
    equal(world.status(name)["operationID"], operation, "the ID of the callback")
    equal(list(world.provider.calls)[-1], operation, "nothing was sent again:")


def kill(world):
    name, operation = world.operation("github")
    world.provider.finish(operation)
    world.provider.hold.clear()
    equal(world.call(world.provider.url_of(operation), "GitHub", {}, "before-kill"), 202, "stored")
    port = world.server.port()
    world.server.kill()
    world.provider.hold.set()
    world.server.start(port=port)
    world.connect()
    world.ended(name)
    later, operation = world.operation("github")
    world.provider.finish(operation)
    equal(world.call(world.provider.url_of(operation), "GitHub", {}, "after"), 202,
          "the key is the same")
    world.ended(later)


def flood(world):
    """Forged callbacks neither stall others nor fill the disk; and they are told."""
    _, operation = world.operation("github")
    url = world.provider.url_of(operation)
    stop = threading.Event()
    counts = {}

    def forge():
        while not stop.is_set():
            status, _ = world.caller.send(url, b"x" * 100_000,
                                          {"X-Hub-Signature-256": "sha256=" + "0" * 64})
            counts[status] = counts.get(status, 0) + 1
    threads = [threading.Thread(target=forge) for _ in range(4)]
    for thread in threads:
        thread.start()
    slowest = 0.0
    end = time.monotonic() + 3
    while time.monotonic() < end:
        begin = time.monotonic()
        world.api.list(AOPS + "?limit=5")
        slowest = max(slowest, time.monotonic() - begin)
    stop.set()
    for thread in threads:
        thread.join()
    equal(set(counts) <= {401, 429}, True, f"answers to forged callbacks {counts}")
    equal(counts.get(429, 0) > counts.get(401, 0), True, f"most are told to wait: {counts}")
    if slowest > 1.0:
        raise AssertionError(f"a list took {slowest:.2f} s during a flood")

    def told():
        events = world.api.list("/api/v1/namespaces/default/events")
        return [e for e in events if e["reason"] == "CallbackRejected"
                and e["involvedObject"]["name"] == "github"]
    await_true("an Event of the refusals", told)
    equal(len(told()) <= 3, True, "refusals are told once a minute")
    equal(world.metric('async_callback_total{scheme="",result="throttled"}') > 0, True, "counted")


def no_token_on_disk(world):
    tokens = {url.rsplit("/", 1)[1].encode() for url in world.provider.calls.values() if url}
    world.server.stop()
    for folder, _, files in os.walk(world.server.files):
        for file in files:
            with open(os.path.join(folder, file), "rb") as opened:
                content = opened.read()
            for token in tokens:
                if token in content:
                    raise AssertionError(f"{file} holds the token of a callback URL")


def main():
    with tempfile.TemporaryDirectory() as directory:
        world = World(sys.argv[1], directory)
        with world.server:
            for case in (each_scheme, wrong_ones, system_url, early, lost_answer, kill,
                         flood, no_token_on_disk):
                case(world)
                print("ok", case.__name__, flush=True)


if __name__ == "__main__":
    main()
