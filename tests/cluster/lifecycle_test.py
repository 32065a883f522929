"""What kube-controller-manager does with our objects: it collects those whose owner is gone, and
empties namespaces, while operations run and while the API stays available."""

import threading

from asyncops_server import API_SERVICE
from declared import (condition, idle_operation, is_ready, namespace, operations, resources, system,
                      systems, volume)
from stack import await_true
import world

# kube-controller-manager looks every 30 s for kinds that it does not know yet.
DISCOVERY_SECONDS = 75


def _gone(api, path):
    return lambda: api.send("GET", path)[0] == 404


def _setup(here, name):
    api = here.cluster.api()
    api.create("/api/v1/namespaces", namespace(name))
    api.create(systems(name), system(here.cloud.url))
    return api


def collects_operations_of_an_owner_that_goes(here):
    api = _setup(here, "team-gc")
    owner = api.create("/api/v1/namespaces/team-gc/configmaps", {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "owner"}})
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner",
                 "uid": owner["metadata"]["uid"]}
    api.create(operations("team-gc"), idle_operation("owned", ownerReferences=[reference]))
    api.create(operations("team-gc"), idle_operation("free"))
    api.send("DELETE", "/api/v1/namespaces/team-gc/configmaps/owner")
    await_true("the owned operation collected", _gone(api, operations("team-gc", "owned")),
               DISCOVERY_SECONDS)
    assert api.send("GET", operations("team-gc", "free"))[0] == 200


def collects_the_history_of_a_resource(here):
    """An AsyncResource owns its operations: deleted outside, it goes, and then they do."""
    api = here.cluster.api()
    api.create(resources("team-gc"), volume("short"))
    await_true("the volume", lambda: is_ready(api.get(resources("team-gc", "short"))), 30)
    made = api.list(operations("team-gc"))
    mine = [each for each in made if each["metadata"].get("ownerReferences")]
    assert mine and all(each["metadata"]["ownerReferences"][0]["kind"] == "AsyncResource"
                        and each["metadata"]["ownerReferences"][0]["name"] == "short"
                        for each in mine), made
    status, answer = api.send("DELETE", resources("team-gc", "short"))
    assert status == 200, answer
    await_true("the resource gone", _gone(api, resources("team-gc", "short")), 30)

    def left():
        return [each["metadata"]["name"] for each in api.list(operations("team-gc"))
                if each["metadata"].get("ownerReferences")]
    await_true(lambda: f"no operation left: {left()}", lambda: not left(), DISCOVERY_SECONDS)
    assert here.cloud.stats()["existing"] == 0, here.cloud.stats()


def deletes_dependents_first_where_asked(here):
    api = here.cluster.api()
    owner = api.create("/api/v1/namespaces/team-gc/configmaps", {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "patient"}})
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "patient",
                 "uid": owner["metadata"]["uid"], "blockOwnerDeletion": True}
    api.create(operations("team-gc"), idle_operation("first", ownerReferences=[reference]))
    path = "/api/v1/namespaces/team-gc/configmaps/patient"
    api.send("DELETE", path, {"propagationPolicy": "Foreground"})
    await_true("the owner gone", _gone(api, path), DISCOVERY_SECONDS)
    assert api.send("GET", operations("team-gc", "first"))[0] == 404


