"""What these tests fill namespaces with."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "stack"), os.path.join(HERE, "..", "crash")]

from declarations import external_system, volume  # noqa: E402
from stack import ASYNCOPS  # noqa: E402

CORE = "/api/v1/namespaces"
# Everything that may be in a namespace, by the folder of its API.
KINDS = [(ASYNCOPS, "asyncresources"), ("/apis/operations.asyncops.dev/v1alpha1", "asyncoperations"),
         (ASYNCOPS, "externalsystems"), ("/api/v1", "secrets"), ("/api/v1", "events")]


def namespace(name):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def secret(name, owners=(), finalizers=()):
    """`owners` are Secrets as they were read; each blocks its foreground deletion."""
    references = [{"apiVersion": "v1", "kind": "Secret", "name": owner["metadata"]["name"],
                   "uid": owner["metadata"]["uid"], "blockOwnerDeletion": True}
                  for owner in owners]
    metadata = {"name": name, "ownerReferences": references, "finalizers": list(finalizers)}
    return {"apiVersion": "v1", "kind": "Secret",
            "metadata": {key: value for key, value in metadata.items() if value}}


def fill(api, name, cloud_url, volumes, secrets):
    """A namespace with that many of each."""
    api.create(CORE, namespace(name))
    inside = f"{ASYNCOPS}/namespaces/{name}"
    api.create(f"{inside}/externalsystems", external_system("keyed", cloud_url, with_key=True))
    for number in range(volumes):
        api.create(f"{inside}/asyncresources", volume(f"{name}-{number}", "keyed"))
    for number in range(secrets):
        api.create(f"{CORE}/{name}/secrets", secret(f"secret-{number}"))


def with_token(name, cloud_url):
    """A namespace, a Secret, a system that needs it and a volume there, in the order of the samples."""
    inside = {"namespace": name}
    token = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "token"},
             "stringData": {"token": "s3cr3t"}}
    system = external_system("keyed", cloud_url, with_key=True)
    system["spec"]["auth"] = {"bearerTokenSecretRef": {"name": "token", "key": "token"}}
    objects = [token, system, volume(f"{name}-0", "keyed")]
    for each in objects:
        each["metadata"].update(inside)
    return [namespace(name), *objects]


def left_in(api, name):
    """{kind: names} of what a namespace still holds."""
    left = {}
    for prefix, kind in KINDS:
        items = api.list(f"{prefix}/namespaces/{name}/{kind}")
        if items:
            left[kind] = [item["metadata"]["name"] for item in items]
    return left
