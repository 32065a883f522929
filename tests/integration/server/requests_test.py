"""What the real server answers over TLS: credentials, mistakes, streams. The cases of each verb are
unit tests; here is what only a socket shows. Usage: requests_test.py ASYNCOPS"""

import gzip
import http.client
import json
import os
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "stack"))
import stack  # noqa: E402

BINARY = None
TOKEN = "token-of-ada"
NAMESPACE = "/namespaces/default"
SECRETS = "/api/v1" + NAMESPACE + "/secrets"
SYSTEMS = stack.ASYNCOPS + NAMESPACE + "/externalsystems"


def secret(name):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name},
            "stringData": {"password": "hunter2"}}


class RequestsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = tempfile.TemporaryDirectory(prefix="asyncops-requests-")
        tokens = os.path.join(cls.files.name, "tokens.csv")
        with open(tokens, "w", encoding="utf-8") as file:
            file.write(f"{TOKEN},ada,1,\"ops,dev\"\n")
        cls.server = stack.Server(BINARY, cls.files.name)
        start = cls.server.spawn([BINARY, "serve", "--standalone", "--data-dir", cls.server.data,
                                  "--secure-port", "0", "--token-auth-file", tokens])
        cls.server.kubeconfig = cls.server.await_line(r"^kubeconfig: (\S+)$", start)
        cls.server.url = cls.server.await_line(r"^asyncops \S+ serving on (\S+)$", start)
        cls.api = cls.server.api()

    @classmethod
    def tearDownClass(cls):
        cls.api.connection.close()
        code = cls.server.stop()
        cls.files.cleanup()
        if code != 0:
            raise AssertionError(f"the server ended with {code}")

    def client(self):
        api = self.server.api()
        self.addCleanup(api.connection.close)
        return api

    def stranger(self):
        """A connection without a certificate."""
        context = ssl.create_default_context(
            cafile=os.path.join(self.server.files, "certificate-authority.pem"))
        netloc = urllib.parse.urlsplit(self.server.url).netloc
        connection = http.client.HTTPSConnection(netloc, timeout=20, context=context)
        self.addCleanup(connection.close)
        return connection

    def exchange(self, connection, method, path, body=None, headers=None):
        """(status, headers, bytes)."""
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return response.status, response.headers, response.read()

    def test_a_stranger_sees_probes_alone(self):
        connection = self.stranger()
        for path, wanted in [("/livez", 200), ("/readyz", 200), ("/healthz", 200), ("/apis", 401),
                             (SECRETS, 401), ("/metrics", 401), ("/version", 401)]:
            self.assertEqual(self.exchange(connection, "GET", path)[0], wanted, path)

    def test_a_token_opens_and_a_wrong_one_does_not(self):
        connection = self.stranger()
        for token, wanted in [(TOKEN, 200), ("wrong", 401)]:
            status, _, _ = self.exchange(connection, "GET", SECRETS,
                                         headers={"Authorization": "Bearer " + token})
            self.assertEqual(status, wanted)

    def test_a_certificate_of_another_authority_is_nobody(self):
        key, certificate = (os.path.join(self.files.name, name) for name in ("k.pem", "c.pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out",
                        certificate, "-subj", "/O=system:masters/CN=asyncops-admin", "-days", "1"],
                       check=True, capture_output=True)
        context = ssl.create_default_context(
            cafile=os.path.join(self.server.files, "certificate-authority.pem"))
        context.load_cert_chain(certificate, key)
        netloc = urllib.parse.urlsplit(self.server.url).netloc
        connection = http.client.HTTPSConnection(netloc, timeout=20, context=context)
        self.addCleanup(connection.close)
        self.assertEqual(self.exchange(connection, "GET", SECRETS)[0], 401)

    def test_forged_identity_headers_mean_nothing(self):
        connection = self.stranger()
        forged = {"X-Remote-User": "admin", "X-Remote-Group": "system:masters"}
        self.assertEqual(self.exchange(connection, "GET", SECRETS, headers=forged)[0], 401)

    def test_a_mistake_is_refused_with_every_field_and_leaves_nothing(self):
        status, body = self.api.send("POST", SYSTEMS, {
            "apiVersion": "asyncops.dev/v1alpha1", "kind": "ExternalSystem",
            "metadata": {"name": "Bad_Name"}, "spec": {"preset": "Magic"}})
        self.assertEqual(status, 422)
        fields = {cause["field"] for cause in body["details"]["causes"]}
        self.assertLessEqual({"metadata.name", "spec.preset", "spec.endpoint"}, fields)
        self.assertEqual(self.api.list(SYSTEMS), [])

    def test_bad_input_gets_its_status_and_the_server_goes_on(self):
        cases = [
            ("POST", SECRETS, "{", {"Content-Type": "application/json"}, 400),
            ("POST", SECRETS, "[" * 100000, {}, 400),
            ("POST", SECRETS, b"\x00\xff\xfe", {}, 400),
            ("POST", SECRETS, b"k8s\x00", {"Content-Type": "application/vnd.kubernetes.protobuf"},
             415),
            ("PATCH", SYSTEMS + "/x", "{}",
             {"Content-Type": "application/strategic-merge-patch+json"}, 415),
            ("POST", SECRETS, "x" * (3 * 1024 * 1024 + 1), {}, 413),
            ("PUT", SECRETS, "{}", {}, 405),
            ("BREW", SECRETS, None, {}, 405),
            ("GET", SECRETS + "?labelSelector=a%20in", None, {}, 400),
            ("GET", SECRETS + "?fieldSelector=bogus%3D1", None, {}, 400),
            ("GET", SECRETS + "?limit=x", None, {}, 400),
            ("GET", SECRETS + "/%2e%2e", None, {}, 400),
            ("GET", "/apis/asyncops.dev/v9/externalsystems", None, {}, 404),
            ("GET", SECRETS, None, {"Accept": "text/html"}, 406),
        ]
        for method, path, body, headers, wanted in cases:
            connection = self.client().connection
            status, _, answer = self.exchange(connection, method, path, body, headers)
            self.assertEqual(status, wanted, (method, path, answer[:300]))
            parsed = json.loads(answer)
            self.assertEqual(parsed["kind"], "Status", answer[:300])
            self.assertEqual(parsed["code"], wanted)
        self.assertEqual(self.exchange(self.stranger(), "GET", "/livez")[0], 200)

    def test_head_has_no_body(self):
        connection = self.client().connection
        status, headers, body = self.exchange(connection, "HEAD", "/apis")
        self.assertEqual((status, body), (200, b""))
        self.assertGreater(int(headers["Content-Length"]), 0)
        # The connection is still in step.
        self.assertEqual(self.exchange(connection, "GET", "/version")[0], 200)

    def test_large_documents_are_compressed(self):
        connection = self.client().connection
        _, headers, plain = self.exchange(connection, "GET", "/openapi/v2")
        self.assertNotIn("Content-Encoding", headers)
        _, headers, small = self.exchange(connection, "GET", "/openapi/v2",
                                          headers={"Accept-Encoding": "gzip"})
        self.assertEqual(headers["Content-Encoding"], "gzip")
        self.assertEqual(gzip.decompress(small), plain)

    def test_a_long_list_is_compressed_and_comes_in_yaml(self):
        for i in range(60):
            self.api.create(SECRETS, {**secret(f"long-{i}"), "stringData": {"text": "x" * 4000}})
        connection = self.stranger()
        get = {"Authorization": "Bearer " + TOKEN}
        _, _, plain = self.exchange(connection, "GET", SECRETS, headers=get)
        self.assertGreater(len(plain), 128 * 1024)
        status, headers, small = self.exchange(connection, "GET", SECRETS,
                                               headers={**get, "Accept-Encoding": "gzip"})
        self.assertEqual((status, headers["Content-Encoding"], headers["Vary"]),
                         (200, "gzip", "Accept-Encoding"))
        self.assertEqual(gzip.decompress(small), plain)
        _, headers, text = self.exchange(connection, "GET", SECRETS,
                                         headers={**get, "Accept": "application/yaml"})
        self.assertEqual(headers["Content-Type"], "application/yaml")
        self.assertEqual(text.count(b"\n- apiVersion: v1\n"), len(json.loads(plain)["items"]))
        for i in range(60):
            self.api.send("DELETE", f"{SECRETS}/long-{i}")

    def test_a_watch_shows_its_head_at_once_and_each_change(self):
        watching = self.client().connection
        version = self.api.get(SECRETS)["metadata"]["resourceVersion"]
        watching.request("GET", f"{SECRETS}?watch=true&resourceVersion={version}&timeoutSeconds=60")
        response = watching.getresponse()  # before any event
        self.assertEqual(response.status, 200)
        self.assertEqual(response.headers["Transfer-Encoding"], "chunked")
        self.api.create(SECRETS, secret("watched"))
        self.api.merge(SECRETS + "/watched", {"metadata": {"labels": {"a": "b"}}})
        self.api.send("DELETE", SECRETS + "/watched")
        events = [json.loads(response.readline()) for _ in range(3)]
        self.assertEqual([event["type"] for event in events], ["ADDED", "MODIFIED", "DELETED"])
        watching.close()

    def test_a_list_streams_and_many_clients_write_at_once(self):
        failures = []

        def write(worker, api):
            for i in range(25):
                status, body = api.send("POST", SECRETS, secret(f"many-{worker}-{i}"))
                if status != 201:
                    failures.append(body)

        threads = [threading.Thread(target=write, args=(worker, self.client()))
                   for worker in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        names = [item["metadata"]["name"] for item in self.api.list(SECRETS)]
        self.assertEqual(len([name for name in names if name.startswith("many-")]), 200)
        self.assertEqual(names, sorted(names))
        page = self.api.get(SECRETS + "?limit=150")
        rest = self.api.get(SECRETS + "?limit=150&continue=" + page["metadata"]["continue"])
        self.assertEqual(len(page["items"]) + len(rest["items"]), len(names))

    def test_a_webhook_review_is_answered(self):
        review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                  "request": {"uid": "u", "operation": "CREATE",
                              "kind": {"group": "asyncops.dev", "version": "v1alpha1",
                                       "kind": "ExternalSystem"},
                              "resource": {"group": "asyncops.dev", "version": "v1alpha1",
                                           "resource": "externalsystems"},
                              "name": "x", "namespace": "default", "dryRun": False,
                              "object": {"apiVersion": "asyncops.dev/v1alpha1",
                                         "kind": "ExternalSystem", "metadata": {"name": "x"},
                                         "spec": {"preset": "Magic"}}}}
        status, body = self.api.send("POST", "/validate?timeout=10s", review)
        self.assertEqual(status, 200)
        self.assertEqual(body["response"]["uid"], "u")
        self.assertFalse(body["response"]["allowed"])


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
