"""What a person does with kubectl, in the order of a working day. Each case is a behaviour; a case
may build on those before it."""

import base64
import os
import re

from stack import ASYNCOPS, OPERATIONS, await_true

NS = "-n team-a"


def words(line):
    return line.split()


# --- what there is


def lists_the_resources(story):
    out = story.run("api-resources")
    out.matches(r"^asyncoperations +aop +operations\.asyncops\.dev/v1alpha1 +true +AsyncOperation$")
    out.matches(r"^asyncresources +ares +asyncops\.dev/v1alpha1 +true +AsyncResource$")
    out.matches(r"^externalsystems +xsys +asyncops\.dev/v1alpha1 +true +ExternalSystem$")
    out.matches(r"^namespaces +ns +v1 +false +Namespace$")
    out.matches(r"^secrets +v1 +true +Secret$")
    names = story.run("api-resources --api-group=asyncops.dev -o name").lines()
    assert sorted(names) == ["asyncresources.asyncops.dev", "externalsystems.asyncops.dev"], names
    story.run("api-resources --verbs=list --namespaced -o name").has("asyncoperations", "events")
    story.run("api-versions").has("asyncops.dev/v1alpha1", "operations.asyncops.dev/v1alpha1", "v1")


def tells_the_version(story):
    server = story.run("version -o json").json()["serverVersion"]
    assert re.fullmatch(r"v\d+\.\d+\.\d+\S*", server["gitVersion"]), server
    story.run("version").has("Server Version")


def explains_fields(story):
    story.run("explain asyncoperation.spec.poll").has("acceptors", "interval", "DESCRIPTION")
    story.run("explain asyncresource.metadata").has("labels", "annotations", "ownerReferences")
    story.run("explain asyncresource.spec.create.submit.path").has("path", "<string>")
    story.run("explain xsys.spec").has("endpoint", "preset")
    story.run("explain secret").has("stringData")
    story.refused("explain asyncresource.spec.nothing").has('"nothing" does not exist')
    # As the indentation of both printers: three spaces, or two of newer ones, a level.
    for name, fields in (("asyncoperation", ("submit", "acceptors", "initial", "failureDetails")),
                         ("asyncresource", ("create", "deletionPolicy", "toSecret", "outputs")),
                         ("externalsystem", ("bearerTokenSecretRef", "errorRules", "conditions")),
                         ("secret", ("stringData", "ownerReferences")),
                         ("namespace", ("finalizers", "phase")), ("event", ("involvedObject",))):
        out = story.run(f"explain {name} --recursive")
        for field in ("metadata", "labels", *fields):
            out.matches(rf"^ +{field}\s+<")


# --- declaring


def creates_a_namespace(story):
    story.run("create namespace team-a").has("namespace/team-a created")
    story.refused("create namespace team-a").has("AlreadyExists")
    story.run("get namespace team-a").matches(r"^team-a +Active +\S+$")


def creates_a_secret(story):
    story.run(f"create secret generic acme {NS} --from-literal=token={story.token}").has(
        "secret/acme created")
    value = story.run(f"get secret acme {NS} -o jsonpath={{.data.token}}", secret=True).out
    assert base64.b64decode(value).decode() == story.token, value
    story.run(f"get secrets {NS}").matches(r"^acme +Opaque +1 +\S+$")
    story.run(f"describe secret acme {NS}").has("Type: Opaque", "token:", "bytes")


def applies_core_kinds_twice(story):
    """kubectl patches what it knows from its own scheme by strategic merge patch."""
    secret = story.file("plain.yaml", """
apiVersion: v1
kind: Secret
metadata: {name: plain, namespace: team-a, labels: {of: tests}}
stringData: {user: somebody}
""")
    story.run(f"apply -f {secret}").has("secret/plain created")
    story.run(f"apply -f {secret}").has("secret/plain")
    with open(secret, encoding="utf-8") as file:
        changed = file.read().replace("somebody", "nobody").replace("of: tests", "of: changes")
    story.run(f"apply -f {story.file('plain.yaml', changed)}").has("secret/plain configured")
    value = story.run(f"get secrets {NS} -l of=changes -o jsonpath={{.items[0].data.user}}")
    assert base64.b64decode(value.out).decode() == "nobody", value.out
    namespace = story.sample("00-namespace.yaml")
    # The first one finds no last-applied annotation, and says that it adds it.
    story.run(f"apply -f {namespace}").has("namespace/team-a configured")
    story.run(f"apply -f {namespace}").has("namespace/team-a unchanged")
    story.run("label namespace team-a purpose=tests").has("namespace/team-a labeled")


