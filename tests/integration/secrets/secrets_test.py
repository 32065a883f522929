"""Secret values against the real server: outputs that go into Secrets are there before Ready,
whatever is killed, and nowhere else; tokens and client certificates over real TLS, rotated.

usage: secrets_test.py ASYNCOPS"""

import base64
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
for sibling in ("stack", "kubectl"):
    sys.path.insert(0, os.path.join(HERE, "..", sibling))

from cloud import Authority, Cloud
from secrets_check import files_with, holds, rows_with
from stack import ASYNCOPS, OPERATIONS, Server, await_true

SYSTEMS = ASYNCOPS + "/namespaces/default/externalsystems"
RESOURCES = ASYNCOPS + "/namespaces/default/asyncresources"
SECRETS = "/api/v1/namespaces/default/secrets"
EVENTS = "/api/v1/namespaces/default/events"
OPERATION_LIST = OPERATIONS + "/namespaces/default/asyncoperations"
KILLED = 137
FAULT_POINTS = ["AfterPollCall", "BeforeSecretWrite", "AfterSecretWrite"]


def system(name, cloud, **more):
    return {"apiVersion": "asyncops.dev/v1alpha1", "kind": "ExternalSystem",
            "metadata": {"name": name},
            "spec": {"endpoint": cloud.url, "preset": "AcceptedLocation",
                     "idempotency": {"in": "Header", "name": "Idempotency-Key"}, **more}}


def database(name, system_name):
    return {
        "apiVersion": "asyncops.dev/v1alpha1", "kind": "AsyncResource", "metadata": {"name": name},
        "spec": {
            "externalSystemRef": {"name": system_name},
            "create": {"submit": {"path": "/databases", "body": {"name": "${metadata.name}"}},
                       "poll": {"interval": {"initial": "200ms", "max": "400ms"}}},
            "outputs": [{"name": "id", "value": "/id"}, {"name": "hint", "value": "/hint"},
                        {"name": "password", "value": "/password",
                         "toSecret": {"name": name + "-db", "key": "password"}},
                        {"name": "dsn", "value": "/dsn",
                         "toSecret": {"name": name + "-db", "key": "dsn"}}],
            "retry": {"tiers": [{"delay": "300ms"}]},
            "deletionPolicy": "Orphan",
        },
    }


def secret(name, **values):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name},
            "data": {key: base64.b64encode(value.encode()).decode()
                     for key, value in values.items()}}


def ready(api, name):
    thing = api.get(f"{RESOURCES}/{name}")
    said = {each["type"]: each for each in thing.get("status", {}).get("conditions", [])}
    return thing if said.get("Ready", {}).get("status") == "True" else None


def await_ready(api, name):
    return await_true(lambda: f"{name}: {api.get(RESOURCES + '/' + name).get('status')}",
                      lambda: ready(api, name))


def kept(api, name, key="password"):
    return base64.b64decode(api.get(f"{SECRETS}/{name}-db")["data"][key]).decode()


def everything_shown(api):
    """What is answered to somebody with full rights, but for the Secrets."""
    for path in (RESOURCES, SYSTEMS, OPERATION_LIST, EVENTS):
        yield path, api.get(path)
    for each in api.list(OPERATION_LIST):
        path = f"{OPERATION_LIST}/{each['metadata']['name']}/history"
        yield path, api.get(path)


def check_nowhere_else(server, value):
    """The database's tables hold it in versions of Secrets alone; no other file and no answer does.
    Stops the server."""
    found = [path for path, answer in everything_shown(server.api()) if holds(answer, value)]
    assert not found, f"in answers: {found}"
    assert server.stop() == 0
    found = list(rows_with(os.path.join(server.data, "asyncops.db"), value))
    assert not found, f"in the database: {found}"
    found = list(files_with(server.files, value, but=("asyncops.db", "client.", "renewed.")))
    assert not found, f"in files: {found}"


def test_killed_around_the_secret(server):
    cloud = Cloud()
    server.start()
    server.api().create(SYSTEMS, system("plain", cloud))
    assert server.stop() == 0
    for point in FAULT_POINTS:
        name = "killed-" + point.lower()
        server.start(fault_point=point)
        server.api().create(RESOURCES, database(name, "plain"))
        await_true(f"the end of the server at {point}", lambda: not server.running())
        assert server.child.returncode == KILLED, server.log_text()
        server.start()
        thing = await_ready(server.api(), name)
        password = cloud.password(name)
        assert kept(server.api(), name) == password
        assert password in kept(server.api(), name, "dsn")
        assert thing["status"]["outputs"] == {"id": "db-" + name,
                                              "hint": "connect with [redacted]"}, thing
        check_nowhere_else(server, password)
        print(f"{point}: exit {KILLED}, restarted, Ready, the password in its Secret alone")
    assert cloud.creations == len(FAULT_POINTS), cloud.creations
    cloud.stop()


