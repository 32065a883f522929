"""Deletions as people ask for them, with the kubectl on PATH against the real server.

usage: kubectl_test.py ASYNCOPS SIMCLOUD"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

from content import ASYNCOPS, CORE, fill, left_in, namespace, secret, with_token
from declarations import condition, is_ready
from stack import OPERATIONS, Server, Simcloud, await_true

SECRETS = f"{CORE}/default/secrets"


class Kubectl:
    """kubectl with a HOME of its own."""

    def __init__(self, server, directory):
        self.environment = {"PATH": os.environ["PATH"], "HOME": os.path.join(directory, "home"),
                            "KUBECONFIG": server.kubeconfig}
        os.makedirs(self.environment["HOME"])

    def run(self, command, stdin="", code=0):
        """stdout and stderr; AssertionError where it does not end with that code."""
        done = subprocess.run(["kubectl", *command.split()], input=stdin, capture_output=True,
                              text=True, timeout=60, check=False, env=self.environment)
        text = done.stdout + done.stderr
        assert done.returncode == code, f"$ kubectl {command}\n(exit {done.returncode})\n{text}"
        return text


def names(api, path=SECRETS):
    return sorted(item["metadata"]["name"] for item in api.list(path))


def family(api, finalizers=()):
    """An owner with two dependents and a grandchild."""
    owner = api.create(SECRETS, secret("owner"))
    child = api.create(SECRETS, secret("child", [owner], finalizers))
    api.create(SECRETS, secret("sibling", [owner]))
    api.create(SECRETS, secret("grandchild", [child]))


def deletes_in_the_background(api, kubectl, _cloud):
    family(api)
    kubectl.run("delete secret owner --cascade=background")
    await_true(lambda: f"no more secrets: {names(api)}", lambda: not names(api))


def deletes_in_the_foreground(api, kubectl, _cloud):
    family(api, ["a.example/x"])
    kubectl.run("delete secret owner --cascade=foreground --wait=false")
    await_true(lambda: f"child and owner alone: {names(api)}",
               lambda: names(api) == ["child", "owner"])
    owner = api.get(SECRETS + "/owner")
    assert owner["metadata"]["finalizers"] == ["foregroundDeletion"], owner
    api.merge(SECRETS + "/child", {"metadata": {"finalizers": None}})
    kubectl.run("wait --for=delete secret/owner --timeout=20s")
    assert not names(api), names(api)


def waits_for_a_foreground_deletion(api, kubectl, _cloud):
    family(api)
    kubectl.run("delete secret owner --cascade=foreground --timeout=20s")
    assert not names(api), names(api)


def lets_go_of_orphans(api, kubectl, _cloud):
    family(api)
    kubectl.run("delete secret owner --cascade=orphan --timeout=20s")
    assert names(api) == ["child", "grandchild", "sibling"], names(api)
    assert "ownerReferences" not in api.get(SECRETS + "/child")["metadata"]
    assert "ownerReferences" in api.get(SECRETS + "/grandchild")["metadata"]
    kubectl.run("delete secrets --all --timeout=20s")
    assert not names(api), names(api)


def deletes_all_of_a_selection(api, kubectl, _cloud):
    for number in range(3):
        api.create(SECRETS, secret(f"secret-{number}"))
    kubectl.run("label secret secret-1 keep=me")
    kubectl.run("delete secrets -l keep!=me --timeout=20s")
    assert names(api) == ["secret-1"], names(api)
    kubectl.run("delete secrets --all --timeout=20s")
    assert not names(api), names(api)


def deletes_a_collection(api, kubectl, _cloud):
    for number in range(3):
        api.create(SECRETS, secret(f"secret-{number}"))
    text = kubectl.run(f"delete --raw {SECRETS}?labelSelector=a!=b")
    assert json.loads(text)["kind"] == "SecretList", text
    assert not names(api), names(api)


def deletes_a_namespace(api, kubectl, cloud):
    fill(api, "doomed", cloud.url, 3, 20)
    await_true("the volumes outside", lambda: cloud.stats()["existing"] == 3)
    kubectl.run("delete namespace doomed --timeout=40s")
    kubectl.run("get namespace doomed", code=1)
    assert cloud.stats()["existing"] == 0, cloud.stats()
    await_true(lambda: f"nothing left: {left_in(api, 'doomed')}",
               lambda: not left_in(api, "doomed"))


def manifest(api, kubectl, cloud, name):
    """What a folder of manifests has of a namespace: credentials, a system and a volume that is Ready. Its text."""
    objects = with_token(name, cloud.url)
    text = "\n---\n".join(json.dumps(each) for each in objects)
    kubectl.run("apply -f -", stdin=text)
    resources = f"{ASYNCOPS}/namespaces/{name}/asyncresources"
    await_true("Ready", lambda: all(is_ready(each) for each in api.list(resources)))
    return text


def deletes_a_folder_with_its_namespace(api, kubectl, cloud):
    before = cloud.stats()
    text = manifest(api, kubectl, cloud, "folder")
    kubectl.run("delete -f - --timeout=50s", stdin=text)
    stats = cloud.stats()
    assert stats["existing"] == before["existing"], stats
    assert stats["deleted"] == before["deleted"] + 1, (before, stats)
    kubectl.run("get namespace folder", code=1)


def deletes_a_folder_in_any_order(api, kubectl, cloud):
    before = cloud.stats()
    text = manifest(api, kubectl, cloud, "loose")
    content = text.split("\n---\n")[1:]
    kubectl.run("delete -f - --wait=false", stdin="\n---\n".join(content))
    await_true(lambda: f"no volume: {cloud.stats()}",
               lambda: cloud.stats()["deleted"] == before["deleted"] + 1)

    def gone():
        left = left_in(api, "loose")
        return not {"secrets", "externalsystems", "asyncresources"} & set(left)
    await_true(lambda: f"nothing of it is left: {left_in(api, 'loose')}", gone)
    kubectl.run("delete namespace loose --timeout=40s")


def holds_a_system_that_is_used(api, kubectl, cloud):
    manifest(api, kubectl, cloud, "used")
    system = f"{ASYNCOPS}/namespaces/used/externalsystems/keyed"
    kubectl.run("-n used delete externalsystem keyed --wait=false")
    await_true("its condition", lambda: condition(api.get(system), "DeletionBlocked"))
    text = kubectl.run("-n used describe externalsystem keyed")
    assert "it is used by AsyncResource used-0" in text, text
    kubectl.run("-n used delete asyncresource used-0 --timeout=40s")
    kubectl.run("-n used wait --for=delete externalsystem/keyed --timeout=20s")
    kubectl.run("delete namespace used --timeout=40s")


def deletes_outside_once_in_the_foreground(api, kubectl, cloud):
    resources = f"{ASYNCOPS}/namespaces/fore/asyncresources"
    before = cloud.stats()
    fill(api, "fore", cloud.url, 1, 0)
    await_true("Ready", lambda: all(is_ready(each) for each in api.list(resources)))
    kubectl.run("-n fore delete asyncresource fore-0 --cascade=foreground --timeout=40s")
    left = left_in(api, "fore")
    assert "asyncresources" not in left and "asyncoperations" not in left, left
    stats = cloud.stats()
    assert stats["existing"] == before["existing"], stats
    assert stats["deleted"] == before["deleted"] + 1, (before, stats)


def keeps_what_tells_of_an_orphaned_resource(api, kubectl, cloud):
    resources = f"{ASYNCOPS}/namespaces/orphans/asyncresources"
    fill(api, "orphans", cloud.url, 1, 0)
    await_true("Ready", lambda: all(is_ready(each) for each in api.list(resources)))
    (made,) = left_in(api, "orphans")["asyncoperations"]
    kubectl.run("-n orphans delete asyncresource orphans-0 --cascade=orphan --timeout=40s")
    path = f"{OPERATIONS}/namespaces/orphans/asyncoperations/{made}"

    def released():
        return "asyncops.dev/resource" not in api.get(path)["metadata"].get("finalizers", [])
    await_true(lambda: f"the engine lets go of {api.get(path)}", released)
    metadata = api.get(path)["metadata"]
    assert "deletionTimestamp" not in metadata and "ownerReferences" not in metadata, metadata
    kubectl.run("delete namespace orphans --timeout=40s")


def says_what_holds_a_namespace(api, kubectl, _cloud):
    api.create(CORE, namespace("held"))
    api.create(f"{CORE}/held/secrets", secret("s", finalizers=["a.example/x"]))
    kubectl.run("delete namespace held --wait=false")

    def told():
        text = kubectl.run("describe namespace held")
        return all(each in text for each in (
            "Terminating", "NamespaceContentRemaining", "secrets. has 1 resource instances",
            "NamespaceFinalizersRemaining", "a.example/x in 1 resource instances"))
    await_true("the conditions", told)
    refused = kubectl.run("-n held create secret generic late", code=1)
    assert "because it is being terminated" in refused, refused
    assert "not found" in kubectl.run("-n nowhere create secret generic late", code=1)
    api.merge(f"{CORE}/held/secrets/s", {"metadata": {"finalizers": None}})
    kubectl.run("wait --for=delete namespace/held --timeout=20s")
    assert "may not be deleted" in kubectl.run("delete namespace default", code=1)


CASES = [deletes_a_folder_with_its_namespace, deletes_a_folder_in_any_order,
         holds_a_system_that_is_used,
         deletes_in_the_background, deletes_in_the_foreground, waits_for_a_foreground_deletion,
         lets_go_of_orphans, deletes_all_of_a_selection, deletes_a_collection, deletes_a_namespace,
         deletes_outside_once_in_the_foreground, keeps_what_tells_of_an_orphaned_resource,
         says_what_holds_a_namespace]


def main():
    asyncops, simcloud = sys.argv[1:3]
    if shutil.which("kubectl") is None:
        print("SKIPPED: no kubectl on PATH; apt-get install kubernetes-client")
        return
    failed = []
    with tempfile.TemporaryDirectory() as directory, \
            Simcloud(simcloud, directory, "200ms") as cloud, Server(asyncops, directory) as server:
        server.start()
        kubectl = Kubectl(server, directory)
        for case in CASES:
            try:
                case(server.api(), kubectl, cloud)
                print(f"{case.__name__}: holds", flush=True)
            except AssertionError as problem:
                failed.append(case.__name__)
                print(f"{case.__name__}: {problem}", flush=True)
        assert server.stop() == 0, server.log_text()[-2000:]
    assert not failed, failed


main()
