"""asyncops in the cluster: what manifests/base holds is applied as it is, but for where the server is.
It runs beside the cluster, on loopback, as the ServiceAccount that the manifests make for it."""

import json
import os

import pki
from cluster import HERE, Program, free_port
from stack import await_true

ROOT = os.path.join(HERE, "..", "..")
BASE = os.path.join(ROOT, "manifests", "base")
SELF_SIGNED = os.path.join(ROOT, "manifests", "overlays", "self-signed")
API_SERVICE = "v1alpha1.operations.asyncops.dev"
AVAILABLE_SECONDS = 40


def objects_of(text):
    """JSON objects that follow each other, the items of Lists among them."""
    decoder, at, found = json.JSONDecoder(), 0, []
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = decoder.raw_decode(text, at)
        found += value["items"] if value["kind"].endswith("List") else [value]
    return found


def rendered(cluster, folder=BASE):
    """The objects that kustomize makes of a folder of manifests."""
    text = cluster.run("kustomize", os.path.normpath(folder))
    return objects_of(cluster.run("create", "--dry-run=client", "--validate=false", "-o", "json",
                                  "-f", "-", stdin=text))


def apply(cluster, objects):
    listed = {"apiVersion": "v1", "kind": "List", "items": objects}
    return cluster.run("apply", "--server-side", "-f", "-", stdin=json.dumps(listed))


class AsyncopsServer(Program):
    """`asyncops serve` behind the cluster's kube-apiserver; may be started again and again."""

    def __init__(self, binary, cluster, directory):
        super().__init__(directory, "asyncops")
        self.binary = binary
        self.cluster = cluster
        self.directory = directory
        self.port = free_port()
        self.url = f"https://localhost:{self.port}"
        self.ca = pki.Authority(cluster.pki, "asyncops-ca")
        self.ca_file = pki.bundle(os.path.join(cluster.pki, "asyncops-cas.crt"), self.ca)
        self.account = self.namespace = self.host = None
        self.serving = None  # the files of its certificate and key; None: --self-signed
        self.token_file = os.path.join(directory, "token")
        self.more = []  # further flags

    # --- installing

    def install(self, self_signed=False):
        """With a certificate of a CA of ours in manifests/base, or with the overlay where it makes
        one itself."""
        objects = [self._reached_here(each)
                   for each in rendered(self.cluster, SELF_SIGNED if self_signed else BASE)]
        if not self_signed:
            for thing in objects:
                self._trust(thing)
        apply(self.cluster, objects)
        account = next(each for each in objects if each["kind"] == "ServiceAccount")
        self.account = account["metadata"]["name"]
        self.namespace = account["metadata"]["namespace"]
        if not self_signed:
            self.serving = self.ca.server("asyncops-serving", self.host)
        self.renew_token()

    def _reached_here(self, thing):
        """There is no Service network: a name of loopback, and ports, stand for the Service."""
        spec = thing.get("spec", {})
        if thing["kind"] == "Service":
            name, namespace = thing["metadata"]["name"], thing["metadata"]["namespace"]
            thing["spec"] = {"type": "ExternalName", "externalName": "localhost",
                             "ports": [{"port": self.port}]}
            self.host = f"{name}.{namespace}.svc"
        elif thing["kind"] == "APIService":
            spec["service"]["port"] = self.port
        for webhook in thing.get("webhooks", []):
            webhook["clientConfig"]["service"]["port"] = self.port
        return thing

    def _trust(self, thing):
        if thing["kind"] == "APIService":
            thing["spec"]["caBundle"] = pki.encoded(self.ca_file)
        for webhook in thing.get("webhooks", []):
            webhook["clientConfig"]["caBundle"] = pki.encoded(self.ca_file)

    def renew_token(self):
        """A new token of the ServiceAccount, in the file that the server reads."""
        pki.replace(self.token_file, self.cluster.run(
            "-n", self.namespace, "create", "token", self.account, "--duration=1h"))

    # --- running

    def _kubeconfig(self):
        path = os.path.join(self.directory, "asyncops.kubeconfig")
        pki.replace(path, f"""apiVersion: v1
kind: Config
clusters:
- name: test
  cluster: {{server: "{self.cluster.url}", certificate-authority: "{self.cluster.server_ca_file}"}}
users:
- name: asyncops
  user: {{tokenFile: "{self.token_file}"}}
contexts:
- name: test
  context: {{cluster: test, user: asyncops, namespace: {self.namespace}}}
current-context: test
""")
        return path

    def serve_command(self):
        certificate = ["--self-signed"]
        if self.serving is not None:
            certificate = ["--tls-cert-file", self.serving[0],
                           "--tls-private-key-file", self.serving[1]]
        return [
            self.binary, "serve", "--kubeconfig", self._kubeconfig(),
            "--data-dir", os.path.join(self.directory, "data"),
            "--bind-address", "127.0.0.1", "--secure-port", str(self.port),
            "--allow-outbound", "127.0.0.0/8", *certificate, *self.more]

    def serve(self):
        """Starts it, and waits until it serves."""
        start = self.start(self.serve_command())
        self.await_line(r"^asyncops \S+ serving on (\S+)$", start)

    def await_available(self):
        """Until kube-apiserver says that it can be used."""
        api = self.cluster.api()

        def condition():
            thing = api.get("/apis/apiregistration.k8s.io/v1/apiservices/" + API_SERVICE)
            return next((each for each in thing.get("status", {}).get("conditions", [])
                         if each["type"] == "Available"), {})
        await_true(lambda: f"{API_SERVICE} available: {condition()}",
                   lambda: condition().get("status") == "True", AVAILABLE_SECONDS)
