"""Clouds that answer badly for ever are asked no more often than the limits, the circuit and the tiers
allow, however many operations wait for them; and what waits says why.

usage: pressure_test.py ASYNCOPS SIMCLOUD"""

import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "stack"))

from stack import Server, Simcloud, await_true

SYSTEMS = "/apis/asyncops.dev/v1alpha1/namespaces/default/externalsystems"
OPERATIONS = "/apis/operations.asyncops.dev/v1alpha1/namespaces/default/asyncoperations"
COUNT = 100
FOR_EVER = 1000000

# (system, what it does to every request, reason of Throttled, requests at most while WATCHED passes)
# Forty may be under way before the first failure is known; then there are probes only.
WATCHED = 12
CASES = [
    ("breaks", {"status": 500}, "CircuitOpen", 50),
    ("resets", {"dropBeforeWork": True}, "CircuitOpen", 50),
    ("asks-for-time", {"status": 429, "retryAfter": "600"}, "RetryAfter", 45),
]


def system(name, url, limits):
    return {"apiVersion": "asyncops.dev/v1alpha1", "kind": "ExternalSystem",
            "metadata": {"name": name},
            "spec": {"endpoint": url + "/v1", "preset": "AcceptedLocation",
                     "idempotency": {"in": "Header", "name": "Idempotency-Key"},
                     "limits": {"requestTimeout": "5s", **limits}}}


def operation(name, system_name):
    return {"apiVersion": "operations.asyncops.dev/v1alpha1", "kind": "AsyncOperation",
            "metadata": {"name": name},
            "spec": {"type": "Create", "externalSystemRef": {"name": system_name},
                     "submit": {"method": "POST", "path": "/volumes", "body": {"name": name}},
                     "poll": {"interval": {"initial": "500ms", "max": "1s"}}}}


def condition(thing, kind):
    conditions = thing.get("status", {}).get("conditions", [])
    return next((each for each in conditions if each["type"] == kind), {})


def metrics(server):
    """The text of /metrics, over the connection that the API client has."""
    api = server.api()
    api.connection.request("GET", "/metrics")
    return api.connection.getresponse().read().decode()


def check_bad_clouds(server, api, clouds):
    for name, action, _, _ in CASES:
        clouds[name].admin("behaviour", {"rules": [{"match": {}, "times": FOR_EVER,
                                                    "action": action}]})
        api.create(SYSTEMS, system(name, clouds[name].url, {}))
        for number in range(COUNT):
            api.create(OPERATIONS, operation(f"{name}-{number}", name))
    begun = time.monotonic()
    await_true("the time to pass", lambda: time.monotonic() - begun > WATCHED, WATCHED + 5)
    for name, _, reason, most in CASES:
        requests = clouds[name].stats()["requests"]
        assert 1 <= requests <= most, f"{name} was asked {requests} times"
        shown = [api.get(f"{OPERATIONS}/{name}-{number}") for number in range(COUNT)]
        waiting = [each for each in shown if condition(each, "Throttled").get("reason") == reason]
        assert len(waiting) >= COUNT // 4, f"{name}: {len(waiting)} say why they wait"
        for each in waiting:
            assert each["status"]["nextAttemptTime"], each
        for each in shown:
            assert each["status"]["phase"] != "Failed", each
        seen = api.get(f"{SYSTEMS}/{name}")
        assert seen["status"]["circuit"] in ("Open", "HalfOpen"), seen["status"]
        assert condition(seen, "Throttled")["reason"] == reason, seen["status"]
        assert condition(seen, "Ready")["status"] == "True", seen["status"]
    text = metrics(server)
    for name, _, _, _ in CASES:
        line = f'async_origin_circuit{{origin="{clouds[name].url}"}} '
        assert line + "2" in text or line + "1" in text, text


def check_events(api):
    """One for each outage on the system, and at most one on an operation."""
    told = {}
    for event in api.list("/api/v1/namespaces/default/events"):
        if event["reason"] not in ("CircuitOpen", "Throttled"):
            continue
        subject = (event["involvedObject"]["kind"], event["involvedObject"]["name"])
        told[subject] = told.get(subject, 0) + 1
    for name, _, _, _ in CASES:
        assert told.get(("ExternalSystem", name), 0) >= 1, told
    for (kind, name), count in told.items():
        if kind == "AsyncOperation":
            assert count == 1, f"{name} was told {count} times"


def check_rate(api, cloud):
    """Thirty operations at five calls a second: nothing is lost, and the rate holds."""
    api.create(SYSTEMS, system("slow-lane", cloud.url, {"requestsPerSecond": 5, "burst": 5}))
    begun = time.monotonic()
    for number in range(30):
        api.create(OPERATIONS, operation(f"lane-{number}", "slow-lane"))

    def ended():
        return sum(api.get(f"{OPERATIONS}/lane-{number}")["status"].get("phase") == "Succeeded"
                   for number in range(30))
    await_true(lambda: f"30 successes, of which {ended()} are there", lambda: ended() == 30, 60)
    took = time.monotonic() - begun
    requests = cloud.stats()["requests"]
    assert requests >= 60, requests
    assert requests <= 5 + 5 * took + 5, f"{requests} requests in {took:.1f} s"


def main():
    asyncops, simcloud = sys.argv[1:]
    with tempfile.TemporaryDirectory() as directory:
        clouds = {}
        for name in [case[0] for case in CASES] + ["well"]:
            files = os.path.join(directory, name)
            os.mkdir(files)
            clouds[name] = Simcloud(simcloud, files, "100ms")
        with Server(asyncops, directory) as server:
            server.start()
            api = server.api()
            check_bad_clouds(server, api, clouds)
            check_rate(api, clouds["well"])
            check_events(api)
            server.stop()
        for cloud in clouds.values():
            cloud.stop()
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()
