"""What the crash tests declare: systems that honour keys or do not, and volumes on them."""

SYSTEMS = "/namespaces/default/externalsystems"
RESOURCES = "/namespaces/default/asyncresources"


def external_system(name, cloud_url, with_key):
    spec = {"endpoint": cloud_url + "/v1", "preset": "AcceptedLocation",
            "correlation": {"in": "Header", "name": "X-Correlation-Id"},
            # What is tested is not how long a turn takes.
            "limits": {"requestTimeout": "5s", "requestsPerSecond": 10000}}
    if with_key:
        spec["idempotency"] = {"in": "Header", "name": "Idempotency-Key"}
    return {"apiVersion": "asyncops.dev/v1alpha1", "kind": "ExternalSystem",
            "metadata": {"name": name}, "spec": spec}


def volume(name, system):
    """No look-up: what is in doubt is settled by the key, or by nobody."""
    return {
        "apiVersion": "asyncops.dev/v1alpha1", "kind": "AsyncResource", "metadata": {"name": name},
        "spec": {
            "externalSystemRef": {"name": system},
            "create": {
                "submit": {"path": "/volumes", "body": {"name": "${metadata.name}"}},
                # The path is for adopting by ID: then there is no Location to poll.
                "poll": {"path": "/operations/${operation.id}",
                         "interval": {"initial": "200ms", "max": "1s"}},
            },
            "delete": {"submit": {"path": "/volumes/${outputs.volumeID}"},
                       "poll": {"interval": {"initial": "200ms", "max": "1s"}}},
            "outputs": [{"name": "volumeID", "value": "/id"}],
            "retry": {"tiers": [{"delay": "300ms"}]},
        },
    }


def condition(thing, kind):
    """The condition of that type, {} where there is none."""
    conditions = thing.get("status", {}).get("conditions", [])
    return next((each for each in conditions if each["type"] == kind), {})


def is_ready(thing):
    return condition(thing, "Ready").get("status") == "True"
