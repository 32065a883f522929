"""`--self-signed` with the overlay's rights alone: it begins with nothing, makes its certificates, tells
kube-apiserver whom to trust, and renews them while requests go on."""

import base64
import os
import socket
import ssl

from asyncops_server import API_SERVICE
from caller import MERGE, Caller
from declared import idle_operation, namespace, operations, resources, system, systems, volume
from load import Load
import pki
from stack import await_true
import world

HERE = "team-signed"
SECRET = "/api/v1/namespaces/asyncops-system/secrets/asyncops-serving"
SERVICE = "/apis/apiregistration.k8s.io/v1/apiservices/" + API_SERVICE
WEBHOOK = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/asyncops"
ACCOUNT = "system:serviceaccount:asyncops-system:asyncops"
# It looks every ten seconds; a CA that is told of signs at a look after that.
LOOK_SECONDS = 30
AFTER_SECONDS = 3


def _kept(here):
    """What the Secret holds, name -> PEM."""
    return {name: base64.b64decode(value).decode()
            for name, value in here.cluster.api().get(SECRET)["data"].items()}


def _keep(here, changed):
    """Puts what is named, in PEM or other text, into the Secret."""
    here.cluster.api().merge(SECRET, {"data": {name: base64.b64encode(text.encode()).decode()
                                               for name, text in changed.items()}})


def _told(here):
    """The bundles that kube-apiserver trusts: of the APIService, and of each webhook."""
    api = here.cluster.api()
    bundles = [api.get(SERVICE)["spec"].get("caBundle", "")]
    bundles += [each["clientConfig"].get("caBundle", "") for each in api.get(WEBHOOK)["webhooks"]]
    return [base64.b64decode(each).decode() for each in bundles]


def _certificates(pem):
    end = "-----END CERTIFICATE-----\n"
    return [part + end for part in pem.split(end) if part.strip()]


def _served(here):
    """The certificate that a connection is shown whose client trusts what kube-apiserver trusts."""
    context = ssl.create_default_context(cadata=_told(here)[0])
    with socket.create_connection(("127.0.0.1", here.asyncops.port), timeout=10) as plain, \
            context.wrap_socket(plain, server_hostname="asyncops.asyncops-system.svc") as tls:
        return ssl.DER_cert_to_PEM_cert(tls.getpeercert(True))


def _served_if_trusted(here):
    """The same; None of a certificate that kube-apiserver would not trust."""
    try:
        return _served(here)
    except ssl.SSLCertVerificationError:
        return None


def _reissued(here, name, days, signer=None):
    kept = _kept(here)
    return pki.reissued(os.path.join(here.directory, "reissued"), kept[name + ".crt"],
                        kept[name + ".key"], days, signer)


# --- the load


def _aggregated(here, lane):
    """Through kube-apiserver, on new connections."""
    caller = Caller(here.cluster.url, here.cluster.server_ca_file,
                    here.cluster.client_ca.client("loader", ["system:masters"]))
    mine = operations(HERE, f"mine-{lane}")

    def ask(turn):
        patch = {"metadata": {"labels": {"turn": str(turn)}}}
        yield "list", *caller.ask("GET", operations(HERE))
        yield "patch", *caller.ask("PATCH", mine, patch, MERGE)
        # The webhook judges it.
        yield "declare", *caller.ask("PATCH", resources(HERE, "judged"), patch, MERGE)
    return ask


def _direct(here):
    """As kube-apiserver comes: who is trusted is what the APIService says now."""
    api, certificate = here.cluster.api("follower", ["system:masters"]), here.cluster.client_ca.client(
        "follower", ["system:masters"])
    path = os.path.join(here.directory, "followed.crt")

    def ask(_):
        bundle = api.get(SERVICE)["spec"]["caBundle"]
        pki.replace(path, base64.b64decode(bundle).decode())
        yield "direct", *Caller(here.asyncops.url, path, certificate).ask("GET", operations(HERE))
    return ask


def _under_load(here, change):
    with Load([_aggregated(here, 0), _aggregated(here, 1), _direct(here)]) as load:
        await_true("load", lambda: load.count > 20)
        change()
        load.wait(AFTER_SECONDS)
    load.assert_nothing_failed()


# --- the cases


def makes_all_it_needs_and_tells_of_it(here):
    kept = _kept(here)
    assert here.cluster.api().get(SECRET)["type"] == "kubernetes.io/tls"
    assert len(_certificates(kept["ca.crt"])) == 1, kept["ca.crt"]
    assert _told(here) == [kept["ca.crt"]] * len(_told(here)) and len(_told(here)) > 1
    assert _served(here) == kept["tls.crt"]
    api = here.cluster.api()
    api.create("/api/v1/namespaces", namespace(HERE))
    api.create(systems(HERE), system(here.cloud.url))
    api.create(resources(HERE), {**volume("judged"), "spec": {**volume("judged")["spec"],
                                                              "suspend": True}})
    for lane in range(2):
        api.create(operations(HERE), idle_operation(f"mine-{lane}"))
    out = here.cluster.run("-n", HERE, "get", "asyncoperations", "-o", "name").split()
    assert {f"asyncoperation.operations.asyncops.dev/mine-{lane}" for lane in (0, 1)} <= set(out), out