def applies_external_systems(story):
    for kind in ("location", "lro", "jobs"):
        number = {"location": 20, "lro": 21, "jobs": 22}[kind]
        story.run(f"apply -f {story.sample(f'{number}-externalsystem-{kind}.yaml')}").has("created")
    out = story.run(f"get xsys {NS}")
    assert words(out.lines()[0]) == ["NAME", "PRESET", "ENDPOINT", "AGE"], out
    out.matches(r"^acme-lro .*GoogleLRO +http")


def refuses_mistakes_by_field_and_rule(story):
    out = story.refused(f"create -f {story.sample('invalid.yaml')}")
    out.has("spec.create.submit.headers[0]", "spec.create.submit.body.name", "metadata.nmae",
            "spec.create.poll.acceptors[1].when", "spec.create.poll.acceptors[1].state")
    story.refused(f"get ares broken-volume {NS}").has("NotFound")


def refuses_unknown_fields(story):
    path = story.sample("30-data-volume.yaml",
                        lambda text: text.replace("parameters:", "parametres:", 1))
    story.refused(f"create -f {path}").has("parametres")
    # Of a file kubectl keeps the last of two members; raw, the server sees both.
    twice = story.file("twice.json", '{"apiVersion":"asyncops.dev/v1alpha1","kind":"AsyncResource",'
                       '"metadata":{"name":"twice"},"spec":{"suspend":true,"suspend":true}}')
    story.refused(["create", "-f", twice, "--raw", f"{ASYNCOPS}/namespaces/team-a/asyncresources"
                   "?fieldValidation=Strict"]).has('duplicate field "spec.suspend"')
    story.refused(f"get ares twice {NS}").has("NotFound")


def applies_a_resource(story):
    path = story.sample("30-data-volume.yaml")
    story.run(f"apply --dry-run=server -f {path}").has("created (server dry run)")
    story.refused(f"get ares data-volume {NS}").has("NotFound")
    story.run(f"create --dry-run=server -f {path}").has("created (server dry run)")
    story.refused(f"get ares data-volume {NS}").has("NotFound")
    story.run(f"apply -f {path}").has("asyncresource.asyncops.dev/data-volume created")
    story.run(f"wait {NS} --for=condition=Ready --timeout=20s asyncresource/data-volume").has(
        "asyncresource.asyncops.dev/data-volume condition met")
    story.run(f"apply -f {path}").has("data-volume unchanged")
    changed = story.sample("30-data-volume.yaml", lambda text: text.replace(
        "name: data-volume", "name: data-volume\n  labels: {tier: gold}"))
    story.run(f"apply -f {changed}").has("data-volume configured")
    story.run(f"get ares {NS} -l tier=gold -o name").has("asyncresource.asyncops.dev/data-volume")


def watches_a_resource_become_ready(story):
    log = os.path.join(story.directory, "watch.txt")
    watch = story.start(f"get asyncresources {NS} -w", log)

    def watched():
        with open(log, encoding="utf-8") as file:
            return file.read()
    try:
        # Its list has come once the volume that is there already is shown.
        await_true("the watch's list", lambda: "data-volume" in watched())
        story.run(f"apply -f {story.sample('31-log-volume.yaml')}").has("created")
        await_true(lambda: "Ready in the watch:\n" + watched(),
                   lambda: re.search(r"^log-volume +Ready +True ", watched(), re.MULTILINE))
    finally:
        watch.kill()
        watch.wait()
    phases = [line.split()[1] for line in watched().splitlines() if line.startswith("log-volume ")]
    assert "Creating" in phases and phases.index("Creating") < phases.index("Ready"), watched()
    story.everything.append(watched())


