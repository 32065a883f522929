"""One story told with the official Python client and with kopf: objects are made, watched, paged,
patched, applied, fought over and deleted, and the server is killed in between. What the watches and
the operator saw is compared with what was done. Asks for a RESTART on stdout."""

import asyncio
import sys
import threading
import time
import traceback

import kopf
import kubernetes
import urllib3
from kubernetes import client, dynamic, watch

GROUP, VERSION, PLURAL = "operations.asyncops.dev", "v1alpha1", "asyncoperations"
API_VERSION, KIND = f"{GROUP}/{VERSION}", "AsyncOperation"
NAMESPACE = "story-python"
MADE = 25


def await_true(what, condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.02)


def operation(name, of):
    """One that the engine leaves alone, once it has said so in the status."""
    return {"apiVersion": API_VERSION, "kind": KIND,
            "metadata": {"name": name, "labels": {"of": of}},
            "spec": {"type": "Action", "suspend": True, "externalSystemRef": {"name": "nobody"},
                     "submit": {"method": "POST", "path": "/x"}, "poll": {"path": "/x"}}}


def refused(code, call):
    """The ApiException of a call that must be refused with the code."""
    try:
        call()
    except client.ApiException as problem:
        if problem.status != code:
            raise AssertionError(f"got {problem.status}, expected {code}: {problem.body}") from None
        return problem
    raise AssertionError(f"it is not refused with {code}")


class Witness:
    """What one watch, or kopf, saw: name -> the versions in the order they came."""

    def __init__(self, name):
        self.name = name
        self.seen, self.gone = {}, []
        self.problem = None

    def saw(self, kind, metadata):
        if kind == "DELETED":
            self.gone.append(metadata["name"])
        elif kind in ("ADDED", "MODIFIED", None):
            self.seen.setdefault(metadata["name"], []).append(metadata["resourceVersion"])

    def agrees(self, story):
        if self.problem is not None:
            raise AssertionError(self.problem)
        for name, version in story.acks:
            count = self.seen.get(name, []).count(version)
            assert count == 1, f"{name} at {version} was seen {count} times: {self.seen.get(name)}"
        for name, versions in self.seen.items():
            numbers = [int(version) for version in versions]
            assert numbers == sorted(numbers), f"{name} out of order: {versions}"
        for name in story.deleted:
            assert self.gone.count(name) == 1, f"the end of {name} seen {self.gone.count(name)} times"


class Story:
    """The clients, and what was acknowledged."""

    def __init__(self):
        kubernetes.config.load_kube_config()
        self.custom = client.CustomObjectsApi()
        self.core = client.CoreV1Api()
        self.dynamic = dynamic.DynamicClient(client.ApiClient())
        self.operations = self.dynamic.resources.get(api_version=API_VERSION, kind=KIND)
        self.acks, self.deleted, self.witnesses = [], [], []
        self.over = threading.Event()
        # As most scripts do, without a kind.
        self.core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NAMESPACE)))

    def acknowledge(self, thing):
        metadata = thing["metadata"]
        self.acks.append((metadata["name"], metadata["resourceVersion"]))

    def list(self, **options):
        return self.custom.list_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL, **options)

    def get(self, name):
        return self.custom.get_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL, name)

    def patch(self, name, body, **options):
        return self.custom.patch_namespaced_custom_object(
            GROUP, VERSION, NAMESPACE, PLURAL, name, body, **options)

    def settled(self, name):
        """It, once the engine has written its status."""
        await_true("the status of " + name, lambda: self.get(name).get("status", {}).get(
            "observedGeneration") == self.get(name)["metadata"]["generation"])
        return self.get(name)

    def witness(self, name, target):
        witness = Witness(name)
        self.witnesses.append(witness)

        def run():
            try:
                target(witness)
            except Exception:  # pylint: disable=broad-except
                witness.problem = traceback.format_exc()
        threading.Thread(target=run, daemon=True).start()
        return witness


# --- the steps, in order


