"""What kube-controller-manager does with our objects: it collects those whose owner is gone, and
empties namespaces while operations run."""

from declared import idle_operation, is_ready, namespace, operations, resources, system, systems
from declared import volume
from stack import await_true
import world

COLLECTED_SECONDS = 30


def _gone(api, path):
    return lambda: api.send("GET", path)[0] == 404


def _setup(here, name):
    api = here.cluster.api()
    api.create("/api/v1/namespaces", namespace(name))
    api.create(systems(name), system(here.cloud.url))
    return api


def knows_our_kinds(here):
    """kube-controller-manager looks every 30 s for kinds that it does not know yet, and when it
    starts. It is not ours to test how soon."""
    here.cluster.controllers.kill()
    here.cluster.controllers.start()


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
               COLLECTED_SECONDS)
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
    await_true(lambda: f"no operation left: {left()}", lambda: not left(), COLLECTED_SECONDS)
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
    await_true("the owner gone", _gone(api, path), COLLECTED_SECONDS)
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


world.run([knows_our_kinds, collects_operations_of_an_owner_that_goes,
           collects_the_history_of_a_resource, deletes_dependents_first_where_asked,
           empties_a_namespace_while_operations_run, refuses_operations_where_no_namespace_is,
           refuses_operations_in_a_namespace_that_ends])
