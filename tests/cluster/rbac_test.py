"""Who may do what: view, edit, admin and nobody, on each verb and subresource, asked through
kube-apiserver and asked directly; who asks is the same either way."""

import json
import os

from caller import MERGE, TABLE, Caller
from declared import idle_operation, namespace, operations, resources, system
from stack import OPERATIONS, await_true
import world

HERE = "team-rbac"
ELSEWHERE = "team-other"
ROLES = {"viewer": "view", "editor": "edit", "manager": "admin", "nobody": None}
VIEW, EDIT, NEVER = {"viewer", "editor", "manager"}, {"editor", "manager"}, set()

# (what `kubectl auth can-i` calls it, method, path, body, content type, who may)
REQUESTS = [
    ("list asyncoperations", "GET", operations(HERE), None, None, VIEW),
    ("get asyncoperations", "GET", operations(HERE, "one"), None, None, VIEW),
    ("watch asyncoperations", "GET", operations(HERE) + "?watch=true&timeoutSeconds=1", None, None,
     VIEW),
    ("get asyncoperations/status", "GET", operations(HERE, "one", "status"), None, None, VIEW),
    ("get asyncoperations/history", "GET", operations(HERE, "one", "history"), None, None, VIEW),
    ("get asyncresources/asyncoperations", "GET",
     f"{OPERATIONS}/namespaces/{HERE}/asyncresources/parent/asyncoperations", None, None, VIEW),
    ("create asyncoperations", "POST", operations(HERE), "new", None, EDIT),
    ("patch asyncoperations", "PATCH", operations(HERE, "one"),
     {"metadata": {"labels": {"seen": "yes"}}}, MERGE, EDIT),
    ("update asyncoperations", "PUT", operations(HERE, "one"), "current", None, EDIT),
    ("create asyncoperations/retry", "POST", operations(HERE, "one", "retry"), {}, None, EDIT),
    ("create asyncoperations/resolve", "POST", operations(HERE, "one", "resolve"),
     {"outcome": "Fail"}, None, EDIT),
    ("create asyncoperations/cancel", "POST", operations(HERE, "one", "cancel"), {}, None, EDIT),
    ("patch asyncoperations/status", "PATCH", operations(HERE, "one", "status"),
     {"status": {"progress": "mine"}}, MERGE, NEVER),
    ("delete asyncoperations", "DELETE", operations(HERE, "one"), None, None, EDIT),
    ("deletecollection asyncoperations", "DELETE", operations(HERE), None, None, EDIT),
]


def _certificate(here, user):
    return here.cluster.client_ca.client(user)


def _through(here, user):
    return Caller(here.cluster.url, here.cluster.server_ca_file, _certificate(here, user))


def _direct(here, user):
    return Caller(here.asyncops.url, here.asyncops.ca_file, _certificate(here, user))


def _bound(here, api):
    """Whether RBAC has heard of the bindings and of the aggregated roles."""
    def allowed(user, verb, subresource):
        status, review = api.send("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
            "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
            "spec": {"user": user, "resourceAttributes": {
                "namespace": HERE, "verb": verb, "group": "operations.asyncops.dev",
                "resource": "asyncoperations", "subresource": subresource}}})
        assert status == 201, review
        return review["status"]["allowed"]
    return allowed("viewer", "get", "history") and allowed("manager", "create", "cancel")


def binds_the_roles_of_the_cluster(here):
    """Nothing is said of our kinds here: view, edit and admin know them by aggregation."""
    api = here.cluster.api()
    for name in (HERE, ELSEWHERE):
        api.create("/api/v1/namespaces", namespace(name))
    for user, role in ROLES.items():
        here.cluster.kubeconfig(user)
        if role is not None:
            here.cluster.run("-n", HERE, "create", "rolebinding", user, "--clusterrole=" + role,
                             "--user=" + user)
    api.create(f"/apis/asyncops.dev/v1alpha1/namespaces/{HERE}/externalsystems",
               system(here.cloud.url))
    parent = {"apiVersion": "asyncops.dev/v1alpha1", "kind": "AsyncResource",
              "metadata": {"name": "parent"},
              "spec": {"externalSystemRef": {"name": "cloud"}, "suspend": True,
                       "create": {"submit": {"path": "/volumes"}}}}
    api.create(resources(HERE), parent)
    api.create(operations(ELSEWHERE), idle_operation("hidden"))
    await_true("aggregated roles", lambda: _bound(here, api), 30)


def _prepare(here, body):
    """The object `one` anew, and the body that a request needs."""
    api = here.cluster.api()
    api.send("DELETE", operations(HERE, "one"))
    api.send("DELETE", operations(HERE, "new"))

    def gone():
        return api.send("GET", operations(HERE, "one"))[0] == 404
    await_true("the old operation gone", gone)
    current = api.create(operations(HERE), idle_operation("one"))
    if body == "new":
        return idle_operation("new")
    return current if body == "current" else body


def _matrix(here, callers):
    """What is not as the table says. Allowed means: whatever the answer, it is no refusal of who
    asks."""
    wrong = []
    for user in ROLES:
        for what, method, path, wanted_body, content_type, who in REQUESTS:
            body = _prepare(here, wanted_body)
            options = {} if content_type is None else {"content_type": content_type}
            status, answer = callers[user].ask(method, path, body, **options)
            if (status not in (401, 403)) != (user in who):
                wrong.append(f"{user}: {what}: {status} {json.dumps(answer)[:300]}")
    return wrong


def holds_the_matrix_through_the_aggregator(here):
    wrong = _matrix(here, {user: _through(here, user) for user in ROLES})
    assert not wrong, "\n".join(wrong)