def starts_a_watch(story):
    """Watch of the official client: lists, then watches; resumes by version."""
    begin = story.list()["metadata"]["resourceVersion"]

    def run(witness):
        version = begin
        while not story.over.is_set():
            stream = watch.Watch()
            stream.resource_version = version
            try:
                for event in stream.stream(client.CustomObjectsApi().list_namespaced_custom_object,
                                           GROUP, VERSION, NAMESPACE, PLURAL,
                                           resource_version=version, timeout_seconds=5):
                    witness.saw(event["type"], event["object"]["metadata"])
                    version = event["object"]["metadata"]["resourceVersion"]
            except (urllib3.exceptions.HTTPError, OSError):
                time.sleep(0.05)  # The server is away.
    story.witness("Watch", run)


def starts_a_dynamic_watch(story):
    begin = story.operations.get(namespace=NAMESPACE).metadata.resourceVersion

    def run(witness):
        version = begin
        while not story.over.is_set():
            try:
                for event in story.operations.watch(namespace=NAMESPACE, resource_version=version,
                                                    timeout=5):
                    metadata = event["raw_object"]["metadata"]
                    witness.saw(event["type"], metadata)
                    version = metadata["resourceVersion"]
            except (urllib3.exceptions.HTTPError, OSError):
                time.sleep(0.05)  # The server is away.
    story.witness("dynamic watch", run)


def starts_kopf(story):
    """An operator whose event handler sees each version."""
    registry = kopf.get_default_registry()
    ready = threading.Event()

    def run(witness):
        @kopf.on.event(GROUP, VERSION, PLURAL, registry=registry)
        def on_event(event, **_):
            witness.saw(event["type"], event["object"]["metadata"])

        settings = kopf.OperatorSettings()
        settings.posting.enabled = False
        settings.batching.batch_window = 0  # each version, not the newest of a moment
        stop = threading.Event()
        threading.Thread(target=lambda: (story.over.wait(), stop.set()), daemon=True).start()
        asyncio.run(kopf.operator(registry=registry, settings=settings, namespaces=[NAMESPACE],
                                  standalone=True, ready_flag=ready, stop_flag=stop))
    witness = story.witness("kopf", run)
    await_true(lambda: f"kopf ready: {witness.problem}", lambda: ready.is_set() or witness.problem)
    # Ready is before its first watch: an object that is seen says that it watches.
    story.custom.create_namespaced_custom_object(
        GROUP, VERSION, NAMESPACE, PLURAL, operation("first", "first"))
    await_true("kopf to see the first object", lambda: "first" in witness.seen or witness.problem)


def makes_objects(story, names=tuple(f"op-{i}" for i in range(MADE))):
    for name in names:
        story.acknowledge(story.custom.create_namespaced_custom_object(
            GROUP, VERSION, NAMESPACE, PLURAL, operation(name, "op")))
    for name in names:
        story.settled(name)


def pages(story):
    names, versions, token, count = [], set(), None, 0
    while count == 0 or token:
        page = story.list(limit=10, label_selector="of=op", **({"_continue": token} if token else {}))
        names += [each["metadata"]["name"] for each in page["items"]]
        versions.add(page["metadata"]["resourceVersion"])
        token = page["metadata"].get("continue")
        count += 1
    assert (count, len(set(names)), len(versions)) == (3, MADE, 1), (count, names, versions)
    assert names == sorted(names), names
    everything = story.operations.get(namespace=NAMESPACE, label_selector="of=op")
    assert [each.metadata.name for each in everything.items] == names


def selects_by_field(story):
    found = story.list(field_selector="metadata.name=op-7,spec.type=Action")["items"]
    assert [each["metadata"]["name"] for each in found] == ["op-7"], found
    problem = refused(400, lambda: story.list(field_selector="spec.color=red"))
    assert "spec.color" in problem.body, problem.body


