"""Clients that are broken, hostile or gone, against the real server over TLS, while a healthy client
reads, writes and watches: nothing crashes, hangs, mis-frames, or starves it. What each malformed
request is answered is in tests/integration/http. Usage: torture_test.py ASYNCOPS"""

import contextlib
import http.client
import json
import os
import random
import re
import selectors
import socket
import ssl
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "stack"))
import stack  # noqa: E402

BINARY = None
SEED = 20261130
SECRETS = "/api/v1/namespaces/default/secrets"
# Rounds of the healthy client that each kind of torture must leave room for.
ROUNDS = 5


class Healthy(threading.Thread):
    """Creates, reads, changes and deletes Secrets of its own, each answer compared with what was
    asked, and watches them; any difference ends it."""

    def __init__(self, server, name):
        super().__init__(daemon=True)
        self.api = server.api()
        self.name_of = name
        self.rounds = 0
        self.failure = None
        self.ending = threading.Event()
        self.progress = threading.Condition()

    def run(self):
        try:
            while not self.ending.is_set():
                self.round(f"{self.name_of}-{self.rounds}")
                with self.progress:
                    self.rounds += 1
                    self.progress.notify_all()
        except (AssertionError, OSError, http.client.HTTPException, ValueError) as error:
            with self.progress:
                self.failure = error
                self.progress.notify_all()

    def round(self, name):
        made = self.api.create(SECRETS, {"apiVersion": "v1", "kind": "Secret",
                                         "metadata": {"name": name}, "stringData": {"of": name}})
        assert made["metadata"]["name"] == name, made
        read = self.api.get(f"{SECRETS}/{name}")
        assert read == made, (read, made)
        changed = self.api.merge(f"{SECRETS}/{name}", {"metadata": {"labels": {"of": name}}})
        assert changed["metadata"]["labels"] == {"of": name}, changed
        status, gone = self.api.send("DELETE", f"{SECRETS}/{name}")
        assert status == 200 and gone["details"]["name"] == name, (status, gone)

    def await_rounds(self, count):
        """As many more, or the failure."""
        with self.progress:
            wanted = self.rounds + count
            enough = self.progress.wait_for(
                lambda: self.failure is not None or self.rounds >= wanted, timeout=60)
        if self.failure is not None:
            raise AssertionError(f"the healthy client: {self.failure!r}")
        if not enough:
            raise AssertionError(f"the healthy client got {self.rounds} rounds, not {wanted}")


