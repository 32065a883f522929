"""What is stored and sent: objects as people write them, filled up to the size that a row names."""

OPERATIONS = "/apis/operations.asyncops.dev/v1alpha1/namespaces/{}/asyncoperations"
SYSTEMS = "/apis/asyncops.dev/v1alpha1/namespaces/{}/externalsystems"


def filler(size):
    """Members that take so many bytes of JSON, none of them long: 64 each, with the comma."""
    out = {}
    for number in range(size // 64):
        out[f"setting-{number:03}"] = f"value {number:03} of a volume, just as long as such are"
    rest = size % 64 - len('"rest":"",')
    if rest >= 0:
        out["rest"] = "x" * rest
    return out


def steps():
    return {
        "submit": {"method": "POST", "path": "/volumes",
                   "body": {"name": "${metadata.name}", "size": "${spec.parameters.size}"}},
        "poll": {"interval": {"initial": "1s", "max": "10s"}},
    }


def operation(namespace, name, fill):
    """Suspended, so that nothing is called; the controller writes its status once."""
    return {
        "apiVersion": "operations.asyncops.dev/v1alpha1",
        "kind": "AsyncOperation",
        "metadata": {"name": name, "namespace": namespace,
                     "labels": {"app.kubernetes.io/name": "bench", "team": "a"}},
        "spec": {"type": "Create", "suspend": True,
                 "externalSystemRef": {"name": "acme-cloud"},
                 "parameters": {"size": "10Gi", **filler(fill)},
                 **steps(),
                 "outputs": [{"name": "volumeID", "value": "/id"}]},
    }


def external_system(namespace, name, fill):
    return {
        "apiVersion": "asyncops.dev/v1alpha1",
        "kind": "ExternalSystem",
        "metadata": {"name": name, "namespace": namespace,
                     "labels": {"app.kubernetes.io/name": "bench", "team": "a"},
                     "annotations": filler(fill)},
        "spec": {"endpoint": "https://cloud.example.com/v1", "preset": "AcceptedLocation",
                 "idempotency": {"in": "Header", "name": "Idempotency-Key"},
                 "correlation": {"in": "Header", "name": "X-Correlation-Id"},
                 "limits": {"requestTimeout": "10s"}},
    }


def managed_fields():
    def tree(names):
        return {f"f:{name}": {} for name in names}
    return [{"manager": "kubectl-client-side-apply", "operation": "Update",
             "apiVersion": "asyncops.dev/v1alpha1", "time": "2030-01-01T00:00:00Z",
             "fieldsType": "FieldsV1",
             "fieldsV1": {
                 "f:metadata": {"f:annotations": tree(["note"]), "f:labels": tree(["team"])},
                 "f:spec": {".": {}, "f:create": {".": {}, "f:poll": tree(["interval"]),
                                                  "f:submit": tree(["body", "method", "path"])},
                            "f:delete": {".": {}, "f:submit": tree(["method", "path"])},
                            "f:externalSystemRef": {}, "f:outputs": {},
                            "f:parameters": tree(["size"])}}}]


def review(fill):
    """What kube-apiserver posts when somebody creates an AsyncResource."""
    kind = {"group": "asyncops.dev", "version": "v1alpha1", "kind": "AsyncResource"}
    resource = {"group": "asyncops.dev", "version": "v1alpha1", "resource": "asyncresources"}
    user = {"username": "jane@example.com", "uid": "1f6c",
            "groups": ["devs", "system:authenticated"]}
    deletion = {"submit": {"method": "DELETE", "path": "/volumes/${outputs.volumeID}"},
                "poll": {"interval": {"initial": "1s", "max": "10s"}}}
    return {
        "kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1",
        "request": {
            "uid": "705ab4f5-6393-11e8-b7cc-42010a800002", "kind": kind, "resource": resource,
            "requestKind": kind, "requestResource": resource, "name": "data-volume",
            "namespace": "team-a", "operation": "CREATE", "userInfo": user,
            "object": {
                "apiVersion": "asyncops.dev/v1alpha1", "kind": "AsyncResource",
                "metadata": {"name": "data-volume", "namespace": "team-a", "generation": 1,
                             "uid": "9f0e8d1c-0000-4000-8000-42010a800002",
                             "creationTimestamp": "2030-01-01T00:00:00Z",
                             "labels": {"team": "a"}, "annotations": {"note": "of the benchmark"},
                             "managedFields": managed_fields()},
                "spec": {"externalSystemRef": {"name": "acme-cloud"},
                         "parameters": {"size": "10Gi", **filler(fill)},
                         "create": steps(), "delete": deletion,
                         "outputs": [{"name": "volumeID", "value": "/id"}]}},
            "oldObject": None, "dryRun": False,
            "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"}},
    }
