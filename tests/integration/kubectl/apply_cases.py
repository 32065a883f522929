"""Server-side apply as kubectl does it, in a namespace of its own. Cases build on those before."""

NS = "-n team-apply"


def system(name, retry="30s", **labels):
    return {"apiVersion": "asyncops.dev/v1alpha1", "kind": "ExternalSystem",
            "metadata": {"name": name, "namespace": "team-apply", "labels": labels},
            "spec": {"endpoint": "https://api.acme.example/v1", "preset": "AcceptedLocation",
                     "limits": {"requestTimeout": retry}}}


def owners(story, name):
    """{(manager, operation): fields} of an object, but for the server's own."""
    path = f"/apis/asyncops.dev/v1alpha1/namespaces/team-apply/externalsystems/{name}"
    value = story.run(["get", "--raw", path]).json()
    return {(each["manager"], each["operation"]): each["fieldsV1"]
            for each in value["metadata"].get("managedFields", [])
            if each["manager"] != "asyncops-reconciler"}


def version(story, name):
    return story.run(f"get xsys {name} {NS} -o jsonpath={{.metadata.resourceVersion}}").out


def applies_on_the_server(story):
    story.run("create namespace team-apply").has("created")
    path = story.file("served.json", system("served", tier="gold", note="kept"))
    story.run(f"apply --server-side --dry-run=server -f {path}").has("serverside-applied")
    story.refused(f"get xsys served {NS}").has("NotFound")
    story.run(f"apply --server-side -f {path}").has("served serverside-applied")
    # No operation uses it, and yet it gets its status.
    story.run(f"wait --for=condition=Ready xsys/served {NS} --timeout=30s").has("condition met")
    before = version(story, "served")
    story.run(f"apply --server-side -f {path}").has("served serverside-applied")
    assert version(story, "served") == before
    fields = owners(story, "served")
    assert list(fields) == [("kubectl", "Apply")], fields
    assert fields["kubectl", "Apply"]["f:spec"]["f:limits"] == {"f:requestTimeout": {}}, fields


def shows_managed_fields(story):
    shown = "--show-managed-fields" if story.at_least(21) else ""
    out = story.run(f"get xsys served {NS} -o yaml {shown}")
    out.has("manager: kubectl", "operation: Apply", "fieldsType: FieldsV1", "f:endpoint: {}")
    if story.at_least(21):
        assert "managedFields" not in story.run(f"get xsys served {NS} -o yaml").out


def is_told_of_conflicts(story):
    path = story.file("other.json", system("served", retry="40s", tier="gold"))
    out = story.refused(f"apply --server-side --field-manager=ci -f {path}")
    out.has('Apply failed with 1 conflict: conflict with "kubectl": .spec.limits.requestTimeout',
            "--force-conflicts")
    story.run(f"apply --server-side --field-manager=ci --force-conflicts -f {path}").has(
        "served serverside-applied")
    fields = owners(story, "served")
    assert set(fields) == {("ci", "Apply"), ("kubectl", "Apply")}, fields
    assert "f:limits" not in fields["kubectl", "Apply"]["f:spec"], fields
    story.run(f"label xsys served {NS} tier=silver --overwrite").has("labeled")
    out = story.refused(f"apply --server-side --field-manager=ci -f {path}")
    out.has("Apply failed with 1 conflict: conflict with", "using asyncops.dev/v1alpha1 at 20",
            ".metadata.labels.tier")


def removes_what_is_not_applied_any_more(story):
    path = story.file("fewer.json", system("served"))
    story.run(f"apply --server-side --force-conflicts -f {path}").has("served serverside-applied")
    labels = story.run(f"get xsys served {NS} -o json").json()["metadata"]["labels"]
    assert labels == {"tier": "silver"}, labels


def edits_what_is_applied(story):
    story.run(f"edit xsys served {NS}", KUBE_EDITOR="sed -i 's/requestTimeout: .*/requestTimeout: 7s/'"
              ).has("served edited")
    assert ("kubectl-edit", "Update") in owners(story, "served")


def goes_over_from_client_side_apply(story):
    path = story.file("moved.json", system("moved", tier="gold", note="old"))
    story.run(f"apply -f {path}").has("moved created")
    assert ("kubectl-client-side-apply", "Update") in owners(story, "moved")
    path = story.file("moved.json", system("moved", retry="50s", tier="bronze"))
    story.run(f"apply --server-side -f {path}").has("moved serverside-applied")
    fields = owners(story, "moved")
    assert ("kubectl", "Apply") in fields, fields
    if story.at_least(26):
        # It moves its own ownership by a JSON patch, so that what it applied before can go.
        assert ("kubectl-client-side-apply", "Update") not in fields, fields
        story.run(f"apply --server-side -f {path}").has("moved serverside-applied")
        labels = story.run(f"get xsys moved {NS} -o json").json()["metadata"]["labels"]
        assert labels == {"tier": "bronze"}, labels


def applies_core_kinds_on_the_server(story):
    secret = {"apiVersion": "v1", "kind": "Secret", "stringData": {"user": "somebody"},
              "metadata": {"name": "served", "namespace": "team-apply"}}
    path = story.file("served-secret.json", secret)
    for _ in range(2):
        story.run(f"apply --server-side -f {path}").has("secret/served serverside-applied")
    namespace = {"apiVersion": "v1", "kind": "Namespace",
                 "metadata": {"name": "team-apply", "labels": {"of": "tests"}}}
    story.run(f"apply --server-side -f {story.file('served-namespace.json', namespace)}").has(
        "namespace/team-apply serverside-applied")


def deletes_what_was_applied(story):
    story.run("delete namespace team-apply --timeout=40s").has('namespace "team-apply" deleted')


IN_ORDER = [
    applies_on_the_server,
    shows_managed_fields,
    is_told_of_conflicts,
    removes_what_is_not_applied_any_more,
    edits_what_is_applied,
    goes_over_from_client_side_apply,
    applies_core_kinds_on_the_server,
    deletes_what_was_applied,
]
