"""Starts the real simcloud and drives it over sockets; its path is the first argument."""
import http.client
import json
import select
import signal
import socket
import subprocess
import sys
import time
import unittest

SIMCLOUD = sys.argv.pop(1)
DATA = json.dumps({"name": "data", "size": "10Gi"})


class SimcloudTest(unittest.TestCase):
    def setUp(self):
        self.process = subprocess.Popen(
            [SIMCLOUD, "--operation-duration", "50ms"], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline().strip()
        self.assertRegex(line, r"^simcloud: serving http://127\.0\.0\.1:[0-9]+$")
        self.port = int(line.rsplit(":", 1)[1])

    def tearDown(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(timeout=10), 0)
        self.process.stdout.close()

    def call(self, method, target, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, target, body, headers or {})
            response = connection.getresponse()
            return response, response.read()
        finally:
            connection.close()

    def json(self, method, target, body=None, headers=None):
        return json.loads(self.call(method, target, body, headers)[1])

    def rules(self, *rules, **settings):
        response, body = self.call("PUT", "/admin/behaviour",
                                   json.dumps({"rules": list(rules), **settings}))
        self.assertEqual(response.status, 200, body)

    def stats(self):
        return self.json("GET", "/admin/stats")

    def raw(self, data):
        """All that comes back on a connection of its own, until the server closes it."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            connection.sendall(data)
            answer = b""
            while chunk := connection.recv(65536):
                answer += chunk
            return answer

    def test_slow_body_comes_byte_by_byte(self):
        self.rules({"action": {"slowBody": "3ms"}})
        start = time.monotonic()
        response, body = self.call("POST", "/v1/volumes", DATA)
        self.assertEqual(response.status, 202)
        self.assertEqual(json.loads(body)["status"], "running")
        self.assertGreater(time.monotonic() - start, 0.003 * (len(body) - 1))

    def test_endless_body_lasts_until_the_caller_goes(self):
        self.rules({"action": {"endlessBody": True}})
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            connection.sendall(f"POST /v1/volumes HTTP/1.1\r\nHost: a\r\nContent-Length: {len(DATA)}"
                               f"\r\n\r\n{DATA}".encode())
            received = 0
            while received < 4 * 1024 * 1024:
                received += len(connection.recv(65536))
        self.assertEqual(self.stats()["created"], 1)

    def test_azure_and_odata_over_the_wire(self):
        response, _ = self.call("PUT", "/arm/v1/volumes/data", "{}")
        monitor = response.headers["Azure-AsyncOperation"]
        self.assertTrue(monitor.startswith(f"http://127.0.0.1:{self.port}/arm/v1/"), monitor)
        response, _ = self.call("POST", "/odata/v4/Volumes", DATA, {"Prefer": "respond-async"})
        target = response.headers["Location"]
        while response.status == 202:
            response, body = self.call("GET", target)
        self.assertEqual(response.headers["Content-Type"], "application/http")
        self.assertTrue(body.startswith(b"HTTP/1.1 201 "), body)

    def test_volume_by_location(self):
        response, _ = self.call("POST", "/v1/volumes", DATA)
        self.assertEqual(response.status, 202)
        location = response.getheader("Location")
        deadline = time.monotonic() + 10
        while True:
            response, body = self.call("GET", location)
            if response.status != 202:
                break
            self.assertLess(time.monotonic(), deadline)
        self.assertEqual(response.status, 200)
        self.assertEqual(json.loads(body)["status"], "available")
        self.assertEqual(self.stats()["created"], 1)

    def test_connection_is_kept_alive(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.connect()
        first = connection.sock
        for _ in range(50):
            connection.request("POST", "/v1/volumes", DATA)
            self.assertEqual(connection.getresponse().read()[:1], b"{")
            self.assertIs(connection.sock, first)
        connection.close()

    def test_query_is_decoded(self):
        self.call("POST", "/v1/volumes", DATA, {"X-Correlation-Id": "a/b c"})
        for query in ("a%2Fb%20c", "a/b+c"):
            found = self.json("GET", "/v1/volumes?correlation=" + query)
            self.assertEqual(len(found["items"]), 1, query)
        response, _ = self.call("GET", "/v1/volumes?correlation=%zz")
        self.assertEqual(response.status, 400)

    def test_dropped_answer_closes_the_connection_without_a_byte(self):
        for action, created in (("dropAfterWork", 1), ("dropBeforeWork", 1)):
            self.rules({"match": {"method": "POST"}, "action": {action: True}})
            request = ("POST /v1/volumes HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s"
                       % (len(DATA), DATA)).encode()
            self.assertEqual(self.raw(request), b"", action)
            self.assertEqual(self.stats()["created"], created, action)

    def test_truncated_answer(self):
        self.rules({"match": {"method": "POST"}, "action": {"truncate": True}})
        with self.assertRaises(http.client.IncompleteRead):
            self.call("POST", "/v1/volumes", DATA)
        self.assertEqual(self.stats()["created"], 1)

    def test_garbage_and_status(self):
        self.rules({"match": {"method": "POST"}, "action": {"garbage": True}},
                   {"match": {"method": "POST"},
                    "action": {"status": 429, "retryAfter": "2", "body": {"a": 1}}})
        response, body = self.call("POST", "/v1/volumes", DATA)
        self.assertEqual(response.status, 200)
        with self.assertRaises(ValueError):
            json.loads(body)
        response, body = self.call("POST", "/v1/volumes", DATA)
        self.assertEqual((response.status, response.getheader("Retry-After"), json.loads(body)),
                         (429, "2", {"a": 1}))

    def test_delays_hold_up_nobody_else(self):
        count = 32
        self.rules({"match": {"method": "POST"}, "times": count, "action": {"delay": "3s"}})
        started = time.monotonic()
        waiting = []
        for _ in range(count):
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
            connection.request("POST", "/v1/volumes", DATA)
            waiting.append(connection)
        for _ in range(20):
            self.stats()
        answered, _, _ = select.select([c.sock for c in waiting], [], [], 0)
        self.assertEqual(answered, [], "the control API waited for a delay")
        for connection in waiting:
            response = connection.getresponse()
            self.assertEqual(response.status, 202)
            response.read()
            connection.close()
        self.assertGreaterEqual(time.monotonic() - started, 3)
        self.assertEqual(self.stats()["created"], count)

    def test_late_answer_goes_to_no_other_connection(self):
        self.rules({"match": {"method": "POST"}, "action": {"delay": "300ms"}})
        gone = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        gone.request("POST", "/v1/volumes", DATA)
        while self.stats()["delayed"] == 0:
            pass
        gone.close()
        # One of these takes the number of the closed descriptor; all wait in silence.
        heirs = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(8)]
        answered, _, _ = select.select(heirs, [], [], 0.8)
        self.assertEqual(answered, [])
        for heir in heirs:
            heir.close()

    def test_delayed_work_is_done_though_the_caller_has_gone(self):
        self.rules({"match": {"method": "POST"}, "action": {"delayWork": "300ms"}})
        gone = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        gone.request("POST", "/v1/volumes", DATA)
        while self.stats()["delayed"] == 0:
            pass
        gone.close()
        self.assertEqual(self.stats()["created"], 0)
        deadline = time.monotonic() + 10
        while self.stats()["created"] == 0:
            self.assertLess(time.monotonic(), deadline)

    def test_odd_requests_are_answered_and_the_server_goes_on(self):
        big = b"x" * (3 * 1024 * 1024)
        post = b"POST /v1/volumes HTTP/1.1\r\nHost: x\r\n"
        rows = [
            (post + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", b"501",
             "chunked body"),
            (post + b"Content-Length: 2000000\r\n\r\n", b"413", "body announced too big"),
            (post + b"Content-Length: 99999999999999999999\r\n\r\n", b"413", "absurd length"),
            (post + b"Content-Length: -5\r\n\r\n", b"400", "negative length"),
            (b"BREW / HTTP/1.1\r\n\r\n", b"400", "unknown method"),
            (b"GET / HTTP/9.9\r\n\r\n", b"400", "unknown version"),
            (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", b"400", "a TLS greeting"),
            (b"GET\r\n\r\n", b"400", "half a request line"),
            (b"GET /" + b"a" * 70000 + b" HTTP/1.1\r\n\r\n", b"431", "endless target"),
            (b"GET /v1/volumes HTTP/1.0\r\n\r\n", b"200", "HTTP/1.0"),
            (b"GET /%zz HTTP/1.1\r\nConnection: close\r\n\r\n", b"400", "broken escape"),
            (b"GET /v1/volumes HTTP/1.1\r\n\r\nGET /x HTTP/1.1\r\n\r\n", b"200",
             "pipelined requests"),
            (b"HEAD /v1/volumes HTTP/1.1\r\n\r\n", b"405", "HEAD"),
            (b"GET /v1/volumes?=&&a&=b&c= HTTP/1.0\r\n\r\n", b"200", "odd query"),
        ]
        for request, status, reason in rows:
            answer = self.raw(request)
            self.assertEqual(answer[9:12], status, reason)
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1, reason)
        response, _ = self.call("POST", "/v1/volumes", big)
        self.assertEqual(response.status, 413)
        self.assertEqual(self.stats()["created"], 0)

    def test_silent_and_broken_connections_hold_up_nobody(self):
        silent = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(64)]
        for connection in silent[::2]:
            connection.sendall(b"POST /v1/volumes HTTP/1.1\r\nContent-Length: 100\r\n\r\nabc")
        started = time.monotonic()
        for _ in range(20):
            self.stats()
        self.assertLess(time.monotonic() - started, 5)
        for connection in silent:
            connection.close()
        self.assertEqual(self.stats()["created"], 0)

    def test_termination_does_not_wait_for_delays(self):
        self.rules({"match": {"method": "POST"}, "action": {"delay": "4m"}})
        waiting = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        waiting.request("POST", "/v1/volumes", DATA)
        while self.stats()["delayed"] == 0:
            pass
        started = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        self.assertEqual(self.process.wait(timeout=10), 0)
        self.assertLess(time.monotonic() - started, 5)
        waiting.close()


class CommandLineTest(unittest.TestCase):
    def run_it(self, *arguments):
        return subprocess.run([SIMCLOUD, *arguments], capture_output=True, text=True, timeout=20)

    def test_help(self):
        result = self.run_it("--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("--operation-duration", result.stdout)

    def test_address_that_others_reach_is_refused(self):
        result = self.run_it("--address", "0.0.0.0")
        self.assertEqual(result.returncode, 2)
        self.assertIn("loopback", result.stderr)

    def test_port_in_use_is_named(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            result = self.run_it("--port", str(port))
        self.assertEqual(result.returncode, 1)
        self.assertIn(str(port), result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
