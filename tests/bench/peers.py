"""What others built for the same work, from the Go module proxy: each a server like those of
processes.py. The cluster that some of them need is that of tests/cluster."""

import os
import sys

import processes
from clients import Client
from processes import Asyncops, Process, free_port

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
# Behind the folder of the bench, whose modules come first.
sys.path += [os.path.join(HERE, "..", folder) for folder in ("cluster", "clients")]

import ssl

import pki
import programs
import tools

MODULE = os.path.join(HERE, "go")
FLUNDERS = "/apis/wardle.example.com/v1alpha1/namespaces/{}/flunders"
BUILT = {
    "bench-load": ("./cmd/load", MODULE),
    "bench-webhook": ("./cmd/webhook", MODULE),
    "sample-apiserver": ("k8s.io/sample-apiserver", MODULE),
    "metrics-server": ("sigs.k8s.io/metrics-server/cmd/metrics-server",
                       os.path.join(MODULE, "metrics-server")),
}


class Peers:
    """The programs, built when they are asked for (tools.Unavailable says why one cannot be had),
    and the client certificate by which all servers know the bench."""

    def __init__(self, run):
        self.cache = os.path.abspath(os.environ.get(
            "ASYNCOPS_BENCH_CACHE", os.path.join(ROOT, "build/release/tests/clients/cache")))
        self.directory = os.path.join(run.directory, "peers")
        os.makedirs(self.directory)
        authority = pki.Authority(self.directory, "client-ca")
        self.client_ca = authority.certificate
        self.certificate, self.key = authority.client("bench", ("system:masters",))

    def program(self, name):
        package, module = BUILT[name]
        return tools.go_build(self.cache, package, name, ["-ldflags", "-s -w"], module)

    def cluster_programs(self):
        return programs.build(self.cache)

    def folder(self, name):
        path = os.path.join(self.directory, name)
        os.makedirs(path)
        return path

    def client(self, server, run):
        """A plain client that shows the certificate, and no token."""
        context = ssl.create_default_context(cafile=run.certificate)
        context.load_cert_chain(self.certificate, self.key)
        client = Client(server.url, run, context)
        client.headers = {}
        return client


class CertifiedAsyncops(Asyncops):
    """asyncops that knows the bench by its certificate."""

    def __init__(self, run, peers, name):
        super().__init__(run, name, extra=[f"--client-ca-file={peers.client_ca}"])

    def beside(self):
        return 0.0


class Etcd(Process):
    """etcd as it comes, fsync included."""

    def __init__(self, program, directory):
        self.url = f"http://127.0.0.1:{(port := free_port())}"
        other = f"http://127.0.0.1:{free_port()}"
        super().__init__([
            program, "--data-dir=" + os.path.join(directory, "etcd"),
            "--listen-client-urls=" + self.url, "--advertise-client-urls=" + self.url,
            "--listen-peer-urls=" + other, "--initial-advertise-peer-urls=" + other,
            "--initial-cluster=default=" + other, "--log-level=warn"],
            os.path.join(directory, "etcd.log"))
        self.await_port(port)


class SampleApiserver(Process):
    """k8s.io/sample-apiserver with the certificates of the bench; priority and fairness are off, as
    it does more of that than we do. Namespaces are those of the cluster."""

    def __init__(self, run, peers, cluster, etcd, name="sample-apiserver"):
        self.etcd = etcd
        self.port = free_port()
        kubeconfig = cluster.kubeconfig()
        super().__init__([
            peers.program("sample-apiserver"), "--bind-address=127.0.0.1",
            f"--secure-port={self.port}", f"--tls-cert-file={run.certificate}",
            f"--tls-private-key-file={run.key}", f"--etcd-servers={etcd.url}",
            f"--client-ca-file={peers.client_ca}", f"--kubeconfig={kubeconfig}",
            f"--authentication-kubeconfig={kubeconfig}", "--authentication-skip-lookup",
            f"--authorization-kubeconfig={kubeconfig}", "--enable-priority-and-fairness=false"],
            os.path.join(peers.directory, name + ".log"))

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"

    def beside(self):
        """CPU seconds of its etcd."""
        return processes.cpu_seconds(self.etcd.pid)


class Webhook(Process):
    """The webhook of go/cmd/webhook."""

    def __init__(self, run, peers):
        self.port = free_port()
        super().__init__([
            peers.program("bench-webhook"), f"--port={self.port}", f"--cert-dir={run.directory}",
            "--cert=" + os.path.basename(run.certificate), "--key=" + os.path.basename(run.key)],
            os.path.join(peers.directory, "webhook.log"))
        self.await_port(self.port)

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"


class MetricsServer(Process):
    """metrics-server, of a cluster that has no node it could ask."""

    def __init__(self, run, peers, cluster):
        self.port = free_port()
        kubeconfig = cluster.kubeconfig()
        super().__init__([
            peers.program("metrics-server"), "--bind-address=127.0.0.1",
            f"--secure-port={self.port}", f"--tls-cert-file={run.certificate}",
            f"--tls-private-key-file={run.key}", f"--kubeconfig={kubeconfig}",
            f"--authentication-kubeconfig={kubeconfig}",
            f"--authorization-kubeconfig={kubeconfig}"],
            os.path.join(peers.directory, "metrics-server.log"))
        self.await_port(self.port)

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"
