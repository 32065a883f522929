"""Certificates, CAs and tokens change under a steady load, and no request fails.

usage: rotation_test.py ASYNCOPS SIMCLOUD CACHE DIRECTORY [CASE-PART]; ROTATIONS of the environment: how
often the serving certificate and the token change in a row"""

import os
import socket
import ssl
import time

from caller import MERGE, Caller
from declared import idle_operation, is_ready, namespace, operations, resources, system, systems
from declared import volume
from load import Load
from mirror import Mirror
import pki
from stack import await_true
import world

HERE = "team-turn"
# kube-apiserver looks at its files once a minute where it hears of no change.
FILE_SECONDS = 75
# How long a change is watched for requests that fail after it.
AFTER_SECONDS = 2
# Within this time asyncops has looked at its token's file again.
TOKEN_SECONDS = 3
# kube-apiserver takes a token for good for ten seconds that it has seen.
REMEMBERED_SECONDS = 30
# Within this time asyncops has heard of a change by its watch.
NOTICED_SECONDS = 2
LANES = 3
ROTATIONS = int(os.environ.get("ROTATIONS", "3"))
CONFIG_MAP = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication"


def _source(here, name, lane):
    """Of a load: lists, gets and patches, as the caller of that name is then."""
    mine = f"{name}-{lane}"

    def ask(turn):
        for method, path, body, options in (
                ("GET", operations(HERE) + "?limit=20", None, {}),
                ("GET", operations(HERE, mine), None, {}),
                ("PATCH", operations(HERE, mine), {"metadata": {"labels": {"turn": str(turn)}}},
                 {"content_type": MERGE})):
            yield f"{name}: {method} {path}", *here.callers[name].ask(method, path, body, **options)
    return ask


def _under_load(here, change):
    """change() while requests go on, and for a while after it."""
    with Load(_source(here, name, lane) for name in here.callers for lane in range(LANES)) as load:
        await_true("load", lambda: load.count > 30)
        change()
        load.wait(AFTER_SECONDS)
    load.assert_nothing_failed()
    _operations_still_end(here)


def _operations_still_end(here):
    """What the engine needs of kube-apiserver works, too: a declaration becomes Ready."""
    here.volumes = getattr(here, "volumes", 0) + 1
    api, name = here.cluster.api(), f"volume-{here.volumes}"
    status, answer = api.send("POST", resources(HERE), volume(name))
    assert status == 201, answer
    await_true(f"{name} Ready", lambda: is_ready(api.get(resources(HERE, name))), 40)


def _serial_served(here):
    """The certificate that a new connection to asyncops is shown."""
    context = ssl.create_default_context(cafile=here.asyncops.ca_file)
    with socket.create_connection(("127.0.0.1", here.asyncops.port), timeout=10) as plain, \
            context.wrap_socket(plain, server_hostname="localhost") as tls:
        return tls.getpeercert()["serialNumber"]


def prepares(here):
    api = here.cluster.api()
    api.create("/api/v1/namespaces", namespace(HERE))
    api.create(systems(HERE), system(here.cloud.url))
    for name in ("aggregated", "direct"):
        for lane in range(LANES):
            api.create(operations(HERE), idle_operation(f"{name}-{lane}"))
    # An ordinary user, for whom kube-apiserver is asked with the token.
    here.cluster.run("create", "clusterrolebinding", "loader", "--clusterrole=edit", "--user=loader")
    _renew_callers(here)
    await_true("the loader's rights", lambda: all(
        each.ask("GET", operations(HERE))[0] == 200 for each in here.callers.values()), 30)
    _under_load(here, lambda: None)


def _renew_callers(here):
    """The load's clients, with a certificate of the client CA that is now the cluster's."""
    certificate = here.cluster.client_ca.client("loader")
    aggregated = Caller(here.cluster.url, here.cluster.server_ca_file, certificate)
    direct = Caller(here.asyncops.url, here.asyncops.ca_file, certificate)
    if not hasattr(here, "callers"):
        here.callers = {}
    # A load that goes on takes these from now on.
    here.callers.update(aggregated=aggregated, direct=direct)


def _serve_with(here, authority):
    """A new serving certificate of that CA, in the files that the server reads."""
    before = _serial_served(here)
    certificate, key = authority.server("next-serving", here.asyncops.host)
    for old, new in zip(here.asyncops.serving, (certificate, key)):
        pki.replace(old, pki.read(new))
    await_true("the new certificate served", lambda: _serial_served(here) != before, FILE_SECONDS)


def renews_the_serving_certificate(here):
    _under_load(here, lambda: _serve_with(here, here.asyncops.ca))


def _tell_ca_bundle(here):
    """Puts the CAs of the file into APIService and webhook configuration."""
    bundle = pki.encoded(here.asyncops.ca_file)
    patch = [{"op": "replace", "path": "/spec/caBundle", "value": bundle}]
    api = here.cluster.api()
    status, answer = api.send(
        "PATCH", "/apis/apiregistration.k8s.io/v1/apiservices/v1alpha1.operations.asyncops.dev",
        patch, "application/json-patch+json")
    assert status == 200, answer
    path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
    for each in api.list(path):
        patch = [{"op": "replace", "path": f"/webhooks/{index}/clientConfig/caBundle",
                  "value": bundle} for index in range(len(each["webhooks"]))]
        status, answer = api.send("PATCH", path + "/" + each["metadata"]["name"], patch,
                                  "application/json-patch+json")
        assert status == 200, answer
    # The aggregator hears of it by a watch.
    time.sleep(2)