# --- looking


def the_operation(story, resource):
    """The name of the operation that a resource made."""
    return story.run(f"get aop {NS} --field-selector spec.resourceRef.name={resource} "
                     "-o jsonpath={.items[0].metadata.name}").out


def shows_tables(story):
    out = story.run(f"get asyncresources {NS}")
    assert words(out.lines()[0]) == ["NAME", "PHASE", "READY", "OPERATION-ID", "RETRIES",
                                     "AGE"], out
    out.matches(r"^data-volume +Ready +True +op-\S+ +0 +\d+m?s$")
    wide = story.run(f"get asyncresources {NS} -o wide")
    assert words(wide.lines()[0])[-2:] == ["REASON", "URL"], wide
    wide.matches(r"^data-volume .* Available ")
    out = story.run(f"get asyncoperations {NS}")
    assert words(out.lines()[0]) == ["NAME", "TYPE", "RESOURCE", "PHASE", "STATE", "OPERATION-ID",
                                     "RETRIES", "AGE"], out
    out.matches(r"^data-volume-create-\S+ +Create +asyncresource/data-volume +Succeeded +Succeeded "
                r"+op-\S+ +0 ")
    wide = story.run(f"get asyncoperations {NS} -o wide")
    assert words(wide.lines()[0])[8:] == ["NEXT", "EXTERNAL-SYSTEM", "REASON", "URL"], wide
    story.run(f"get asyncresources,asyncoperations {NS}").has(
        "asyncresource.asyncops.dev/data-volume",
        "asyncoperation.operations.asyncops.dev/data-volume-create-")
    story.run(f"get asyncops {NS}").has("asyncresource.asyncops.dev/log-volume")
    everywhere = story.run("get asyncresources -A")
    everywhere.matches(r"^NAMESPACE +NAME ")
    everywhere.matches(r"^team-a +data-volume ")
    story.run(f"get ares data-volume {NS} --show-labels").has("tier=gold")
    story.run(f"get ares {NS} --sort-by=.metadata.name").has("data-volume", "log-volume")
    story.run(f"get ares {NS} --chunk-size=1").has("data-volume", "log-volume")
    story.run("get asyncresources").has("No resources found in default namespace.")


def prints_objects(story):
    out = story.run(f"get ares data-volume {NS} -o yaml")
    out.has("kind: AsyncResource", "phase: Ready", "type: AsyncOperationCompleted", "volumeID: vol-")
    # Hidden since 1.21.
    assert not story.at_least(21) or "managedFields" not in out.out, out
    value = story.run(f"get ares data-volume {NS} -o json").json()
    assert value["status"]["observedGeneration"] == value["metadata"]["generation"], value
    conditions = {each["type"]: each["status"] for each in value["status"]["conditions"]}
    assert conditions == {"Ready": "True", "AsyncOperation": "True", "TerminalError": "False",
                          "AsyncOperationPending": "False", "AsyncOperationCompleted": "True"}, value
    out = story.run(f"get ares {NS} -o name")
    assert sorted(out.lines()) == ["asyncresource.asyncops.dev/data-volume",
                                   "asyncresource.asyncops.dev/log-volume"], out
    volume = story.run(f"get ares data-volume {NS} -o jsonpath={{.status.outputs.volumeID}}").out
    assert volume.startswith("vol-"), volume
    story.run(f"get ares {NS} -o custom-columns=N:.metadata.name,P:.status.phase").matches(
        r"^log-volume +Ready$")
    story.run(f"get ares data-volume {NS} -o go-template={{{{.status.phase}}}}").matches("^Ready$")


def describes_conditions_and_events(story):
    operation = the_operation(story, "data-volume")
    story.run(f"describe asyncoperation {operation} {NS}").has(
        "Kind: AsyncOperation", "Conditions:", "AsyncOperationCompleted", "Events:", "Submitted",
        "Succeeded")
    story.run(f"describe ares data-volume {NS}").has("Conditions:", "Phase: Ready", "Events:")
    story.run(f"describe xsys acme-cloud {NS}").has("AcceptedLocation")
    story.run("describe namespace team-a").has("team-a", "Active")