def empties_a_namespace_while_operations_run(here):
    """Volumes that are ready, volumes that are being made, and operations of nobody: all go, the
    volumes outside too, and the namespace ends."""
    api = _setup(here, "team-end")
    before = here.cloud.stats()
    for index in range(3):
        api.create(resources("team-end"), volume(f"ready-{index}"))
    for index in range(3):
        await_true("volumes", lambda: is_ready(api.get(resources("team-end", f"ready-{index}"))), 30)
    here.cloud.admin("behaviour", {"operationDuration": "3s"})
    for index in range(3):
        api.create(resources("team-end"), volume(f"young-{index}"))
        api.create(operations("team-end"), idle_operation(f"idle-{index}"))
    await_true("operations under way", lambda: here.cloud.stats()["running"] == 3)
    status, answer = api.send("DELETE", "/api/v1/namespaces/team-end")
    assert status in (200, 202), answer

    def state():
        status, thing = api.send("GET", "/api/v1/namespaces/team-end")
        return "gone" if status == 404 else thing.get("status")
    await_true(lambda: f"the namespace gone: {state()}", lambda: state() == "gone", 90)
    here.cloud.admin("behaviour", {"operationDuration": "300ms"})
    stats = here.cloud.stats()
    assert stats["existing"] == before["existing"], stats
    assert stats["created"] - before["created"] == stats["deleted"] - before["deleted"], stats
    left = [each["metadata"]["name"]
            for each in api.list("/apis/operations.asyncops.dev/v1alpha1/asyncoperations")
            if each["metadata"]["namespace"] == "team-end"]
    assert not left, left


def refuses_operations_where_no_namespace_is(here):
    api = here.cluster.api()
    status, answer = api.send("POST", operations("nowhere"), idle_operation("lost"))
    assert (status, answer["reason"]) == (404, "NotFound"), answer
    assert answer["message"] == 'namespaces "nowhere" not found', answer


def refuses_operations_in_a_namespace_that_ends(here):
    api = _setup(here, "team-late")
    held = {"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "held", "finalizers": ["tests.example/hold"]}}
    api.create("/api/v1/namespaces/team-late/configmaps", held)
    api.send("DELETE", "/api/v1/namespaces/team-late")

    def refused():
        status, answer = api.send("POST", operations("team-late"), idle_operation("late"))
        return status != 201 and (status, answer)
    # What our server knows of namespaces comes by a watch.
    status, answer = await_true("a refusal", refused, 5)
    assert (status, answer["reason"]) == (403, "Forbidden"), answer
    causes = [each["reason"] for each in answer["details"]["causes"]]
    assert causes == ["NamespaceTerminating"], answer
    assert "because it is being terminated" in answer["message"], answer
    api.send("PATCH", "/api/v1/namespaces/team-late/configmaps/held",
             {"metadata": {"finalizers": None}}, "application/merge-patch+json")
    await_true("the namespace gone", _gone(api, "/api/v1/namespaces/team-late"), 60)


def stays_available_under_load(here):
    """Many writers and readers for a while: kube-apiserver's probes never fail, and nor does any
    request."""
    _setup(here, "team-load")
    ended, problems = threading.Event(), []

    def work(lane):
        api, count = here.cluster.api(f"load-{lane}", ["system:masters"]), 0
        while not ended.is_set():
            name = f"load-{lane}-{count}"
            count += 1
            for method, path, body in (("POST", operations("team-load"), idle_operation(name)),
                                       ("GET", operations("team-load") + "?limit=50", None),
                                       ("DELETE", operations("team-load", name), None)):
                status, answer = api.send(method, path, body)
                if status not in (200, 201):
                    problems.append(f"{method} {path}: {status} {answer}")
    lanes = [threading.Thread(target=work, args=(lane,)) for lane in range(8)]
    for lane in lanes:
        lane.start()
    api, seen = here.cluster.api(), set()
    for _ in range(20):
        service = api.get("/apis/apiregistration.k8s.io/v1/apiservices/" + API_SERVICE)
        available = condition(service, "Available")
        seen.add((available["status"], available["lastTransitionTime"]))
        ended.wait(0.5)
    ended.set()
    for lane in lanes:
        lane.join()
    assert not problems, problems[:5]
    assert {status for status, _ in seen} == {"True"} and len(seen) == 1, seen


world.run([collects_operations_of_an_owner_that_goes, collects_the_history_of_a_resource,
           deletes_dependents_first_where_asked, empties_a_namespace_while_operations_run,
           refuses_operations_where_no_namespace_is, refuses_operations_in_a_namespace_that_ends,
           stays_available_under_load])
