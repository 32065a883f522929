"""The server dies at each fault point of a submission once, and goes on from what is on disk. Without
a key and without a look-up it parks what is in doubt, visibly, and never sends it again.

usage: fault_point_test.py ASYNCOPS SIMCLOUD"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "stack"))

from declarations import RESOURCES, SYSTEMS, condition, external_system, is_ready, volume
from stack import ASYNCOPS, OPERATIONS, Server, Simcloud, await_true

# In the order of one submission (reconciler/fault_points.h); what kill -9 makes of the exit code.
FAULT_POINTS = ["AfterIntentWrite", "BeforeSubmitCall", "AfterSubmitCall", "BeforeSubmitWrite",
                "AfterSubmitWrite"]
KILLED = 137
OPERATION_LIST = OPERATIONS + "/namespaces/default/asyncoperations"
RESOURCE_LIST = ASYNCOPS + RESOURCES


def die_at(server, point, name, system):
    """Declares a volume on a server that ends at the point, and starts it again."""
    server.start(fault_point=point)
    server.api().create(RESOURCE_LIST, volume(name, system))
    await_true(f"the end of the server at {point}", lambda: not server.running())
    code = server.child.returncode
    assert code == KILLED, f"at {point} the server ended with {code}:\n{server.log_text()}"
    server.start()


def await_ready(api, name):
    path = f"{RESOURCE_LIST}/{name}"
    await_true(lambda: f"{name} Ready: {api.get(path)['status']}", lambda: is_ready(api.get(path)))


def volumes_named(cloud, name):
    return [each for each in cloud.admin("volumes")["items"] if each["name"] == name]


def test_each_point_creates_exactly_once(server, cloud):
    for point in FAULT_POINTS:
        name = "with-key-" + point.lower()
        die_at(server, point, name, "keyed")
        await_ready(server.api(), name)
        made = volumes_named(cloud, name)
        assert len(made) == 1, f"{point}: {made}"
        assert server.stop() == 0
        print(f"{point}: exit {KILLED}, restarted, Ready, made once")


def the_operation_of(api, resource):
    """One without a state where there is none yet."""
    found = [each for each in api.list(OPERATION_LIST)
             if each["spec"].get("resourceRef", {}).get("name") == resource]
    assert len(found) <= 1, found
    return found[0] if found else {"status": {}}


def check_parked(api, resource):
    """The operation's name, once everything that a person looks at says that it is parked."""
    def parked():
        operation = the_operation_of(api, resource)
        return operation if operation["status"].get("state") == "OutcomeUnknown" else None
    operation = await_true(lambda: f"parked: {the_operation_of(api, resource)['status']}", parked)
    for kind in ("Ready", "AsyncOperation", "AsyncOperationCompleted"):
        said = condition(operation, kind)
        assert said.get("status") == "Unknown", (kind, said)
    name = operation["metadata"]["name"]
    assert condition(operation, "Ready")["reason"] == "OutcomeUnknown", operation["status"]

    def warned():
        return [each for each in api.list("/api/v1/namespaces/default/events")
                if each["reason"] == "OutcomeUnknown" and each["involvedObject"]["name"] == name]
    event = await_true("the event OutcomeUnknown", warned)[0]
    assert event["type"] == "Warning", event
    assert operation["status"]["correlationID"] in event["message"], event
    projected = await_true(
        f"OutcomeUnknown on the resource {resource}",
        lambda: condition(api.get(f"{RESOURCE_LIST}/{resource}"), "Ready").get("status") == "Unknown")
    assert projected
    return name


def test_without_a_key_it_parks(server, cloud):
    for point, sent in (("BeforeSubmitCall", 0), ("AfterSubmitCall", 1)):
        name = "without-key-" + point.lower()
        die_at(server, point, name, "keyless")
        check_parked(server.api(), name)
        made = volumes_named(cloud, name)
        assert len(made) == sent, f"{point}: {made}"
        assert server.stop() == 0
        print(f"{point} without a key: parked, {sent} made")


def test_a_lost_answer_parks_until_somebody_resolves_it(server, cloud):
    name = "lost-answer"
    server.start()
    api = server.api()
    cloud.admin("behaviour", {"rules": [{"match": {"method": "POST"},
                                         "action": {"dropAfterWork": True}}]})
    api.create(RESOURCE_LIST, volume(name, "keyless"))
    operation = check_parked(api, name)
    assert server.stop() == 0
    server.start()
    api = server.api()
    check_parked(api, name)
    submits = cloud.stats()["submits"]
    made = volumes_named(cloud, name)
    assert len(made) == 1, made
    api.merge(f"{OPERATION_LIST}/{operation}", {"metadata": {"annotations": {
        "asyncops.dev/resolve": "Adopt:" + made[0]["operationId"]}}})
    await_ready(api, name)
    assert cloud.stats()["submits"] == submits, "it was sent again"
    assert len(volumes_named(cloud, name)) == 1
    assert server.stop() == 0
    print("a lost answer without a key: parked, the same after a restart, Ready once adopted")


def main():
    asyncops, simcloud = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as directory, \
            Simcloud(simcloud, directory, "200ms") as cloud, Server(asyncops, directory) as server:
        server.start()
        for name in ("keyed", "keyless"):
            server.api().create(ASYNCOPS + SYSTEMS,
                                external_system(name, cloud.url, with_key=name == "keyed"))
        assert server.stop() == 0
        test_each_point_creates_exactly_once(server, cloud)
        test_without_a_key_it_parks(server, cloud)
        test_a_lost_answer_parks_until_somebody_resolves_it(server, cloud)
        stats = cloud.stats()
        assert stats["duplicatesByCorrelation"] == 0 and stats["duplicatesByName"] == 0, stats


main()