def holds_the_matrix_when_asked_directly(here):
    """A client certificate of the cluster is known here too, and kube-apiserver is asked for RBAC."""
    wrong = _matrix(here, {user: _direct(here, user) for user in ROLES})
    assert not wrong, "\n".join(wrong)


def answers_can_i(here):
    """Of kinds only: kubectl finds no asyncresources in this group, where they are but a path."""
    wrong = []
    for user in ROLES:
        for what, *_, who in REQUESTS:
            verb, kind = what.split()
            if kind.startswith("asyncresources"):
                continue
            kind, _, subresource = kind.partition("/")
            words = ["-n", HERE, "auth", "can-i", verb, kind + ".operations.asyncops.dev"]
            try:
                said = here.cluster.run(*words, "--subresource=" + subresource, user=user)
            except AssertionError as problem:
                said = str(problem)
            if ("yes" in said.split()) != (user in who):
                wrong.append(f"{user} {what}: {said}")
    assert not wrong, "\n".join(wrong)


def shows_one_namespace_to_who_may_list_one(here):
    for caller in (_through(here, "viewer"), _direct(here, "viewer")):
        assert caller.ask("GET", operations(HERE))[0] == 200
        for path in (operations(ELSEWHERE), OPERATIONS + "/asyncoperations"):
            status, answer = caller.ask("GET", path)
            assert status == 403, (path, status, answer)
            assert 'User "viewer" cannot list resource "asyncoperations"' in answer["message"], answer


def tells_strangers_no_names(here):
    _prepare(here, None)
    for caller in (_through(here, "nobody"), _direct(here, "nobody")):
        said = []
        for name in ("one", "none"):
            status, answer = caller.ask("GET", operations(HERE, name))
            assert status == 403, answer
            said.append(answer["message"].replace(f'"{name}"', "NAME"))
        assert said[0] == said[1], said


def serves_tables_and_watches_through_the_aggregator(here):
    _prepare(here, None)
    caller = _through(here, "viewer")
    status, table = caller.ask("GET", operations(HERE), headers={"Accept": TABLE})
    assert status == 200 and table["kind"] == "Table", table
    assert "one" in [row["cells"][0] for row in table["rows"]], table
    watch = operations(HERE) + "?watch=true&resourceVersion=0&fieldSelector=metadata.name%3Done"
    events = caller.watch(watch, 1)
    assert (events[0]["type"], events[0]["object"]["metadata"]["name"]) == ("ADDED", "one"), events
    events = caller.watch(watch, 1, {"Accept": TABLE})
    assert events[0]["object"]["kind"] == "Table", events


def knows_tokens(here):
    here.cluster.run("-n", HERE, "create", "serviceaccount", "robot")
    here.cluster.run("-n", HERE, "create", "rolebinding", "robot", "--clusterrole=view",
                     f"--serviceaccount={HERE}:robot")
    token = here.cluster.run("-n", HERE, "create", "token", "robot").strip()
    robot = Caller(here.asyncops.url, here.asyncops.ca_file, token=token)
    await_true("the robot's binding", lambda: robot.ask("GET", operations(HERE))[0] == 200, 15)
    assert robot.ask("DELETE", operations(HERE, "one"))[0] == 403
    guesser = Caller(here.asyncops.url, here.asyncops.ca_file, token=token[:-4] + "AAAA")
    assert guesser.ask("GET", operations(HERE))[0] == 401


def believes_no_header_of_a_caller(here):
    viewer = _direct(here, "viewer")
    for headers in ({"X-Remote-User": "admin", "X-Remote-Group": "system:masters"},
                    {"Impersonate-User": "admin", "Impersonate-Group": "system:masters"}):
        status, answer = viewer.ask("DELETE", operations(HERE, "one"), headers=headers)
        assert status in (400, 401, 403), (headers, status, answer)
    admin = Caller(here.asyncops.url, here.asyncops.ca_file,
                   here.cluster.client_ca.client("admin", ["system:masters"]))
    status, answer = admin.ask("GET", operations(HERE), headers={"Impersonate-User": "nobody"})
    assert status != 200, "impersonation was ignored"
    # kube-apiserver impersonates, and it is the other one who comes through.
    status, answer = Caller(
        here.cluster.url, here.cluster.server_ca_file,
        here.cluster.client_ca.client("admin", ["system:masters"])).ask(
            "GET", operations(HERE), headers={"Impersonate-User": "nobody"})
    assert status == 403 and 'User "nobody"' in answer["message"], answer


def writes_down_who_asked(here):
    """In the audit log it is who kube-apiserver said it was, not kube-apiserver."""
    caller = Caller(here.cluster.url, here.cluster.server_ca_file,
                    here.cluster.client_ca.client("jane", ["readers", "writers"]))
    assert caller.ask("GET", operations(HERE))[0] == 403
    here.cluster.run("-n", HERE, "create", "rolebinding", "readers", "--clusterrole=view",
                     "--group=readers")
    await_true("the readers' binding", lambda: caller.ask("GET", operations(HERE))[0] == 200, 15)

    def found():
        with open(os.path.join(here.directory, "audit.log"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        return [each for each in lines if each.get("user") == "jane"]
    line = await_true("jane in the audit log", found, 10)[0]
    assert set(line["groups"]) == {"readers", "writers", "system:authenticated"}, line
    assert (line["verb"], line["objectRef"]["namespace"]) == ("list", HERE), line


def audited(here):
    here.asyncops.more = ["--audit-log-path", os.path.join(here.directory, "audit.log")]


world.run([binds_the_roles_of_the_cluster, holds_the_matrix_through_the_aggregator,
           holds_the_matrix_when_asked_directly, answers_can_i,
           shows_one_namespace_to_who_may_list_one, tells_strangers_no_names,
           serves_tables_and_watches_through_the_aggregator, knows_tokens,
           believes_no_header_of_a_caller, writes_down_who_asked], prepare=audited)
