"""What is declared so that an operation comes by a fault point, and what its user does next."""

import copy
import time

from declarations import volume

DROP = {"match": {"method": "POST", "pathPrefix": "/v1/volumes"}, "times": 2,
        "action": {"dropAfterWork": True}}
LOOKUP = {"lookup": {"path": "/operations?correlation=${operation.correlationID}",
                     "found": "size(response.body.items) > 0", "id": "/items/0/id",
                     "settle": "1s"}}
# Longer than a person needs who cancels what runs.
SLOW = "1500ms"
# What was sent arrives within this; then a person who looks at the cloud sees what there is.
SETTLED_S = 0.8

# Which kind of thing comes by the points of a step.
KIND_OF_STEP = {
    "AddFinalizerWrite": "plain", "CreateOperationWrite": "plain", "IntentWrite": "plain",
    "SubmitCall": "plain", "SubmitWrite": "plain", "PollCall": "plain", "PollWrite": "plain",
    "EventsWrite": "plain", "ResendWrite": "doubt", "LookupCall": "lookup", "LookupWrite": "lookup",
    "ParkWrite": "park", "AdoptWrite": "park", "FinishWrite": "fail", "FetchCall": "fetch",
    "FetchWrite": "fetch", "CancelIntentWrite": "cancel", "CancelCall": "cancel",
    "CancelWrite": "cancel", "RetryRequestedWrite": "retry", "DropFinalizerWrite": "delete",
    "DropTrackingWrite": "delete", "RemoveWrite": "delete",
}
POINTS = [side + step for step in KIND_OF_STEP for side in ("Before", "After")]


def kind_of_point(point):
    return KIND_OF_STEP[point.removeprefix("Before").removeprefix("After")]


def kind_of(name):
    return name.split("-")[0]


def declare(name):
    """The AsyncResource of this name; the name begins with its kind."""
    kind = kind_of(name)
    thing = copy.deepcopy(volume(name, "keyless" if kind in ("lookup", "park", "fail") else "keyed"))
    create = thing["spec"]["create"]
    if kind == "lookup":
        create["recovery"] = LOOKUP
    if kind == "fetch":
        create["poll"]["result"] = {"from": "OriginalURL"}
    if kind == "cancel":
        thing["spec"]["cancel"] = {"method": "DELETE", "path": "/operations/${operation.id}"}
    return thing


def behaviour(kind, dice):
    """How the cloud is to be while things of this kind are made."""
    rules = []
    if kind in ("doubt", "lookup", "park", "fail"):
        rules.append(DROP)
    other = {"method": dice.choice(["GET", "DELETE"])}
    rules.append({"match": other, "times": dice.randint(0, 2) + 1, "action": dice.choice([
        {"delay": "40ms"}, {"status": 503, "retryAfter": "1"}, {"status": 500},
        {"dropAfterWork": True}, {"garbage": True}])})
    if kind in ("plain", "fetch", "retry", "delete"):
        rules.append({"match": DROP["match"], "times": 1, "action": dice.choice([
            {"delay": "60ms"}, {"delayWork": "60ms"}, {"status": 503, "afterWork": True},
            {"status": 429, "retryAfter": "1"}, {"truncate": True}])})
    slow = kind in ("cancel", "retry")
    return {"rules": rules, "operationDuration": SLOW if slow else f"{dice.randint(50, 300)}ms"}


class User:
    """Does to each thing what its kind is for. Remembers nothing that the server could not tell it,
    but for how long something has been parked."""

    def __init__(self, cloud, resources, operations):
        self.cloud = cloud
        self.resources = resources  # paths of the lists
        self.operations = operations
        self.parked_since = {}

    def annotate(self, api, name, annotations):
        path = f"{self.operations}/{name}"
        status, body = api.send("PATCH", path, {"metadata": {"annotations": annotations}},
                                "application/merge-patch+json")
        assert status in (200, 404, 409), (path, status, body)

    def resolve(self, api, operation):
        name = operation["metadata"]["name"]
        since = self.parked_since.setdefault(name, time.monotonic())
        if time.monotonic() - since < SETTLED_S:
            return
        if kind_of(name) == "fail":
            return self.annotate(api, name, {"asyncops.dev/resolve": "Fail"})
        correlation = operation["status"]["correlationID"]
        made = [each for each in self.cloud.admin("volumes")["items"]
                if each["correlationId"] == correlation]
        answer = "Adopt:" + made[0]["operationId"] if made else "Retry"
        return self.annotate(api, name, {"asyncops.dev/resolve": answer})

    def look_at(self, api, operation):
        name = operation["metadata"]["name"]
        state = operation["status"].get("state")
        if state == "OutcomeUnknown":
            return self.resolve(api, operation)
        if state not in ("Submitted", "Running"):
            return None
        asked = operation["metadata"].get("annotations", {})
        kind = kind_of(name)
        if kind == "cancel" and "asyncops.dev/cancel-requested-at" not in asked:
            return self.annotate(api, name,
                                 {"asyncops.dev/cancel-requested-at": "2026-01-01T00:00:00Z"})
        if kind == "retry" and "asyncops.dev/retry-requested-at" not in asked:
            return self.annotate(api, name,
                                 {"asyncops.dev/retry-requested-at": "2026-01-01T00:00:00Z"})
        return None

    def act(self, api):
        """One look at everything; (operations, resources)."""
        operations = api.list(self.operations)
        for operation in operations:
            self.look_at(api, operation)
        resources = api.list(self.resources)
        for resource in resources:
            name = resource["metadata"]["name"]
            ready = resource.get("status", {}).get("phase") == "Ready"
            if kind_of(name) == "delete" and ready and \
                    "deletionTimestamp" not in resource["metadata"]:
                status, body = api.send("DELETE", f"{self.resources}/{name}")
                assert status in (200, 202, 404), (name, status, body)
        return operations, resources