def shows_events(story):
    out = story.run(f"get events {NS}")
    assert words(out.lines()[0]) == ["LAST", "SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"], out
    out.matches(r"^\S+ +Normal +Submitted +asyncoperation/data-volume-create-\S+ +\S")
    out = story.run(f"get events {NS} --field-selector reason=Succeeded,type=Normal")
    assert len(out.lines()) > 1 and all("Succeeded" in line for line in out.lines()[1:]), out
    if story.at_least(26):
        story.run(f"events {NS} --for=asyncresource/data-volume")


def reads_the_history(story):
    operation = the_operation(story, "data-volume")
    value = story.run(["get", "--raw", f"{OPERATIONS}/namespaces/team-a/asyncoperations/{operation}"
                       "/history"]).json()
    actions = [each["action"] for each in value["items"]]
    assert actions[0] == "Intent" and "Submit" in actions and "Poll" in actions, actions
    assert [each["sequence"] for each in value["items"]] == list(range(1, len(actions) + 1)), value
    path = f"{OPERATIONS}/namespaces/team-a/asyncoperations/{operation}/history"
    page = story.run(["get", "--raw", path + "?limit=1"]).json()
    assert len(page["items"]) == 1, page
    rest = story.run(["get", "--raw", path + "?continue=" + page["metadata"]["continue"]]).json()
    assert page["items"] + rest["items"] == value["items"], rest
    if story.at_least(32):
        out = story.run(f"get aop {operation} {NS} --subresource=history", secret=True)
        columns = ["TIME", "ACTION", "STATE", "STATUS", "CLASS", "NEXT"]
        assert words(out.lines()[0]) == columns, out
        out.matches(r"^\S+ +Intent +Intent ")
        out.matches(r"^\S+ +Submit +Submitted +202 ")


def reads_the_status(story):
    operation = the_operation(story, "data-volume")
    path = f"{OPERATIONS}/namespaces/team-a/asyncoperations/{operation}/status"
    assert story.run(["get", "--raw", path]).json()["status"]["phase"] == "Succeeded"
    if story.at_least(24):
        story.run(f"get aop {operation} {NS} --subresource=status").matches(
            rf"^{operation} +Create +asyncresource/data-volume +Succeeded ")
        story.run([*words(f"patch ares data-volume {NS} --subresource=status --type=merge -p"),
                   '{"status":{"progress":"as it was"}}']).has("data-volume patched")


def lists_the_operations_of_a_resource(story):
    path = f"{OPERATIONS}/namespaces/team-a/asyncresources/data-volume/asyncoperations"
    value = story.run(["get", "--raw", path]).json()
    assert value["kind"] == "AsyncOperationList", value
    assert [each["spec"]["resourceRef"]["name"] for each in value["items"]] == ["data-volume"], value
    value = story.run(["get", "--raw", path + "?fieldSelector=status.phase%3DFailed"]).json()
    assert value["items"] == [], value
    story.refused(["get", "--raw", path.replace("data-volume", "nothing")]).has("NotFound")


