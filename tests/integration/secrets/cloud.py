"""A cloud that hands out passwords, asks for a client certificate and takes tokens of its own token
server. It knows nothing of asyncops, and remembers what it was sent."""

import base64
import http.server
import json
import os
import secrets
import ssl
import subprocess
import threading
import urllib.parse


class Authority:
    """Certificates by the openssl command, in a directory of the test."""

    def __init__(self, directory):
        self.directory = directory
        self._run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                  "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=cloud CA",
                  "-days", "1")

    def _run(self, *arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True,
                       cwd=self.directory)

    def issue(self, name, extension):
        """(certificate, key): paths below the directory."""
        self._run("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                  "-keyout", name + ".key", "-out", name + ".csr", "-subj", "/CN=" + name)
        with open(os.path.join(self.directory, name + ".ext"), "w", encoding="utf-8") as file:
            file.write(extension)
        self._run("x509", "-req", "-in", name + ".csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                  "-CAcreateserial", "-out", name + ".pem", "-days", "1", "-extfile",
                  name + ".ext")
        return tuple(os.path.join(self.directory, name + end) for end in (".pem", ".key"))

    def path(self, name):
        return os.path.join(self.directory, name)

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()


class Cloud:
    """Databases at /databases; operations are done at their second poll. Over https with an
    authority: it then asks for a client certificate, and for a token of /token."""

    def __init__(self, authority=None):
        self.lock = threading.Lock()
        self.databases = {}
        self.polls = {}
        self.creations = 0
        self.clients = set()   # common names that certificates showed
        self.client_secret = "cl1ent-" + secrets.token_hex(8)
        self.tokens = []       # ever given
        self.good_tokens = set()
        self.refused = 0       # calls with a token that holds no more
        self.protected = authority is not None
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        scheme = "http"
        if authority is not None:
            scheme = "https"
            certificate, key = authority.issue("localhost", "subjectAltName=IP:127.0.0.1")
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            context.load_verify_locations(authority.path("ca.pem"))
            context.verify_mode = ssl.CERT_OPTIONAL
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True,
                                                     do_handshake_on_connect=False)
        self.url = f"{scheme}://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def revoke(self):
        with self.lock:
            self.good_tokens.clear()

    def password(self, name):
        with self.lock:
            return self.databases[name]["password"]

    # What requests do; the handler holds the lock.

    def create(self, body, key):
        for database in self.databases.values():
            if key and database["key"] == key:
                return 202, self.operation(database["name"])
        name = body["name"]
        self.creations += 1
        self.databases[name] = {"name": name, "key": key,
                                "password": "pw-" + secrets.token_urlsafe(18)}
        return 202, self.operation(name)

    @staticmethod
    def operation(name):
        return {"Location": "/operations/" + name}

    def poll(self, name):
        self.polls[name] = self.polls.get(name, 0) + 1
        if self.polls[name] < 2:
            return 202, {"status": "running"}
        database = self.databases[name]
        return 200, {"id": "db-" + name, "password": database["password"],
                     "dsn": f"postgres://app:{database['password']}@{name}.example/app",
                     "hint": f"connect with {database['password']}"}

    def token(self, form, authorization):
        expected = "Basic " + base64.b64encode(
            f"app:{self.client_secret}".encode()).decode()
        if authorization != expected or form.get("grant_type") != ["client_credentials"]:
            return 401, {"error": "invalid_client", "error_description": str(authorization)}
        token = "tok-" + secrets.token_hex(12)
        self.tokens.append(token)
        self.good_tokens.add(token)
        return 200, {"access_token": token, "token_type": "Bearer", "expires_in": 3600}

    def forbidden(self, authorization):
        """Why the caller may not come in; None where it may."""
        if not self.protected:
            return None
        token = (authorization or "").removeprefix("Bearer ")
        if token in self.good_tokens:
            return None
        self.refused += 1
        return {"error": f"{authorization} holds no more"}

    def _handler(cloud):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self, status, body):
                headers = {"Location": body["Location"]} if "Location" in body else {}
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def note_client(self):
                if not cloud.protected:
                    return None
                shown = self.connection.getpeercert()
                if not shown:
                    return {"error": "no client certificate"}
                cloud.clients.add(dict(part[0] for part in shown["subject"])["commonName"])
                return None

            def serve(self):
                length = int(self.headers.get("Content-Length") or 0)
                raw = self.rfile.read(length).decode()
                authorization = self.headers.get("Authorization")
                with cloud.lock:
                    if self.path == "/token":
                        return self.answer(
                            *cloud.token(urllib.parse.parse_qs(raw), authorization))
                    problem = self.note_client()
                    if problem:
                        return self.answer(403, problem)
                    problem = cloud.forbidden(authorization)
                    if problem:
                        return self.answer(401, problem)
                    if self.command == "POST":
                        return self.answer(*cloud.create(
                            json.loads(raw), self.headers.get("Idempotency-Key")))
                    if self.command == "GET":
                        return self.answer(*cloud.poll(self.path.rsplit("/", 1)[1]))
                    return self.answer(404, {"error": "gone"})

            do_GET = do_POST = do_DELETE = serve
        return Handler
