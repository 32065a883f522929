"""What cluster tests declare: namespaces, systems of the simulated cloud, volumes, operations."""

import cluster  # noqa: F401, it says where stack is
from stack import ASYNCOPS, OPERATIONS


def operations(namespace, name="", subresource=""):
    path = f"{OPERATIONS}/namespaces/{namespace}/asyncoperations"
    return "/".join(part for part in (path, name, subresource) if part)


def resources(namespace, name=""):
    path = f"{ASYNCOPS}/namespaces/{namespace}/asyncresources"
    return path + "/" + name if name else path


def systems(namespace):
    return f"{ASYNCOPS}/namespaces/{namespace}/externalsystems"


def namespace(name):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def system(cloud_url, name="cloud"):
    return {
        "apiVersion": "asyncops.dev/v1alpha1", "kind": "ExternalSystem", "metadata": {"name": name},
        "spec": {"endpoint": cloud_url + "/v1", "preset": "AcceptedLocation",
                 "idempotency": {"in": "Header", "name": "Idempotency-Key"},
                 "correlation": {"in": "Header", "name": "X-Correlation-Id"},
                 "limits": {"requestTimeout": "5s", "requestsPerSecond": 10000}}}


def volume(name, of="cloud"):
    return {
        "apiVersion": "asyncops.dev/v1alpha1", "kind": "AsyncResource", "metadata": {"name": name},
        "spec": {
            "externalSystemRef": {"name": of},
            "create": {"submit": {"path": "/volumes", "body": {"name": "${metadata.name}"}},
                       "poll": {"path": "/operations/${operation.id}",
                                "interval": {"initial": "200ms", "max": "1s"}}},
            "delete": {"submit": {"path": "/volumes/${outputs.volumeID}"},
                       "poll": {"interval": {"initial": "200ms", "max": "1s"}}},
            "outputs": [{"name": "volumeID", "value": "/id"}],
            "retry": {"tiers": [{"delay": "300ms"}]}}}


def idle_operation(name, of="cloud", **metadata):
    """One that waits: nothing of it is sent outside."""
    return {
        "apiVersion": "operations.asyncops.dev/v1alpha1", "kind": "AsyncOperation",
        "metadata": {"name": name, **metadata},
        "spec": {"type": "Action", "externalSystemRef": {"name": of}, "suspend": True,
                 "submit": {"path": "/volumes"}}}


def condition(thing, kind):
    """The condition of that type, {} where there is none."""
    conditions = thing.get("status", {}).get("conditions", [])
    return next((each for each in conditions if each["type"] == kind), {})


def is_ready(thing):
    return condition(thing, "Ready").get("status") == "True"