def test_a_secret_of_somebody_else(server):
    cloud = Cloud()
    server.start()
    api = server.api()
    api.create(SYSTEMS, system("taken", cloud))
    api.create(SECRETS, secret("taken-db", password="mine"))
    api.create(RESOURCES, database("taken", "taken"))
    await_true("the event SecretNotWritten", lambda: [
        each for each in api.list(EVENTS) if each["reason"] == "SecretNotWritten"])
    assert kept(api, "taken") == "mine" and cloud.creations == 0
    status, _ = api.send("DELETE", f"{SECRETS}/taken-db")
    assert status == 200, status
    await_ready(api, "taken")
    assert kept(api, "taken") == cloud.password("taken")
    # It goes with its owner.
    api.send("DELETE", f"{RESOURCES}/taken")
    await_true("the end of the Secret",
               lambda: api.send("GET", f"{SECRETS}/taken-db")[0] == 404)
    assert server.stop() == 0
    cloud.stop()
    print("a Secret of somebody else: nothing sent, seen, goes on when it is gone")


def test_tokens_and_certificates(server, authority):
    cloud = Cloud(authority)
    server.start()
    api = server.api()
    ca = base64.b64encode(authority.text("ca.pem").encode()).decode()
    api.create(SYSTEMS, system(
        "guarded", cloud,
        tls={"caBundle": ca, "clientCertificateSecretRef": {"name": "certificate"}},
        auth={"oauth2ClientCredentials": {
            "tokenURL": cloud.url + "/token", "clientIDSecretRef": {"name": "app", "key": "id"},
            "clientSecretRef": {"name": "app", "key": "secret"}, "scopes": ["databases"]}}))
    # Nothing is there yet: it waits, and comes to life with the last Secret.
    api.create(RESOURCES, database("first", "guarded"))
    await_true("the event CredentialsMissing", lambda: [
        each for each in api.list(EVENTS) if each["reason"] == "CredentialsMissing"])
    assert not cloud.tokens
    authority.issue("client", "extendedKeyUsage=clientAuth")
    api.create(SECRETS, secret("certificate", **{
        "tls.crt": authority.text("client.pem"), "tls.key": authority.text("client.key")}))
    api.create(SECRETS, secret("app", id="app", secret=cloud.client_secret))
    await_ready(api, "first")
    assert kept(api, "first") == cloud.password("first")
    assert cloud.clients == {"client"} and len(cloud.tokens) == 1, (cloud.clients, cloud.tokens)

    # The token is refused: one new one, and nobody notices.
    cloud.revoke()
    api.create(RESOURCES, database("second", "guarded"))
    await_ready(api, "second")
    assert len(cloud.tokens) == 2 and cloud.refused == 1, (cloud.tokens, cloud.refused)

    # Another client secret and another certificate: at the next call.
    authority.issue("renewed", "extendedKeyUsage=clientAuth")
    old_secret = cloud.client_secret
    with cloud.lock:
        cloud.client_secret = "renewed-" + old_secret
    cloud.revoke()
    api.merge(f"{SECRETS}/certificate", {"data": secret("certificate", **{
        "tls.crt": authority.text("renewed.pem"),
        "tls.key": authority.text("renewed.key")})["data"]})
    api.merge(f"{SECRETS}/app", {"data": secret("app", secret=cloud.client_secret)["data"]})
    api.create(RESOURCES, database("third", "guarded"))
    await_ready(api, "third")
    assert cloud.clients == {"client", "renewed"}, cloud.clients
    assert len(cloud.tokens) == 3, cloud.tokens
    values = [old_secret, cloud.client_secret, *cloud.tokens]
    for value in values:
        found = [path for path, answer in everything_shown(api) if holds(answer, value)]
        assert not found, f"in answers: {found}"
    check_nowhere_else(server, cloud.password("third"))
    assert cloud.creations == 3, cloud.creations
    cloud.stop()
    print("tokens and client certificates over TLS: renewed when refused, rotated, shown nowhere")


def main():
    with tempfile.TemporaryDirectory() as directory, Server(sys.argv[1], directory) as server:
        test_killed_around_the_secret(server)
        test_a_secret_of_somebody_else(server)
        certificates = os.path.join(directory, "certificates")
        os.mkdir(certificates)
        test_tokens_and_certificates(server, Authority(certificates))


main()