class Watcher(threading.Thread):
    """Follows the Secrets; every event is one whole, and of a Secret that somebody made."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.api = server.api()
        self.failure = None
        self.events = 0
        version = self.api.get(SECRETS)["metadata"]["resourceVersion"]
        self.api.connection.request("GET", f"{SECRETS}?watch=true&resourceVersion={version}")
        self.response = self.api.connection.getresponse()

    def run(self):
        try:
            for line in self.response:
                event = json.loads(line)
                name = event["object"]["metadata"]["name"]
                assert event["type"] in ("ADDED", "MODIFIED", "DELETED"), event
                assert re.fullmatch(r"healthy-\d+", name), name
                self.events += 1
        except (AssertionError, KeyError, ValueError) as error:
            self.failure = error
        except (OSError, http.client.HTTPException):
            pass  # the test ends it


class TortureTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = tempfile.TemporaryDirectory(prefix="asyncops-torture-")
        cls.server = stack.Server(BINARY, cls.files.name)
        cls.server.start()
        cls.address = ("127.0.0.1", cls.server.port())
        cls.healthy = Healthy(cls.server, "healthy")
        cls.watcher = Watcher(cls.server)
        cls.healthy.start()
        cls.watcher.start()
        cls.random = random.Random(SEED)
        cls.context = ssl.create_default_context(
            cafile=os.path.join(cls.server.files, "certificate-authority.pem"))
        cls.context.load_cert_chain(os.path.join(cls.server.files, "client-certificate.pem"),
                                    os.path.join(cls.server.files, "client-key.pem"))

    @classmethod
    def tearDownClass(cls):
        cls.healthy.ending.set()
        cls.healthy.join(timeout=60)
        code = cls.server.stop()
        cls.watcher.join(timeout=60)
        for client in (cls.healthy, cls.watcher):
            client.api.connection.close()
        cls.files.cleanup()
        if code != 0:
            raise AssertionError(f"the server ended with {code}")

    def tearDown(self):
        """The healthy client got through, and still does."""
        self.healthy.await_rounds(ROUNDS)
        self.assertIsNone(self.watcher.failure)
        self.assertTrue(self.server.running(), self.server.log_text()[-4000:])

    def tcp(self):
        connection = socket.create_connection(self.address, timeout=30)
        self.addCleanup(connection.close)
        return connection

    def tls(self):
        connection = self.context.wrap_socket(socket.create_connection(self.address, timeout=30),
                                              server_hostname="127.0.0.1")
        self.addCleanup(connection.close)
        return connection

    def answers(self, connection):
        """The status codes of all answers until the server closes."""
        text = b""
        with contextlib.suppress(ConnectionResetError, ssl.SSLError):
            while piece := connection.recv(65536):
                text += piece
        return [int(code) for code in re.findall(rb"HTTP/1\.1 (\d{3}) ", text)]

    def open_files(self):
        return len(os.listdir(f"/proc/{self.server.child.pid}/fd"))

    def resident_mib(self):
        with open(f"/proc/{self.server.child.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) / 1024

    def test_bytes_that_are_no_tls(self):
        for length in (1, 5, 100, 10000):
            for _ in range(25):
                connection = self.tcp()
                with contextlib.suppress(OSError):
                    connection.sendall(self.random.randbytes(length))
                    connection.shutdown(socket.SHUT_WR)
                    self.answers(connection)
                connection.close()

    def test_handshakes_that_break_off(self):
        hello = self.client_hello()
        for _ in range(200):
            connection = self.tcp()
            broken = bytearray(hello[:self.random.randrange(1, len(hello))])
            if self.random.random() < 0.5:
                broken[self.random.randrange(len(broken))] ^= 1 << self.random.randrange(8)
            connection.sendall(broken)
            connection.close()

    def client_hello(self):
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        session = self.context.wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
        with contextlib.suppress(ssl.SSLWantReadError):
            session.do_handshake()
        return outgoing.read()

    def test_requests_of_random_bytes(self):
        for _ in range(60):
            connection = self.tls()
            with contextlib.suppress(OSError):
                connection.sendall(self.random.randbytes(self.random.randrange(1, 3000))
                                   + b"\r\n\r\n")
                connection.shutdown(socket.SHUT_WR)
            for code in self.answers(connection):
                self.assertIn(code, range(400, 500))
            connection.close()

    def test_requests_with_bytes_changed(self):
        """A change of a few bytes gives an answer, or a close; never another's answer, never 5xx."""
        body = json.dumps({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "Not-A-Name"}})
        whole = (f"POST {SECRETS}?dryRun=All HTTP/1.1\r\nHost: localhost\r\n"
                 f"Content-Type: application/json\r\nAccept: application/json\r\n"
                 f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}").encode()
        for _ in range(400):
            broken = bytearray(whole)
            for _ in range(self.random.randrange(1, 4)):
                at = self.random.randrange(len(broken))
                kind = self.random.randrange(3)
                if kind == 0:
                    broken[at] = self.random.randrange(256)
                elif kind == 1:
                    broken.insert(at, self.random.choice(b"\r\n\0 :;,/%\xff"))
                else:
                    del broken[at]
            connection = self.tls()
            with contextlib.suppress(OSError):
                connection.sendall(broken)
                connection.shutdown(socket.SHUT_WR)
            for code in self.answers(connection):
                self.assertIn(code, range(400, 500), bytes(broken))
            connection.close()

    def test_bodies_in_odd_chunks(self):
        body = json.dumps({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "chunked"}})
        head = (f"POST {SECRETS}?dryRun=All HTTP/1.1\r\nHost: localhost\r\n"
                "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
        end = "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        for extension in ("", ";a", ";a=b", ';a="b c"', ";" + "x" * 200):
            chunks = ""
            at = 0
            while at < len(body):
                size = self.random.randrange(1, 12)
                piece = body[at:at + size]
                chunks += f"{len(piece):0{self.random.randrange(1, 5)}x}{extension}\r\n{piece}\r\n"
                at += size
            whole = (head + chunks + "0\r\n\r\n" + end).encode()
            connection = self.tls()
            # TCP may cut anywhere: between CR and LF, within a size, before the last chunk.
            at = 0
            while at < len(whole):
                size = self.random.choice((1, 1, 2, 3, 50))
                connection.sendall(whole[at:at + size])
                at += size
            self.assertEqual(self.answers(connection), [201, 200], extension)

    def test_framing_that_two_readers_see_differently(self):
        """None of what stands behind the doubt is read as a request."""
        smuggled = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
        doubts = {
            "length and chunks": "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
            "chunks and length": "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
            "two lengths": "Content-Length: 4\r\nContent-Length: 5\r\n",
            "a list of lengths": "Content-Length: 4, 4\r\n",
            "a sign": "Content-Length: +4\r\n",
            "chunks twice": "Transfer-Encoding: chunked, chunked\r\n",
            "chunks not last": "Transfer-Encoding: chunked, identity\r\n",
            "a folded line": "X-A: b\r\n c: d\r\nContent-Length: 4\r\n",
            "a space before the colon": "Content-Length : 4\r\n",
            "a bare line feed": "X-A: b\nContent-Length: 4\r\n",
            "a bare carriage return": "X-A: b\rContent-Length: 4\r\n",
            "a NUL": "X-A: b\0c\r\nContent-Length: 4\r\n",
            "two hosts": "Host: other\r\nContent-Length: 4\r\n",
        }
        for reason, headers in doubts.items():
            connection = self.tls()
            request = f"POST {SECRETS} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n0\r\n\r\n{smuggled}"
            with contextlib.suppress(OSError):
                connection.sendall(request.encode())
            answers = self.answers(connection)
            self.assertLessEqual(len(answers), 1, reason)
            for code in answers:
                self.assertIn(code, [*range(400, 500), 501], reason)

    def test_identity_headers_of_a_stranger_are_nothing(self):
        """However they are spelt: there is no front proxy here."""
        context = ssl.create_default_context(
            cafile=os.path.join(self.server.files, "certificate-authority.pem"))
        spellings = ["X-Remote-User: admin\r\nX-Remote-Group: system:masters\r\n",
                     "x-remote-user: admin\r\n", "X_Remote_User: admin\r\n",
                     "X-Remote-User: admin\r\nX-Remote-User: root\r\n",
                     "Connection: X-Remote-User\r\nX-Remote-User: admin\r\n",
                     "Impersonate-User: admin\r\nImpersonate-Group: system:masters\r\n"]
        for headers in spellings:
            connection = context.wrap_socket(socket.create_connection(self.address, timeout=30),
                                             server_hostname="127.0.0.1")
            connection.sendall(f"GET {SECRETS} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n".encode())
            self.assertRegex(connection.recv(4096), rb"^HTTP/1\.1 40[13] ", headers)
            connection.close()

    def test_clients_that_send_a_byte_now_and_then(self):
        """Hundreds at once, in the head and in the body: each is cut in its time, and nobody waits
        for them."""
        selector = selectors.DefaultSelector()
        head = f"POST {SECRETS} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n".encode()
        for number in range(300):
            connection = self.tls()
            connection.sendall(head if number % 2 else head + b"\r\n{")
            connection.setblocking(False)
            selector.register(connection, selectors.EVENT_READ)
        until = time.monotonic() + 5
        while time.monotonic() < until:
            for key in list(selector.get_map().values()):
                with contextlib.suppress(OSError):
                    key.fileobj.send(b"X")
            self.healthy.await_rounds(1)
        selector.close()

    def test_ten_thousand_connections_opened_and_dropped(self):
        self.healthy.await_rounds(1)
        files, memory = self.open_files(), self.resident_mib()
        for number in range(10000):
            connection = socket.create_connection(self.address, timeout=30)
            with contextlib.suppress(OSError):
                if number % 10 == 0:
                    connection = self.context.wrap_socket(connection, server_hostname="127.0.0.1")
                if number % 20 == 0:
                    connection.sendall(b"GET /apis HTTP/1.1\r\nHost: localhost\r\n\r\n")
                if number % 3 == 0:  # a reset instead of an end
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                          b"\1\0\0\0\0\0\0\0")
            connection.close()
        stack.await_true(lambda: f"{self.open_files()} files are open, {files} before",
                         lambda: self.open_files() <= files + 10)
        self.assertLess(self.resident_mib() - memory, 64)

    def test_requests_that_nobody_waits_for(self):
        """The answer of a client that has gone reaches nobody else."""
        for number in range(300):
            connection = self.tls()
            connection.sendall(f"GET {SECRETS}?limit=1&n={number} HTTP/1.1\r\n"
                               "Host: localhost\r\n\r\n".encode())
            connection.close()

    def test_watches_that_are_dropped(self):
        for _ in range(200):
            connection = self.tls()
            connection.sendall(f"GET {SECRETS}?watch=true HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            self.assertTrue(connection.recv(4096).startswith(b"HTTP/1.1 200 "))
            connection.close()

    def test_pipelines(self):
        """Answers come in the order of the questions, and each is that of its own question."""
        connection = self.tls()
        paths = [self.random.choice(("/livez", "/apis/none", "/version", SECRETS + "/none"))
                 for _ in range(200)]
        wanted = {"/livez": 200, "/apis/none": 404, "/version": 200, SECRETS + "/none": 404}
        requests = "".join(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n" for path in paths[:-1])
        requests += f"GET {paths[-1]} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        connection.sendall(requests.encode())  # few enough for the buffers of the sockets
        self.assertEqual(self.answers(connection), [wanted[path] for path in paths])


if __name__ == "__main__":
    BINARY = sys.argv.pop(1)
    unittest.main(verbosity=2)
