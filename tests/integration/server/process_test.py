"""How `asyncops serve --standalone` starts and ends: exit codes, one sentence each, what it leaves
on disk. Usage: process_test.py ASYNCOPS"""

import json
import os
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "stack"))
import stack  # noqa: E402

BINARY = None
SECRETS = "/api/v1/namespaces/default/secrets"


def secret(name):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name},
            "stringData": {"password": "hunter2"}}


class ProcessTest(unittest.TestCase):
    def setUp(self):
        self.files = tempfile.TemporaryDirectory(prefix="asyncops-server-")
        self.addCleanup(self.files.cleanup)
        self.data = os.path.join(self.files.name, "data")

    def path(self, name):
        return os.path.join(self.files.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def run_serve(self, *arguments):
        """(exit code, standard output, standard error) of a serve that is to end by itself."""
        done = subprocess.run([BINARY, "serve", *arguments], stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=20, text=True)
        return done.returncode, done.stdout, done.stderr

    def refused(self, code, *arguments):
        """The one sentence on standard error of a serve that exits with this code."""
        actual, out, error = self.run_serve(*arguments)
        self.assertEqual(actual, code, error)
        self.assertEqual(out, "")
        sentences = [line for line in error.splitlines() if line.startswith("asyncops: ")]
        self.assertEqual(len(sentences), 1, error)
        return sentences[0]

    def serve(self, *arguments):
        """A server on self.data, ready."""
        server = stack.Server(BINARY, self.files.name)
        self.addCleanup(server.kill)
        start = server.spawn([BINARY, "serve", "--standalone", "--data-dir", self.data,
                              "--secure-port", "0", *arguments])
        server.kubeconfig = server.await_line(r"^kubeconfig: (\S+)$", start)
        server.url = server.await_line(r"^asyncops \S+ serving on (\S+)$", start)
        return server

    def client(self, server):
        api = server.api()
        self.addCleanup(api.connection.close)
        return api

    def code(self, api, path):
        """The status code of a GET, whatever its answer's text."""
        api.connection.request("GET", path)
        response = api.connection.getresponse()
        response.read()
        return response.status

    def test_wrong_flags_exit_with_2_and_a_sentence(self):
        for arguments, words in [
                (["--standalon"], "did you mean --standalone?"),
                (["--standalone"], "serve needs --data-dir DIR"),
                (["--data-dir", self.data], "--standalone needs none"),
                (["--standalone", "--data-dir", self.data, "--secure-port", "x"], "--secure-port"),
                (["--standalone", "--data-dir", self.data, "--allow-outbound", "x"],
                 "--allow-outbound"),
                (["--config", self.path("none.yaml")], "none.yaml"),
                (["--config", self.write("wrong.yaml", "secure-prot: 1\n")],
                 "unknown key secure-prot; did you mean secure-port?"),
                (["--standalone", "--data-dir", self.data, "--bind-address", "1.2.3"],
                 "--bind-address"),
                (["--standalone", "--data-dir", self.data, "--audit-log-path",
                  self.path("a/b/audit.log")], "a/b/audit.log"),
                (["--standalone", "--data-dir", self.path("a/b/c")], "a/b/c"),
                (["--standalone", "--data-dir", self.data, "--token-auth-file",
                  self.path("none.csv")], "none.csv"),
                (["--standalone", "--data-dir", self.data, "--client-ca-file",
                  self.path("none.pem")], "none.pem"),
                (["--standalone", "--data-dir", self.data, "--tls-cert-file", self.path("c.pem"),
                  "--tls-private-key-file", self.path("k.pem")], "c.pem")]:
            self.assertIn(words, self.refused(2, *arguments), arguments)

    def test_a_token_file_that_is_wrong_names_the_line_and_no_token(self):
        tokens = self.write("tokens.csv", "secret-token,ada,1\nsecret-token-too\n")
        sentence = self.refused(2, "--standalone", "--data-dir", self.data, "--token-auth-file",
                                tokens)
        self.assertIn("line 2", sentence)
        self.assertNotIn("secret-token", sentence)

    def test_clients_are_told_each_ca_whose_certificates_are_taken(self):
        # Go shows a certificate only where its CA is among those that the server names.
        ca = self.path("given.crt")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=given-ca", "-days", "2",
                        "-keyout", self.path("given.key"), "-out", ca],
                       check=True, capture_output=True, timeout=20)
        server = self.serve("--client-ca-file", ca)
        done = subprocess.run(["openssl", "s_client", "-connect",
                               urllib.parse.urlsplit(server.url).netloc], input="", text=True,
                              capture_output=True, timeout=20, check=False)
        named = done.stdout.partition("Acceptable client certificate CA names\n")[2]
        self.assertEqual(named.splitlines()[:2], ["CN = asyncops-ca", "CN = given-ca"])

    def test_help_and_version_exit_with_0(self):
        code, out, _ = self.run_serve("--help")
        self.assertEqual(code, 0)
        self.assertIn("--data-dir DIR", out)
        done = subprocess.run([BINARY, "version"], capture_output=True, timeout=20, text=True)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^asyncops \d+\.\d+\.\d+")
        done = subprocess.run([BINARY, "frobnicate"], capture_output=True, timeout=20, text=True)
        self.assertEqual(done.returncode, 2)

    def test_private_files_are_private(self):
        server = self.serve()
        self.assertEqual(server.kubeconfig, os.path.join(self.data, "kubeconfig"))
        mode = stat.S_IMODE(os.stat(server.kubeconfig).st_mode)
        self.assertEqual(mode, 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(self.data).st_mode), 0o700)
        for root, _, names in os.walk(self.data):
            for name in names:
                path = os.path.join(root, name)
                with open(path, "rb") as file:
                    if b"PRIVATE KEY" in file.read():
                        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600, path)

    def test_a_delayed_stop_is_not_ready_but_serves_until_a_second_signal(self):
        server = self.serve("--shutdown-delay-duration", "60s")
        api = self.client(server)
        stack.await_true("ready", lambda: self.code(api, "/readyz") == 200)
        server.child.send_signal(signal.SIGTERM)
        stack.await_true("not ready", lambda: self.code(api, "/readyz") == 500)
        self.assertEqual(self.code(api, "/livez"), 200)
        api.create(SECRETS, secret("late"))
        begun = time.monotonic()
        server.child.send_signal(signal.SIGTERM)
        self.assertEqual(server.child.wait(timeout=15), 0)
        self.assertLess(time.monotonic() - begun, 10)

    def test_a_delayed_stop_ends_by_itself(self):
        server = self.serve("--shutdown-delay-duration", "500ms")
        begun = time.monotonic()
        server.child.send_signal(signal.SIGTERM)
        self.assertEqual(server.child.wait(timeout=15), 0)
        self.assertGreater(time.monotonic() - begun, 0.5)

    def test_sighup_opens_the_audit_log_anew(self):
        path = self.path("audit.log")
        server = self.serve("--audit-log-path", path)
        api = self.client(server)
        self.code(api, "/version")
        os.rename(path, path + ".1")
        server.child.send_signal(signal.SIGHUP)
        stack.await_true("a new file", lambda: os.path.exists(path))
        self.code(api, SECRETS)
        server.child.send_signal(signal.SIGTERM)
        self.assertEqual(server.child.wait(timeout=15), 0)
        with open(path, encoding="utf-8") as file:
            self.assertIn('"resource":"secrets"', file.read())
        with open(path + ".1", encoding="utf-8") as file:
            self.assertNotIn('"resource":"secrets"', file.read())

    def test_sigterm_ends_cleanly_in_time_with_a_watch_open(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            server = self.serve()
            watching = self.client(server)
            watching.connection.request("GET", SECRETS + "?watch=true")
            response = watching.connection.getresponse()
            self.assertEqual(response.status, 200)
            begun = time.monotonic()
            server.child.send_signal(number)
            self.assertEqual(server.child.wait(timeout=15), 0)
            self.assertLess(time.monotonic() - begun, 10)
            # The watch ended with its last chunk, not with a cut.
            self.assertEqual(response.read(), b"")
            self.assertFalse(os.path.exists(os.path.join(self.data, "asyncops.db-wal")),
                             "the log was not checkpointed")

    def test_a_second_process_on_the_directory_is_refused(self):
        server = self.serve()
        sentence = self.refused(1, "--standalone", "--data-dir", self.data, "--secure-port", "0")
        self.assertIn("asyncops.db", sentence)
        self.assertEqual(self.client(server).send("GET", SECRETS)[0], 200)

    def test_a_port_that_is_taken_is_refused(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            sentence = self.refused(1, "--standalone", "--data-dir", self.data, "--secure-port",
                                    str(port))
            self.assertIn(str(port), sentence)

    def test_objects_and_identity_outlive_the_process(self):
        server = self.serve()
        made = self.client(server).create(SECRETS, secret("kept"))
        with open(server.kubeconfig, encoding="utf-8") as file:
            before = file.read()
        self.assertEqual(server.stop(), 0)
        server = self.serve()
        self.assertEqual(self.client(server).get(SECRETS + "/kept"), made)
        with open(server.kubeconfig, encoding="utf-8") as file:
            after = file.read()
        fields = [line for line in before.splitlines() if "-data" in line]
        self.assertEqual(fields, [line for line in after.splitlines() if "-data" in line])

    def test_objects_outlive_a_kill(self):
        server = self.serve()
        made = self.client(server).create(SECRETS, secret("kept"))
        server.kill()
        self.assertEqual(self.client(self.serve()).get(SECRETS + "/kept"), made)

    def test_a_file_that_is_damaged_or_not_ours_is_refused_by_name(self):
        database = os.path.join(self.data, "asyncops.db")
        os.mkdir(self.data, 0o700)
        with open(database, "wb") as file:
            file.write(b"this is no database at all, but it is somebody's data" * 200)
        sentence = self.refused(1, "--standalone", "--data-dir", self.data, "--secure-port", "0")
        self.assertIn(database, sentence)
        with open(database, "rb") as file:
            self.assertTrue(file.read().startswith(b"this is no database"))
        os.remove(database)
        with sqlite3.connect(database) as foreign:
            foreign.execute("CREATE TABLE theirs (a)")
        foreign.close()
        self.assertIn(database, self.refused(1, "--standalone", "--data-dir", self.data,
                                             "--secure-port", "0"))

    def test_a_damaged_page_is_refused(self):
        server = self.serve()
        for i in range(20):
            self.client(server).create(SECRETS, secret(f"s{i}"))
        self.assertEqual(server.stop(), 0)
        database = os.path.join(self.data, "asyncops.db")
        with open(database, "r+b") as file:
            size = os.path.getsize(database)
            for offset in range(8192, size, 8192):
                file.seek(offset)
                file.write(os.urandom(4096))
        self.assertIn(database, self.refused(1, "--standalone", "--data-dir", self.data,
                                             "--secure-port", "0"))

    def test_a_configuration_file_is_read_and_flags_win(self):
        config = self.write("config.yaml", "standalone: true\n"
                            f"data-dir: {self.data}\nsecure-port: 1\nlog-level: debug\n")
        server = stack.Server(BINARY, self.files.name)
        self.addCleanup(server.kill)
        start = server.spawn([BINARY, "serve", "--config", config, "--secure-port", "0"])
        server.kubeconfig = server.await_line(r"^kubeconfig: (\S+)$", start)
        server.url = server.await_line(r"^asyncops \S+ serving on (\S+)$", start)
        self.assertEqual(self.client(server).send("GET", SECRETS)[0], 200)
        # debug tells each request, and no secret.
        self.client(server).create(SECRETS, secret("s"))
        text = server.await_line(r"^(.*\"msg\":\"request\".*\"verb\":\"create\".*)$", start)
        self.assertIn("auditID", text)
        self.assertNotIn("hunter2", server.log_text(start))

    def test_the_audit_log_has_a_line_for_each_request_and_no_secret(self):
        path = self.path("audit.log")
        server = self.serve("--audit-log-path", path)
        api = self.client(server)
        api.create(SECRETS, secret("s"))
        api.send("GET", SECRETS + "/nothing")
        self.assertEqual(server.stop(), 0)
        with open(path, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        seen = [(line["verb"], line["objectRef"]["resource"], line["code"]) for line in lines
                if line.get("objectRef", {}).get("namespace") == "default"]
        self.assertEqual(seen, [("create", "secrets", 201), ("get", "secrets", 404)])
        self.assertTrue(all(line["user"] for line in lines))
        self.assertNotIn("hunter2", json.dumps(lines))
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)

    def test_metrics_name_what_dashboards_know(self):
        server = self.serve()
        api = self.client(server)
        with socket.create_connection(urllib.parse.urlsplit(server.url).netloc.split(":")) as plain:
            plain.sendall(b"no handshake")
            plain.recv(100)
        api.get(SECRETS)
        api.connection.request("GET", "/metrics")
        text = api.connection.getresponse().read().decode()
        for name in ["workqueue_depth{", "workqueue_adds_total{",
                     "controller_runtime_reconcile_total{", "process_resident_memory_bytes ",
                     "apiserver_tls_handshake_errors_total 1", "apiserver_request_total{"]:
            self.assertIn(name, text)
        # A text that Prometheus takes: each line a comment or a sample, each name told once.
        told = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE ")]
        self.assertEqual(len(told), len(set(told)))
        for line in text.splitlines():
            self.assertRegex(line, r"^(# (HELP|TYPE) \S+ .+|[a-z_]+(\{[^{}]*\})? [0-9.e+-]+)$")


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
