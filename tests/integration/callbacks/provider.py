"""A provider: it makes things, says when it is asked that they are done, and calls back, signed in
the way of each scheme."""

import base64
import hashlib
import hmac
import http.client
import http.server
import itertools
import json
import threading
import time
import urllib.parse

SECRET = "a signing secret of more than 24 bytes"
WEBHOOK_SECRET = "whsec_" + base64.b64encode(SECRET.encode()).decode()


def _mac(content, secret=SECRET):
    return hmac.new(secret.encode(), content, hashlib.sha256)


def standard_webhooks(body, name):
    now = str(int(time.time()))
    mac = _mac(f"{name}.{now}.".encode() + body)
    return {"webhook-id": name, "webhook-timestamp": now,
            "webhook-signature": "v1," + base64.b64encode(mac.digest()).decode()}


def github(body, name):
    return {"X-Hub-Signature-256": "sha256=" + _mac(body).hexdigest(), "X-GitHub-Delivery": name}


def stripe(body, _):
    now = str(int(time.time()))
    return {"Stripe-Signature": f"t={now},v1={_mac(now.encode() + b'.' + body).hexdigest()}"}


def slack(body, _):
    now = str(int(time.time()))
    return {"X-Slack-Request-Timestamp": now,
            "X-Slack-Signature": "v0=" + _mac(b"v0:" + now.encode() + b":" + body).hexdigest()}


def acme(body, name):
    now = str(int(time.time()))
    mac = _mac(now.encode() + b"." + name.encode() + b"." + body)
    return {"X-Acme-Time": now, "X-Acme-Id": name,
            "X-Acme-Signature": "acme=" + base64.b64encode(mac.digest()).decode()}


def token(_, __):
    return {}


class Provider:
    """On a free port of this machine. A thing is done once finish() named it, or at once."""

    def __init__(self):
        self.numbers = itertools.count(1)
        self.lock = threading.Lock()
        self.calls = {}        # by operation ID: the URL to call back
        self.done = set()
        self.polls = 0
        self.before_answer = None  # called with (id, url) before a submit is answered
        self.loses_answers = False  # to submits
        self.hold = threading.Event()
        self.hold.set()
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, status, body):
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                answer = provider.start(body)
                if provider.loses_answers:
                    self.close_connection = True
                    return
                self.answer(202, answer)

            def do_GET(self):
                provider.hold.wait(20)
                self.answer(200, provider.look(self.path.rsplit("/", 1)[1]))

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def start(self, body):
        name = f"op-{next(self.numbers)}"
        with self.lock:
            self.calls[name] = body.get("callbackUrl")
        if self.before_answer is not None:
            self.before_answer(name, body.get("callbackUrl"))
        return {"id": name}

    def look(self, name):
        with self.lock:
            self.polls += 1
            return {"id": name, "status": "done" if name in self.done else "running",
                    "volume": "volume-of-" + name}

    def finish(self, name):
        with self.lock:
            self.done.add(name)

    def url_of(self, name):
        with self.lock:
            return self.calls.get(name)


class Caller:
    """Posts to the server as somebody out there does."""

    def __init__(self, context):
        self.context = context

    def send(self, url, body=b"", headers=None, method="POST"):
        """(status, headers)."""
        parts = urllib.parse.urlsplit(url)
        connection = http.client.HTTPSConnection(parts.netloc, timeout=20, context=self.context)
        try:
            connection.request(method, parts.path, body,
                               {"Content-Type": "application/json", **(headers or {})})
            response = connection.getresponse()
            response.read()
            return response.status, dict(response.getheaders())
        finally:
            connection.close()
