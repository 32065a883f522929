"""A real Kubernetes on loopback: etcd, kube-apiserver and kube-controller-manager, their certificates
and logs in one directory. It has no nodes: nothing that is a Pod ever runs. Run as a program it is
play.py."""

import os
import random
import socket
import ssl
import subprocess
import sys
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "integration", "stack"))

import pki
from stack import Api, Child, await_true

ADMIN = "admin"
CONTROLLERS = ("namespace-controller,garbage-collector-controller,serviceaccount-controller,"
               "clusterrole-aggregation-controller")
READY_SECONDS = 60
# Below the ports that the kernel gives to outgoing connections: one that a server of ours leaves for
# a moment is still there when it comes back.
PORTS = range(20000, 30000)


def free_port():
    dice = random.SystemRandom()
    while True:
        port = dice.choice(PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


class Program(Child):
    """A process that ends with the one that started it, however that ends."""

    def __init__(self, directory, name):
        super().__init__(os.path.join(directory, name + ".log"))
        self.command = None

    def start(self, command=None):
        """Again as before, where no command is given."""
        self.command = command or self.command
        return self.spawn(["setpriv", "--pdeathsig", "KILL", *self.command])


class Cluster:
    """All of it. `with Cluster(programs.build(cache), directory) as cluster:` starts it and waits."""

    def __init__(self, paths, directory):
        self.paths = paths
        self.directory = directory
        self.kubectl = paths["kubectl"]
        self.etcd = Program(directory, "etcd")
        self.apiserver = Program(directory, "kube-apiserver")
        self.controllers = Program(directory, "kube-controller-manager")
        self.port = free_port()
        self.url = f"https://127.0.0.1:{self.port}"
        self.etcd_url = f"http://127.0.0.1:{free_port()}"
        self.pki = os.path.join(directory, "pki")
        os.makedirs(self.pki)
        self.server_ca = pki.Authority(self.pki, "server-ca")
        self.client_ca = pki.Authority(self.pki, "client-ca")
        self.front_proxy_ca = pki.Authority(self.pki, "front-proxy-ca")
        # What clients and kube-apiserver are told to read, and read again when it changes.
        self.server_ca_file = pki.bundle(self._file("server-cas.crt"), self.server_ca)
        self.client_ca_file = pki.bundle(self._file("client-cas.crt"), self.client_ca)
        self.front_proxy_ca_file = pki.bundle(self._file("front-proxy-cas.crt"),
                                              self.front_proxy_ca)
        self.front_proxy = self.front_proxy_ca.client("front-proxy-client")
        self.serving = self.server_ca.server("kube-apiserver")
        self.service_account_key = pki.signing_key(self._file("service-account.key"))

    def _file(self, name):
        return os.path.join(self.pki, name)

    # --- who asks

    def kubeconfig(self, user=ADMIN, groups=(), token=None, namespace="default"):
        """The path of a kubeconfig of that user, by client certificate or by a token."""
        name = user.replace(":", "-")
        if token is not None:
            credential = f"token: {token}"
        else:
            groups = ("system:masters",) if user == ADMIN else groups
            certificate, key = self.client_ca.client(user, groups)
            credential = (f"client-certificate-data: {pki.encoded(certificate)}\n"
                          f"    client-key-data: {pki.encoded(key)}")
        path = os.path.join(self.directory, name + ".kubeconfig")
        pki.replace(path, f"""apiVersion: v1
kind: Config
clusters:
- name: test
  cluster:
    server: {self.url}
    certificate-authority-data: {pki.encoded(self.server_ca_file)}
users:
- name: {name}
  user:
    {credential}
contexts:
- name: test
  context:
    cluster: test
    user: {name}
    namespace: {namespace}
current-context: test
""")
        os.chmod(path, 0o600)
        return path

    def context(self, user=ADMIN, groups=()):
        """For TLS to kube-apiserver with that user's client certificate."""
        groups = ("system:masters",) if user == ADMIN else groups
        context = ssl.create_default_context(cafile=self.server_ca_file)
        context.load_cert_chain(*self.client_ca.client(user, groups))
        return context

    def api(self, user=ADMIN, groups=()):
        """A client of kube-apiserver; one keep-alive connection, for one thread."""
        return Api(self.url, self.context(user, groups))

    def run(self, *words, stdin=None, user=ADMIN):
        """What kubectl prints; AssertionError where it fails. The user has a kubeconfig by now."""
        environment = {"PATH": os.environ["PATH"], "HOME": os.path.join(self.directory, "home"),
                       "KUBECONFIG": os.path.join(self.directory, user.replace(":", "-")
                                                  + ".kubeconfig")}
        done = subprocess.run([self.kubectl, *words], input=stdin, capture_output=True, text=True,
                              env=environment, timeout=120, check=False)
        if done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(words)}: exit {done.returncode}\n"
                                 f"{done.stdout}{done.stderr}")
        return done.stdout

    # --- the processes

    def _apiserver_command(self):
        certificate, key = self.serving
        proxy_certificate, proxy_key = self.front_proxy
        return [
            self.paths["kube-apiserver"], "--etcd-servers=" + self.etcd_url,
            "--bind-address=127.0.0.1", f"--secure-port={self.port}",
            # Since 1.37 a loopback address is no endpoint that may be advertised.
            "--endpoint-reconciler-type=none", "--cert-dir=" + self.pki,
            "--tls-cert-file=" + certificate, "--tls-private-key-file=" + key,
            "--client-ca-file=" + self.client_ca_file,
            "--service-account-key-file=" + self.service_account_key,
            "--service-account-signing-key-file=" + self.service_account_key,
            "--service-account-issuer=https://localhost", "--authorization-mode=RBAC",
            "--service-cluster-ip-range=10.0.0.0/24", "--disable-admission-plugins=ServiceAccount",
            "--requestheader-client-ca-file=" + self.front_proxy_ca_file,
            "--requestheader-allowed-names=front-proxy-client",
            "--requestheader-username-headers=X-Remote-User",
            "--requestheader-group-headers=X-Remote-Group",
            "--requestheader-extra-headers-prefix=X-Remote-Extra-",
            "--proxy-client-cert-file=" + proxy_certificate,
            "--proxy-client-key-file=" + proxy_key]

    def _await_ready(self):
        context = self.context()

        def ready():
            if not self.apiserver.running():
                raise AssertionError("kube-apiserver ended:\n" + self.apiserver.log_text()[-4000:])
            try:
                with urllib.request.urlopen(self.url + "/readyz", timeout=5, context=context):
                    return True
            except OSError:
                return False
        await_true("kube-apiserver ready", ready, READY_SECONDS)

    def start(self):
        peer_url = f"http://127.0.0.1:{free_port()}"
        self.etcd.start([
            self.paths["etcd"], "--data-dir=" + os.path.join(self.directory, "etcd"),
            "--listen-client-urls=" + self.etcd_url, "--advertise-client-urls=" + self.etcd_url,
            "--listen-peer-urls=" + peer_url, "--initial-advertise-peer-urls=" + peer_url,
            "--initial-cluster=default=" + peer_url, "--log-level=warn",
            # It is never killed here.
            "--unsafe-no-fsync"])
        self.apiserver.start(self._apiserver_command())
        self.kubeconfig()
        kubeconfig = self.kubeconfig("system:kube-controller-manager")
        self._await_ready()
        self.controllers.start([
            self.paths["kube-controller-manager"], "--kubeconfig=" + kubeconfig,
            "--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig,
            "--bind-address=127.0.0.1", f"--secure-port={free_port()}", "--leader-elect=false",
            "--use-service-account-credentials", "--controllers=" + CONTROLLERS])

    def restart_apiserver(self, away_seconds=0.0):
        """kill -9, and ready again after it was away that long."""
        self.apiserver.kill()
        time.sleep(away_seconds)
        self.start_apiserver()

    def start_apiserver(self):
        self.apiserver.start()
        self._await_ready()

    def stop(self):
        """They keep nothing that anybody wants: kill -9."""
        for each in (self.controllers, self.apiserver, self.etcd):
            each.kill()

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()


if __name__ == "__main__":
    import play

    play.main()