def changes_the_serving_ca(here):
    old, new = here.asyncops.ca, pki.Authority(here.cluster.pki, "asyncops-ca-2")

    def change():
        pki.bundle(here.asyncops.ca_file, old, new)
        _tell_ca_bundle(here)
        _renew_callers(here)
        _serve_with(here, new)
        pki.bundle(here.asyncops.ca_file, new)
        _tell_ca_bundle(here)
    _under_load(here, change)
    here.asyncops.ca = new


def _await_told(here, key, authority):
    """Until the ConfigMap, from which asyncops knows its CAs, has this one."""
    api, wanted = here.cluster.api(), pki.read(authority.certificate)
    await_true(f"the CA in {key}", lambda: wanted in api.get(CONFIG_MAP)["data"][key], FILE_SECONDS)
    time.sleep(NOTICED_SECONDS)


def _forget(here, key, path):
    """Takes out of the ConfigMap what the file does not hold: kube-apiserver only ever adds to it, as
    others of its kind may still use the rest."""
    api = here.cluster.api()
    status, answer = api.send("PATCH", CONFIG_MAP, {"data": {key: pki.read(path)}}, MERGE)
    assert status == 200, answer
    time.sleep(NOTICED_SECONDS)
    assert api.get(CONFIG_MAP)["data"][key] == pki.read(path), "kube-apiserver put it back"


def changes_the_front_proxy_ca(here):
    old, new = here.cluster.front_proxy_ca, pki.Authority(here.cluster.pki, "front-proxy-ca-2")
    key, path = "requestheader-client-ca-file", here.cluster.front_proxy_ca_file

    def change():
        pki.bundle(path, old, new)
        _await_told(here, key, new)
        with Mirror(here.cluster, path) as mirror:
            await_true("the old certificate shown", lambda: mirror.issuer() == "front-proxy-ca", 30)
            show_next(mirror)
        pki.bundle(path, new)
        _forget(here, key, path)

    def show_next(mirror):
        issued = new.client("front-proxy-client", name="next-front-proxy-client")
        for current, fresh in zip(here.cluster.front_proxy, issued):
            pki.replace(current, pki.read(fresh))
        await_true("the new certificate shown", lambda: mirror.issuer() == "front-proxy-ca-2",
                   FILE_SECONDS)
    _under_load(here, change)
    here.cluster.front_proxy_ca = new


def changes_the_client_ca(here):
    old, new = here.cluster.client_ca, pki.Authority(here.cluster.pki, "client-ca-2")
    key, path = "client-ca-file", here.cluster.client_ca_file

    def change():
        pki.bundle(path, old, new)
        _await_told(here, key, new)
        here.cluster.client_ca = new
        _renew_callers(here)
        # Requests with the old certificate end.
        time.sleep(1)
        pki.bundle(path, new)
        _forget(here, key, path)
    _under_load(here, change)
    here.cluster.kubeconfig()
    late = Caller(here.asyncops.url, here.asyncops.ca_file, old.client("late", ["system:masters"]))
    assert late.ask("GET", operations(HERE))[0] == 401, "the old CA is still trusted"


def _bound_token(here, name):
    """A new token in the file, which ends when the Secret of that name is deleted."""
    account = here.asyncops
    here.cluster.api().create(f"/api/v1/namespaces/{account.namespace}/secrets", {
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}})
    pki.replace(account.token_file, here.cluster.run(
        "-n", account.namespace, "create", "token", account.account, "--duration=1h",
        "--bound-object-kind=Secret", "--bound-object-name=" + name))


def _end_token(here, name):
    status, answer = here.cluster.api().send(
        "DELETE", f"/api/v1/namespaces/{here.asyncops.namespace}/secrets/{name}")
    assert status == 200, answer


def renews_the_token(here):
    """Tokens bound to a Secret: with the Secret the old one ends, and by then the new one is used."""
    account = here.asyncops
    _bound_token(here, "first-token")
    old = Caller(here.cluster.url, here.cluster.server_ca_file,
                 token=pki.read(account.token_file).strip())
    account.kill()
    account.serve()
    account.await_available()

    def change():
        _bound_token(here, "second-token")
        time.sleep(TOKEN_SECONDS)
        _end_token(here, "first-token")
        await_true("the old token refused", lambda: old.ask("GET", "/api")[0] == 401,
                   REMEMBERED_SECONDS)
    _under_load(here, change)


def renews_certificate_and_token_in_a_row(here):
    def change():
        for turn in range(ROTATIONS):
            _bound_token(here, f"token-{turn}")
            _serve_with(here, here.asyncops.ca)
            if turn > 1:
                _end_token(here, f"token-{turn - 2}")
    _under_load(here, change)
    print(f"  {ROTATIONS} rotations", flush=True)


world.run([prepares, renews_the_serving_certificate, changes_the_serving_ca,
           changes_the_front_proxy_ca, changes_the_client_ca, renews_the_token,
           renews_certificate_and_token_in_a_row])