def acts_on_an_operation(story):
    """Suspended, so that nothing is sent outside."""
    operation = {"apiVersion": "operations.asyncops.dev/v1alpha1", "kind": "AsyncOperation",
                 "metadata": {"name": "on-hold", "namespace": "team-a"},
                 "spec": {"type": "Action", "externalSystemRef": {"name": "acme-cloud"},
                          "suspend": True, "submit": {"path": "/volumes"}}}
    story.run(f"create -f {story.file('on-hold.json', operation)}").has("on-hold created")
    base = f"{OPERATIONS}/namespaces/team-a/asyncoperations/on-hold"
    nothing = story.file("nothing.json", "{}")

    def post(action, path):
        return story.attempt(["create", "--raw", f"{base}/{action}", "-f", path])
    doubt = post("resolve", story.file("fail.json", {"outcome": "Fail"}))
    assert doubt.code == 1, doubt
    doubt.has("Conflict", "only an operation whose state is OutcomeUnknown can be resolved")
    out = post("resolve", story.file("guess.json", {"outcome": "Guess"}))
    assert out.code == 1, out
    out.has('Unsupported value: "Guess"')
    out = post("cancel?dryRun=All", nothing)
    assert out.code == 0 and out.json()["kind"] == "AsyncOperation", out
    annotations = story.run(["get", "--raw", base]).json()["metadata"].get("annotations", {})
    assert "asyncops.dev/cancel-requested-at" not in annotations, annotations
    out = post("cancel", nothing)
    assert out.code == 0, out
    assert "asyncops.dev/cancel-requested-at" in out.json()["metadata"]["annotations"], out
    story.run(f"wait {NS} --for=condition=AsyncOperationCompleted --timeout=20s aop/on-hold")
    out = story.run(f"get aop on-hold {NS} -o jsonpath={{.status.phase}}").out
    assert out == "Canceled", out
    over = post("cancel", nothing)
    assert over.code == 1, over
    over.has("Conflict", "the operation is over: its phase is Canceled")
    out = post("retry", nothing)
    assert out.code == 0, out
    story.run(f"delete aop on-hold {NS} --timeout=20s").has('"on-hold" deleted')


def selects_by_field_and_label(story):
    out = story.run(f"get aop {NS} --field-selector status.phase=Succeeded -o name")
    assert len(out.lines()) == 2, out
    story.run(f"get aop {NS} --field-selector status.phase=Failed").has("No resources found")
    story.refused(f"get aop {NS} --field-selector status.fase=Failed").has("status.fase")
    story.run(f"get ares {NS} -l tier!=gold -o name").has("log-volume")
    story.refused(f"get ares {NS} -l a=b=c").has("a=b=c")


def waits_for_conditions(story):
    operation = the_operation(story, "log-volume")
    story.run(f"wait {NS} --for=condition=AsyncOperationCompleted --timeout=20s "
              f"asyncoperation/{operation}").has("condition met")
    story.run(f"wait {NS} --for=condition=Ready --timeout=20s ares --all").has(
        "data-volume condition met", "log-volume condition met")
    if story.at_least(23):
        story.run(f"wait {NS} --for=jsonpath={{.status.phase}}=Ready --timeout=20s ares/log-volume")
    story.refused(f"wait {NS} --for=condition=TerminalError --timeout=1s ares/log-volume").has(
        "timed out")


# --- changing


def patches_annotates_and_labels(story):
    story.run([*words(f"patch ares data-volume {NS} --type=merge -p"),
               '{"metadata":{"annotations":{"note":"merged"}}}']).has("data-volume patched")
    story.run([*words(f"patch ares data-volume {NS} --type=json -p"),
               '[{"op":"replace","path":"/metadata/annotations/note","value":"replaced"}]']).has(
                   "data-volume patched")
    value = story.run(f"get ares data-volume {NS} -o jsonpath={{.metadata.annotations.note}}").out
    assert value == "replaced", value
    # Without a type kubectl sends a strategic merge patch: only core kinds have that.
    story.refused([*words(f"patch ares data-volume {NS} -p"),
                   '{"metadata":{"labels":{"a":"b"}}}']).has("application/merge-patch+json")
    story.refused([*words(f"patch ares data-volume {NS} --type=merge -p"),
                   '{"spec":{"deletionPolicy":"Burn"}}']).has("spec.deletionPolicy", "Burn")
    story.run(f"annotate ares data-volume {NS} owner=me").has(
        "data-volume annotate")  # "annotate" or "annotated", by version
    story.refused(f"annotate ares data-volume {NS} owner=you").has("--overwrite")
    story.run(f"label ares data-volume {NS} tier=silver --overwrite").has("data-volume labeled")
    story.run(f"label ares data-volume {NS} tier-").has("data-volume")
    story.run(f"get ares {NS} -l tier").has("No resources found")


