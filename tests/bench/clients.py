"""The clients: wrk for load, curl for long answers, and a plain one that prepares and checks."""

import http.client
import json
import os
import re
import socket
import ssl
import subprocess

from pairs import Sample, WrongAnswer

HERE = os.path.dirname(os.path.abspath(__file__))
CONNECTIONS = 64
SLICE_SECONDS = 2
TABLE = ("application/json;as=Table;v=v1;g=meta.k8s.io,"
         "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json")


class Client:
    """One keep-alive connection. Not for measuring."""

    def __init__(self, url, run, context=None):
        host, port = re.fullmatch(r"https://([^:]+):(\d+)", url).groups()
        context = context or ssl.create_default_context(cafile=run.certificate)
        self.connection = http.client.HTTPSConnection(host, int(port), timeout=30, context=context)
        self.headers = {"Authorization": "Bearer " + run.token}

    def send(self, method, path, body=None, accept="application/json",
             content="application/json"):
        """(status, headers, body), whatever the status."""
        headers = dict(self.headers, Accept=accept)
        if body is not None:
            headers["Content-Type"] = content
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        return response.status, response.headers, response.read()

    def get(self, path, accept="application/json"):
        status, _, body = self.send("GET", path, accept=accept)
        if status != 200:
            raise WrongAnswer(f"GET {path}: {status} {body[:300]!r}")
        return body

    def create(self, path, value):
        status, _, body = self.send("POST", path, json.dumps(value, separators=(",", ":")))
        if status != 201:
            raise WrongAnswer(f"POST {path}: {status} {body[:300]!r}")
        return json.loads(body)

    def cipher(self):
        self.connection.connect()
        return self.connection.sock.version(), self.connection.sock.cipher()[0]

    def close(self):
        self.connection.close()


def wrk(server, script, arguments, lengths=None, refused=0.0):
    """One slice of load on a server; a Sample of answers per second. lengths: of the shortest and
    of the longest answer, heads included. refused: the share of answers that are to be no 2xx."""
    before = server.cpu()
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SLICE_SECONDS}s", "-s",
               os.path.join(HERE, script), server.url, "--", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"^slice (\d+) (\d+) (\d+) (\d+) (\d+)$", done.stdout, re.MULTILINE)
    if not found:
        raise RuntimeError(f"wrk failed: {done.stdout}{done.stderr}")
    answers, size, microseconds, errors, refusals = map(int, found.groups())
    if errors or not answers or abs(refusals / answers - refused) > refused / 5:
        raise WrongAnswer(f"{script}: of {answers} answers {errors} failed, {refusals} were refused")
    # What was under way at the end is counted in bytes and not in answers.
    if lengths and not answers * lengths[0] <= size <= (answers + CONNECTIONS) * lengths[1]:
        raise WrongAnswer(f"{script}: {answers} answers of {lengths} bytes make no {size}")
    cpu = (server.cpu() - before) * 1e6 / answers
    return Sample(answers * 1e6 / microseconds, cpu, answers)


def fetch_times(run, url, accept, times, keep):
    """Fetches a long answer several times on one connection; (seconds, first byte, length) of each
    but the first, which paid for the handshake. The last one is kept in a file."""
    # By its own name curl would be given JSON that is indented for people.
    command = ["curl", "-sS", "-A", "asyncops-bench", "--cacert", run.certificate,
               "-H", "Accept: " + accept, "-H", "Authorization: Bearer " + run.token, "-w",
               "%{http_code} %{time_total} %{time_starttransfer} %{size_download}\\n"]
    for _ in range(times):
        command += ["-o", "/dev/null", url]
    command += ["-o", keep, url]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = [line.split() for line in done.stdout.splitlines()]
    if done.returncode or len(rows) != times + 1 or any(row[0] != "200" for row in rows):
        raise WrongAnswer(f"curl {url}: {done.stdout} {done.stderr}")
    return [(float(row[1]), float(row[2]), int(row[3])) for row in rows[1:times]]


def whole_answer(run, server, path, body=None):
    """One answer as it comes on a keep-alive connection, head included: to a POST where there is a
    body."""
    host, port = "127.0.0.1", server.port
    context = ssl.create_default_context(cafile=run.certificate)
    head = (f"{'GET' if body is None else 'POST'} {path} HTTP/1.1\r\nHost: {host}:{port}\r\n"
            f"Authorization: Bearer {run.token}\r\nAccept: application/json\r\n")
    if body is not None:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    with socket.create_connection((host, port), 10) as plain, \
            context.wrap_socket(plain, server_hostname=host) as sock:
        sock.sendall((head + "\r\n").encode() + (body or b""))
        answer = b""
        while not (found := re.search(rb"content-length: (\d+).*?\r\n\r\n", answer, re.I | re.S)):
            answer += sock.recv(65536)
        length = found.end() + int(found.group(1))
        while len(answer) < length:
            answer += sock.recv(65536)
    return answer