def patches(story):
    done = story.patch("op-2", {"metadata": {"labels": {"merged": "yes"}}})
    story.acknowledge(done)
    done = story.patch("op-2", [{"op": "add", "path": "/metadata/annotations",
                                 "value": {"note": "patched"}}],
                       _content_type="application/json-patch+json")
    story.acknowledge(done)
    assert done["metadata"]["labels"]["merged"] == "yes", done
    assert done["metadata"]["annotations"]["note"] == "patched", done
    done = story.operations.patch(namespace=NAMESPACE, name="op-2", body={
        "metadata": {"annotations": {"note": "again"}}}, content_type="application/merge-patch+json")
    story.acknowledge(done.to_dict())
    refused(422, lambda: story.patch("op-2", [
        {"op": "test", "path": "/spec/type", "value": "x"}],
                                     _content_type="application/json-patch+json"))


def applied(name, size):
    return {"apiVersion": API_VERSION, "kind": KIND,
            "metadata": {"name": name, "annotations": {"size": size}},
            "spec": operation(name, "applied")["spec"]}


def applies(story):
    """Server-side apply by the dynamic client: creation, no change, conflict, force."""
    def apply(size, manager, **options):
        return story.operations.server_side_apply(
            namespace=NAMESPACE, name="applied", body=applied("applied", size),
            field_manager=manager, **options).to_dict()
    story.acknowledge(apply("1", "mine"))
    settled = story.settled("applied")
    again = apply("1", "mine")
    assert again["metadata"]["resourceVersion"] == settled["metadata"]["resourceVersion"], again
    problem = refused(409, lambda: apply("2", "yours"))
    assert "FieldManagerConflict" in str(problem.body) and "mine" in str(problem.body), problem.body
    done = apply("2", "yours", force_conflicts=True)
    story.acknowledge(done)
    assert done["metadata"]["annotations"]["size"] == "2", done


def refuses_what_is_stale(story):
    old = story.settled("op-3")
    replace = story.custom.replace_namespaced_custom_object
    changed = {**old, "metadata": {**old["metadata"], "annotations": {"first": "yes"}}}
    story.acknowledge(replace(GROUP, VERSION, NAMESPACE, PLURAL, "op-3", changed))
    refused(409, lambda: replace(GROUP, VERSION, NAMESPACE, PLURAL, "op-3", old))
    refused(409, lambda: story.custom.create_namespaced_custom_object(
        GROUP, VERSION, NAMESPACE, PLURAL, operation("op-3", "op")))


def is_killed(_):
    print("RESTART", flush=True)
    assert sys.stdin.readline() == "DONE\n"


def makes_more(story):
    makes_objects(story, ("late-0", "late-1"))


def deletes(story):
    for name in ("op-0", "late-1"):
        story.custom.delete_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL, name)
        story.deleted.append(name)
        refused(404, lambda: story.get(name))


def all_agree(story):
    for each in story.witnesses:
        await_true("the last to be seen by " + each.name,
                   lambda: each.problem or all(name in each.gone for name in story.deleted))
        try:
            each.agrees(story)
        except AssertionError as problem:
            raise AssertionError(f"{each.name}: {problem}") from None


STEPS = [starts_a_watch, starts_a_dynamic_watch, starts_kopf, makes_objects, pages, selects_by_field,
         patches, applies, refuses_what_is_stale, is_killed, makes_more, deletes, all_agree]


def main():
    print(f"kubernetes {kubernetes.__version__}, kopf {kopf.__version__}"
          if hasattr(kopf, "__version__") else f"kubernetes {kubernetes.__version__}, kopf")
    story = Story()
    failed = 0
    for step in STEPS:
        try:
            step(story)
        except Exception as problem:  # pylint: disable=broad-except
            where = traceback.extract_tb(problem.__traceback__)[1]
            print(f"FAILED: {step.__name__} (line {where.lineno}): {problem}", flush=True)
            failed += 1
    story.over.set()
    print(f"{len(STEPS)} steps, {len(story.acks)} acknowledged writes, {len(story.witnesses)} "
          f"witnesses, {failed} failures", flush=True)
    sys.exit(1 if failed else 0)


main()
