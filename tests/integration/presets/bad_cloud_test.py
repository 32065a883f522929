"""Clouds that lie, stall, cut, repeat themselves and never end their answers: each volume is made
exactly once all the same, and nothing is asked for without a pause.

usage: bad_cloud_test.py ASYNCOPS SIMCLOUD"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "stack"))

from stack import ASYNCOPS, Server, Simcloud, await_true

SYSTEMS = ASYNCOPS + "/namespaces/default/externalsystems"
RESOURCES = ASYNCOPS + "/namespaces/default/asyncresources"
INTERVAL = {"initial": "200ms", "max": "500ms"}

# By preset: the prefix of its paths, and what its output is read from.
PRESETS = {"AcceptedLocation": ("/v1", "/id"), "JobStatus": ("/jobs/v1", "/result/id"),
           "GoogleLRO": ("/lro/v1", "/response/id")}
# By what is misbehaved with: the actions.
SUBMITS = [{"endlessBody": True}, {"slowBody": "2ms"}, {"contentType": "text/html"},
           {"utf16": True}, {"truncate": True}, {"garbage": True}, {"dropAfterWork": True},
           {"status": 500, "afterWork": True}, {"delayWork": "700ms"}]
POLLS = [{"endlessBody": True}, {"slowBody": "2ms"}, {"contentType": "text/html"}, {"utf16": True},
         {"truncate": True}, {"garbage": True}, {"repeatFirst": True}, {"repeatLast": True},
         {"status": 500}, {"status": 429, "retryAfter": "0"}, {"dropAfterWork": True}]


def system(name, cloud_url, prefix):
    return {"apiVersion": "asyncops.dev/v1alpha1", "kind": "ExternalSystem",
            "metadata": {"name": name.lower()},
            "spec": {"endpoint": cloud_url + prefix, "preset": name,
                     "idempotency": {"in": "Header", "name": "Idempotency-Key"},
                     "correlation": {"in": "Header", "name": "X-Correlation-Id"},
                     "limits": {"requestTimeout": "2s"}}}


def volume(name, preset, output):
    return {"apiVersion": "asyncops.dev/v1alpha1", "kind": "AsyncResource",
            "metadata": {"name": name},
            "spec": {"externalSystemRef": {"name": preset.lower()},
                     "create": {"submit": {"path": "/volumes", "body": {"name": "${metadata.name}"}},
                                "poll": {"interval": INTERVAL}},
                     "deletionPolicy": "Orphan",
                     "outputs": [{"name": "volumeID", "value": output}],
                     "retry": {"tiers": [{"delay": "300ms"}]}}}


def is_ready(thing):
    conditions = thing.get("status", {}).get("conditions", [])
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def make(cloud, api, name, preset, rules):
    """Makes a volume under these rules; how many requests it took."""
    before = cloud.stats()
    cloud.admin("behaviour", {"rules": rules})
    api.create(RESOURCES, volume(name, preset, PRESETS[preset][1]))
    path = RESOURCES + "/" + name
    await_true(lambda: f"{name} {rules}: {api.get(path).get('status')}",
               lambda: is_ready(api.get(path)), 30)
    outputs = api.get(path)["status"]["outputs"]
    made = [each for each in cloud.admin("volumes")["items"] if each["name"] == name]
    assert [each["id"] for each in made] == [outputs["volumeID"]], (name, rules, outputs, made)
    return cloud.stats()["requests"] - before["requests"]


def run(cloud, api):
    for preset, (prefix, _) in PRESETS.items():
        api.create(SYSTEMS, system(preset, cloud.url, prefix))
    worst = 0
    for preset, (prefix, _) in PRESETS.items():
        for number, action in enumerate(SUBMITS):
            rule = {"match": {"method": "POST", "pathPrefix": prefix}, "action": action}
            worst = max(worst, make(cloud, api, f"{preset.lower()}-submit-{number}", preset, [rule]))
        for number, action in enumerate(POLLS):
            # Not the first poll: what it said may be said again.
            match = {"method": "GET", "pathPrefix": prefix}
            rules = [{"match": match, "action": {"delay": "0s"}},
                     {"match": match, "times": 2, "action": action}]
            worst = max(worst, make(cloud, api, f"{preset.lower()}-poll-{number}", preset, rules))
    end = cloud.stats()
    assert end["duplicatesByName"] == 0 and end["duplicatesByCorrelation"] == 0, end
    assert worst <= 25, f"{worst} requests for one volume"
    print(f"{end['created']} volumes, at most {worst} requests for one: {end}")


def main():
    with tempfile.TemporaryDirectory() as directory, \
            Simcloud(sys.argv[2], directory, "300ms") as cloud, \
            Server(sys.argv[1], directory) as server:
        server.start()
        run(cloud, server.api())
        assert server.stop() == 0


if __name__ == "__main__":
    main()