def edits_in_an_editor(story):
    story.run(f"edit ares data-volume {NS}", KUBE_EDITOR="sed -i 's/note: .*/note: edited/'").has(
        "data-volume edited")
    value = story.run(f"get ares data-volume {NS} -o jsonpath={{.metadata.annotations.note}}").out
    assert value == "edited", value


def replaces_and_sees_conflicts(story):
    value = story.run(f"get ares data-volume {NS} -o json").json()
    value["metadata"]["annotations"]["note"] = "replaced as a whole"
    path = story.file("replaced.json", value)
    story.run(f"replace -f {path}").has("data-volume replaced")
    story.refused(f"replace -f {path}").has("Conflict", "the object has been modified")


def shows_a_diff(story):
    path = story.sample("30-data-volume.yaml", lambda text: text.replace(
        "name: data-volume", "name: data-volume\n  labels: {tier: bronze}"))
    out = story.attempt(f"diff -f {path}")
    assert out.code == 1, out
    out.matches(r"^\+ +tier: bronze$")


def is_told_what_is_not_there(story):
    story.refused(f"get asyncoperation nothing {NS}").has(
        'asyncoperations.operations.asyncops.dev "nothing" not found')
    story.refused("get pods").has("the server doesn't have a resource type")
    story.refused("create namespace No_Name").has("No_Name")
    story.refused(f"create secret generic other -n nowhere --from-literal=a=b").has("nowhere")


def is_refused_without_a_certificate(story):
    config = story.file("stranger.yaml", story.stranger())
    story.refused(f"--kubeconfig={config} --token=guessed get asyncresources").has("Unauthorized")
    out = story.attempt(f"--kubeconfig={config} get --raw /livez")
    assert out.code in (0, 1), out
    story.refused(f"--kubeconfig={config} --username=a --password=b get secrets {NS}")


# --- deleting


def waits_for_a_deletion(story):
    story.run(f"delete ares log-volume {NS} --wait=false").has('"log-volume" deleted')
    story.run(f"wait {NS} --for=delete --timeout=20s ares/log-volume")
    story.refused(f"get ares log-volume {NS}").has("NotFound")


def deletes_outside_too(story):
    assert story.cloud.stats()["existing"] == 1, story.cloud.stats()
    story.run(f"delete ares data-volume {NS} --timeout=30s").has('"data-volume" deleted')
    stats = story.cloud.stats()
    assert (stats["existing"], stats["created"], stats["deleted"]) == (0, 2, 2), stats
    story.refused(f"delete ares data-volume {NS}").has("NotFound")


def deletes_a_namespace_and_what_is_in_it(story):
    story.run(f"apply -f {story.sample('32-cache-volume.yaml')}").has("created")
    story.run(f"wait {NS} --for=condition=Ready --timeout=20s ares/cache-volume").has("condition met")
    story.refused("delete namespace default").has("this namespace may not be deleted")
    # It returns when all is gone, outside too.
    story.run("delete namespace team-a --timeout=40s").has('namespace "team-a" deleted')
    story.refused("get namespace team-a").has("NotFound")
    story.run("get asyncops,secrets -A").has("No resources found")
    stats = story.cloud.stats()
    assert (stats["existing"], stats["created"], stats["deleted"]) == (0, 3, 3), stats


IN_ORDER = [
    lists_the_resources, tells_the_version, explains_fields, creates_a_namespace, creates_a_secret,
    applies_core_kinds_twice, applies_external_systems, refuses_mistakes_by_field_and_rule,
    refuses_unknown_fields, applies_a_resource, watches_a_resource_become_ready, shows_tables,
    prints_objects, describes_conditions_and_events, shows_events, reads_the_history,
    reads_the_status, lists_the_operations_of_a_resource, acts_on_an_operation, selects_by_field_and_label, waits_for_conditions, patches_annotates_and_labels,
    edits_in_an_editor, replaces_and_sees_conflicts, shows_a_diff, is_told_what_is_not_there,
    is_refused_without_a_certificate, waits_for_a_deletion, deletes_outside_too,
    deletes_a_namespace_and_what_is_in_it,
]