def may_do_nothing_else(here):
    """What the overlay gives is for these names."""
    for allowed, *words in (
            ("yes", "patch", "apiservices/" + API_SERVICE), ("no", "patch", "apiservices/v1.apps"),
            ("no", "patch", "validatingwebhookconfigurations/others"),
            ("yes", "update", "secrets/asyncops-serving", "-n", "asyncops-system"),
            ("no", "update", "secrets/others", "-n", "asyncops-system"),
            ("no", "list", "secrets", "-n", "asyncops-system")):
        try:
            said = here.cluster.run("auth", "can-i", *words, "--as=" + ACCOUNT)
        except AssertionError as problem:
            said = str(problem)
        assert allowed in said.split(), (words, said)


def uses_the_same_secret_when_it_starts_again(here):
    before, version = _served(here), here.cluster.api().get(SECRET)["metadata"]["resourceVersion"]
    here.asyncops.kill()
    here.asyncops.serve()
    here.asyncops.await_available()
    # "Available" may still be said of the process before, and this one show its placeholder.
    await_true("the same certificate", lambda: _served_if_trusted(here) == before, LOOK_SECONDS)
    assert here.cluster.api().get(SECRET)["metadata"]["resourceVersion"] == version


def renews_its_certificate_at_two_thirds_of_its_life(here):
    before = _served(here)

    def change():
        kept = _kept(here)
        _keep(here, {"tls.crt": _reissued(here, "tls", (-250, 115), (kept["signing-ca.crt"],
                                                                    kept["signing-ca.key"]))})
        await_true("a new certificate", lambda: _served(here) not in (before, _kept(here)["ca.crt"])
                   and _served(here) == _kept(here)["tls.crt"], LOOK_SECONDS)
    _under_load(here, change)
    assert len(_certificates(_told(here)[0])) == 1, "its CA had no reason to go"


def renews_its_ca_with_both_in_the_bundle(here):
    """The successor is told of first, and signs when it was known for an hour; the old one goes when
    nothing that it signed holds any more. Time is moved by certificates that say they are older."""
    before = _served(here)

    def successor_is_told():
        _keep(here, {"signing-ca.crt": _reissued(here, "signing-ca", (-2500, 1150))})
        await_true("a successor", lambda: "successor-ca.crt" in _kept(here), LOOK_SECONDS)
        await_true("both told", lambda: set(_told(here)) == {_kept(here)["ca.crt"]}, LOOK_SECONDS)
        assert len(_certificates(_told(here)[0])) == 2, _told(here)
        assert _served(here) == before, "it signed before it was known"

    def successor_signs():
        _keep(here, {"successor-ca.crt": _reissued(here, "successor-ca", (-0.1, 3650))})
        await_true("it signs", lambda: "retired-ca.crt" in _kept(here), LOOK_SECONDS)
        await_true("what it signed is served", lambda: _served(here) == _kept(here)["tls.crt"],
                   LOOK_SECONDS)
        assert _served(here) != before and len(_certificates(_told(here)[0])) == 2
        assert "signing-ca.key" in _kept(here) and "retired-ca.key" not in _kept(here)

    def old_one_goes():
        _keep(here, {"retired-ca-until": "2020-01-01T00:00:00Z"})
        await_true("one CA told", lambda: {len(_certificates(each)) for each in _told(here)} == {1},
                   LOOK_SECONDS)

    def change():
        successor_is_told()
        successor_signs()
        old_one_goes()
    _under_load(here, change)


def puts_back_what_was_taken_from_the_bundles(here):
    api = here.cluster.api()
    api.merge(SERVICE, {"spec": {"caBundle": None}})
    status, answer = api.send("PATCH", WEBHOOK, [{"op": "remove",
                                                  "path": "/webhooks/0/clientConfig/caBundle"}],
                              "application/json-patch+json")
    assert status == 200, answer
    await_true("told again", lambda: set(_told(here)) == {_kept(here)["ca.crt"]}, LOOK_SECONDS)
    here.asyncops.await_available()


def begins_anew_where_the_secret_is_deleted(here):
    """As docs/operations.md says of a CA whose key was seen."""
    old = _kept(here)["ca.crt"]
    status, answer = here.cluster.api().send("DELETE", SECRET)
    assert status == 200, answer
    await_true("a new Secret", lambda: here.cluster.api().send("GET", SECRET)[0] == 200, LOOK_SECONDS)
    assert _kept(here)["ca.crt"] != old
    await_true("it told", lambda: set(_told(here)) == {_kept(here)["ca.crt"]}, LOOK_SECONDS)
    here.asyncops.await_available()
    await_true("kubectl works", lambda: here.cluster.api().send("GET", operations(HERE))[0] == 200,
               LOOK_SECONDS)


def begins(here):
    """With the overlay applied, and nothing else made beforehand."""
    here.asyncops.install(self_signed=True)
    api = here.cluster.api()
    assert api.send("GET", SECRET)[0] == 404 and set(_told(here)) == {""}
    here.asyncops.serve()
    here.asyncops.await_available()


world.run([begins, makes_all_it_needs_and_tells_of_it, may_do_nothing_else,
           uses_the_same_secret_when_it_starts_again,
           renews_its_certificate_at_two_thirds_of_its_life, renews_its_ca_with_both_in_the_bundle,
           puts_back_what_was_taken_from_the_bundles, begins_anew_where_the_secret_is_deleted],
          serve=False)
