"""The real server and the real simulated cloud as child processes on free ports, in a directory of
the test, and a plain client for each. Waiting is for a sign, with a deadline; never for luck."""

import base64
import http.client
import json
import os
import re
import signal
import ssl
import subprocess
import time
import urllib.parse

ASYNCOPS = "/apis/asyncops.dev/v1alpha1"
OPERATIONS = "/apis/operations.asyncops.dev/v1alpha1"


def await_true(what, condition, seconds=20.0):
    """The first true answer of condition(); AssertionError with `what` (or what() ) after seconds."""
    deadline = time.monotonic() + seconds
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(0.02)


class Child:
    """A process whose output is appended to a log."""

    def __init__(self, log):
        self.log = log
        self.child = None

    def spawn(self, command, environment=None):
        """Starts it; returns how long the log was before."""
        with open(self.log, "ab") as file:
            start = file.tell()
            self.child = subprocess.Popen(command, stdout=file, stderr=file,
                                          stdin=subprocess.DEVNULL, env=environment)
        return start

    def log_text(self, start=0):
        with open(self.log, "rb") as file:
            file.seek(start)
            return file.read().decode(errors="replace")

    def await_line(self, pattern, start):
        """The first group of the pattern's first match in the log behind start."""
        def find():
            match = re.search(pattern, self.log_text(start), re.MULTILINE)
            if match is None and self.child.poll() is not None:
                raise AssertionError(f"{self.child.args[0]} ended with {self.child.returncode}:\n"
                                     + self.log_text(start))
            return match
        return await_true(f"{pattern} in {self.log}", find).group(1)

    def running(self):
        return self.child is not None and self.child.poll() is None

    def stop(self):
        """SIGTERM; the exit code. What does not end in 15 s is killed, and that is an error."""
        if self.child is None:
            return 0
        if self.running():
            self.child.send_signal(signal.SIGTERM)
        try:
            return self.child.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"{self.child.args[0]} did not end on SIGTERM") from None

    def kill(self):
        """kill -9, and its end awaited."""
        if self.running():
            self.child.kill()
        if self.child is not None:
            self.child.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


class Simcloud(Child):
    """The simulated cloud (docs/simcloud.md), started at once."""

    def __init__(self, binary, directory, duration, idempotency=True, port=0):
        super().__init__(os.path.join(directory, "simcloud.log"))
        start = self.spawn([binary, "--port", str(port), "--operation-duration", duration,
                            "--idempotency=" + ("on" if idempotency else "off")])
        self.url = self.await_line(r"^simcloud: serving (\S+)$", start)

    def admin(self, path, behaviour=None):
        """What /admin/PATH answers; with a behaviour it is put there."""
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(self.url).netloc, timeout=20)
        body = None if behaviour is None else json.dumps(behaviour)
        connection.request("GET" if body is None else "PUT", "/admin/" + path, body)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        if response.status != 200:
            raise AssertionError(f"/admin/{path}: {response.status} {text}")
        return json.loads(text)

    def stats(self):
        return self.admin("stats")


class Server(Child):
    """`asyncops serve --standalone`; may be started again and again on its data directory."""

    def __init__(self, binary, directory):
        super().__init__(os.path.join(directory, "server.log"))
        self.binary = binary
        self.data = os.path.join(directory, "data")
        self.files = directory
        self.url = self.kubeconfig = None

    def start(self, fault_point=None, port=0):
        """On any free port, or on that one."""
        environment = dict(os.environ)
        environment.pop("ASYNCOPS_FAULT_POINT", None)
        if fault_point is not None:
            environment["ASYNCOPS_FAULT_POINT"] = fault_point
        start = self.spawn([self.binary, "serve", "--standalone", "--data-dir", self.data,
                            "--secure-port", str(port), "--allow-outbound", "127.0.0.0/8"],
                           environment)
        self.kubeconfig = self.await_line(r"^kubeconfig: (\S+)$", start)
        self.url = self.await_line(r"^asyncops \S+ serving on (\S+)$", start)

    def port(self):
        return urllib.parse.urlsplit(self.url).port

    def api(self):
        """A client with the certificate of the kubeconfig."""
        with open(self.kubeconfig, encoding="utf-8") as file:
            text = file.read()
        paths = {}
        for field in ("certificate-authority", "client-certificate", "client-key"):
            encoded = re.search(rf'{field}-data"?:\s*"?([A-Za-z0-9+/=]+)', text).group(1)
            paths[field] = os.path.join(self.files, field + ".pem")
            with open(paths[field], "wb") as file:
                file.write(base64.b64decode(encoded))
        context = ssl.create_default_context(cafile=paths["certificate-authority"])
        context.load_cert_chain(paths["client-certificate"], paths["client-key"])
        return Api(self.url, context)


class Api:
    """One keep-alive connection to the server. Not for use from several threads."""

    def __init__(self, url, context):
        netloc = urllib.parse.urlsplit(url).netloc
        self.connection = http.client.HTTPSConnection(netloc, timeout=20, context=context)

    def send(self, method, path, body=None, content_type="application/json"):
        """(status, decoded body). Text is sent as YAML. OSError or HTTPException where the server
        went away."""
        data = None if body is None else json.dumps(body)
        if isinstance(body, str):
            data, content_type = body, "application/yaml"
        headers = {} if body is None else {"Content-Type": content_type}
        self.connection.request(method, path, data, headers)
        response = self.connection.getresponse()
        text = response.read().decode()
        return response.status, json.loads(text) if text else None

    def _expect(self, wanted, method, path, *sent):
        """The body. Told to come back later, it does, as client-go: 429 is "nothing was done", and
        what a kube-apiserver says that has just begun."""
        for _ in range(20):
            status, body = self.send(method, path, *sent)
            if status != 429:
                break
            time.sleep((body.get("details") or {}).get("retryAfterSeconds", 1))
        if status != wanted:
            raise AssertionError(f"{method} {path}: {status} {json.dumps(body)}")
        return body

    def get(self, path):
        return self._expect(200, "GET", path)

    def create(self, path, body):
        return self._expect(201, "POST", path, body)

    def merge(self, path, patch):
        return self._expect(200, "PATCH", path, patch, "application/merge-patch+json")

    def list(self, path):
        return self.get(path)["items"]
