"""An aggregated server that only says which client certificate it is shown: so a test sees with which
one kube-apiserver comes."""

import http.server
import json
import ssl
import threading

from caller import Caller
import pki

GROUP = "mirror.tests.example"
VERSION = f"/apis/{GROUP}/v1"


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):  # noqa: N802, the name is http.server's
        certificate = self.connection.getpeercert() or {}
        issuer = dict(pair for part in certificate.get("issuer", ()) for pair in part)
        if self.path.startswith(VERSION):
            body = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": GROUP + "/v1",
                    "resources": [], "issuer": issuer.get("commonName")}
            code = 200
        else:
            body, code = {"kind": "Status", "apiVersion": "v1", "code": 404}, 404
        text = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class Mirror:
    """Installed in the cluster while it is entered. trusted: the CAs whose certificates it reads."""

    def __init__(self, cluster, trusted_file):
        self.cluster = cluster
        authority = pki.Authority(cluster.pki, "mirror-ca")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*authority.server("mirror", "mirror.default.svc"))
        context.load_verify_locations(trusted_file)
        context.verify_mode = ssl.CERT_OPTIONAL
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.server.daemon_threads = True
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        self.bundle = pki.encoded(authority.certificate)
        self.caller = Caller(cluster.url, cluster.server_ca_file,
                             cluster.client_ca.client("mirror", ["system:masters"]))
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def issuer(self):
        """The name of the CA of the certificate that kube-apiserver shows now; None while it does
        not reach us."""
        status, answer = self.caller.ask("GET", VERSION)
        return answer.get("issuer") if status == 200 else None

    def __enter__(self):
        self.thread.start()
        api = self.cluster.api()
        api.create("/api/v1/namespaces/default/services", {
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": "mirror"},
            "spec": {"type": "ExternalName", "externalName": "localhost",
                     "ports": [{"port": self.port}]}})
        api.create("/apis/apiregistration.k8s.io/v1/apiservices", {
            "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
            "metadata": {"name": "v1." + GROUP},
            "spec": {"group": GROUP, "version": "v1", "caBundle": self.bundle,
                     "groupPriorityMinimum": 100, "versionPriority": 1,
                     "service": {"namespace": "default", "name": "mirror", "port": self.port}}})
        return self

    def __exit__(self, *_):
        api = self.cluster.api()
        api.send("DELETE", "/apis/apiregistration.k8s.io/v1/apiservices/v1." + GROUP)
        api.send("DELETE", "/api/v1/namespaces/default/services/mirror")
        self.server.shutdown()
