"""The two servers, each on a free port of the loopback and in a directory of its own, and what the
kernel says of them."""

import os
import re
import signal
import socket
import subprocess
import time

TICKS = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def status_kib(pid, field):
    """A field of /proc/PID/status, such as VmRSS, in KiB."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(rf"^{field}:\s*(\d+)", file.read(), re.MULTILINE).group(1))


def forget_peak(pid):
    """Lets VmHWM begin again from what is resident now."""
    with open(f"/proc/{pid}/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Process:
    """A child that is ended, with its log kept, when the block ends."""

    def __init__(self, command, log):
        self.log = log
        with open(log, "wb") as file:
            self.child = subprocess.Popen(command, stdout=file, stderr=file)

    @property
    def pid(self):
        return self.child.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
        self.child.wait(timeout=15)
        return self.child.returncode

    def log_text(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def await_port(self, port):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and self.child.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                time.sleep(0.01)
        raise RuntimeError(f"{self.child.args[0]} did not start:\n{self.log_text()}")

    def cpu(self):
        return cpu_seconds(self.pid)


class Asyncops(Process):
    """`asyncops serve --standalone` with the certificate and the token of the run."""

    def __init__(self, run, name, port=None, own_identity=False, extra=()):
        self.port = port or free_port()
        self.directory = os.path.join(run.directory, name)
        command = [os.path.join(run.binaries, "asyncops"), "serve", "--standalone",
                   f"--data-dir={self.directory}", f"--secure-port={self.port}",
                   f"--token-auth-file={run.token_file}", *extra]
        if not own_identity:
            command += [f"--tls-cert-file={run.certificate}", f"--tls-private-key-file={run.key}"]
        super().__init__(command, os.path.join(run.directory, name + ".log"))

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"


class Nginx(Process):
    """nginx with a configuration of its own: as many workers as the server has HTTP threads, the
    same certificate, TLS 1.3, nothing written per request."""

    CONFIGURATION = """
daemon off;
{user}
worker_processes 2;
pid {directory}/nginx.pid;
error_log {directory}/nginx-error.log warn;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  default_type application/json;
  keepalive_requests 1000000000;
  keepalive_timeout 120s;
  sendfile on;
  tcp_nopush on;
  open_file_cache max=20000 inactive=600s;
  open_file_cache_valid 600s;
  client_body_buffer_size 16k;
  client_body_temp_path {directory}/nginx-body;
  proxy_temp_path {directory}/nginx-proxy;
  fastcgi_temp_path {directory}/nginx-fastcgi;
  uwsgi_temp_path {directory}/nginx-uwsgi;
  scgi_temp_path {directory}/nginx-scgi;
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_protocols TLSv1.3;
    ssl_certificate {certificate};
    ssl_certificate_key {key};
    root {root};
    location = /validate {{ return 200 '{answer}'; }}
  }}
}}
"""

    def __init__(self, run, answer="{}"):
        self.port = free_port()
        self.root = os.path.join(run.directory, "root")
        os.makedirs(self.root, exist_ok=True)
        if re.search(r"['$\\]", answer):
            raise WrongConfiguration("the answer holds what nginx would read as its own syntax")
        path = os.path.join(run.directory, "nginx.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.CONFIGURATION.format(
                user="user root;" if os.geteuid() == 0 else "", directory=run.directory,
                port=self.port, certificate=run.certificate, key=run.key, root=self.root,
                answer=answer))
        super().__init__(["nginx", "-c", path, "-p", run.directory], run.directory + "/nginx.log")
        self.await_port(self.port)

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"

    def put(self, path, content):
        full = self.root + path
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(content)

    def cpu(self):
        with open(f"/proc/{self.pid}/task/{self.pid}/children", encoding="ascii") as file:
            return sum(cpu_seconds(int(worker)) for worker in file.read().split())


class WrongConfiguration(Exception):
    """What cannot be told to nginx."""
