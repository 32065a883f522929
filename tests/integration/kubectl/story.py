"""One kubectl against one server: runs commands, keeps what they print, and tells cases in order."""

import base64
import json
import os
import re
import secrets
import subprocess

from stack import await_true
from transcript import stable

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "manifests",
                       "samples")
SAMPLE_CLOUD = "http://127.0.0.1:18080"


class Failed(AssertionError):
    """A command or its output is not what it should be."""


class Output:
    """What one command came to."""

    def __init__(self, command, code, out, err):
        self.command, self.code, self.out, self.err = command, code, out, err

    def __str__(self):
        return f"$ kubectl {self.command}\n(exit {self.code})\n{self.out}{self.err}"

    def has(self, *texts):
        """The same, once each text is found on stdout or stderr, whatever the spaces between."""
        flat = " ".join((self.out + "\n" + self.err).split())
        for text in texts:
            if " ".join(text.split()) not in flat:
                raise Failed(f"lacks {text!r}:\n{self}")
        return self

    def matches(self, pattern):
        if not re.search(pattern, self.out, re.MULTILINE):
            raise Failed(f"does not match {pattern!r}:\n{self}")
        return self

    def json(self):
        return json.loads(self.out)

    def lines(self):
        return self.out.splitlines()


class Story:
    """The commands of one kubectl, in a HOME of its own (its discovery cache lives there)."""

    def __init__(self, kubectl, server, cloud, directory):
        self.kubectl, self.server, self.cloud, self.directory = kubectl, server, cloud, directory
        self.transcript = {}  # case -> stable text
        self.everything = []  # what all commands printed
        self.case = ""
        self.token = "tok-" + secrets.token_hex(16)
        self.environment = {"PATH": os.environ["PATH"], "HOME": os.path.join(directory, "home"),
                            "KUBECONFIG": server.kubeconfig}
        os.makedirs(self.environment["HOME"])

    def at_least(self, minor):
        """Whether this kubectl is 1.MINOR or newer."""
        return self.kubectl.minor >= (1, minor)

    def tell(self, output, secret=False):
        # What shows the secret on request is not held against the secret.
        if not secret:
            self.everything.append(str(output))
        text = str(output).replace(base64.b64encode(self.token.encode()).decode(), "TOKEN")
        self.transcript[self.case] = self.transcript.get(self.case, "") + stable(text) + "\n"

    def attempt(self, command, stdin="", secret=False, **environment):
        """Runs it; a list, or text that is split at spaces."""
        words = command.split() if isinstance(command, str) else command
        done = subprocess.run([self.kubectl.path, *words], capture_output=True, text=True,
                              input=stdin, timeout=60, check=False,
                              env={**self.environment, **environment})
        output = Output(" ".join(words), done.returncode, done.stdout, done.stderr)
        self.tell(output, secret)
        return output

    def run(self, command, **options):
        """Runs what must succeed."""
        output = self.attempt(command, **options)
        if output.code != 0:
            raise Failed(f"failed:\n{output}")
        return output

    def refused(self, command, **options):
        """Runs what must fail with exit code 1."""
        output = self.attempt(command, **options)
        if output.code != 1:
            raise Failed(f"is not refused:\n{output}")
        return output

    def start(self, command, log):
        """A command that goes on; its output is appended to the file."""
        with open(log, "wb") as file:
            return subprocess.Popen([self.kubectl.path, *command.split()], stdout=file, stderr=file,
                                    stdin=subprocess.DEVNULL, env=self.environment)

    def file(self, name, value):
        """The path of a file with that object, or that text."""
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(value if isinstance(value, str) else json.dumps(value))
        return path

    def stranger(self):
        """A kubeconfig that trusts the server and names nobody."""
        with open(self.server.kubeconfig, encoding="utf-8") as file:
            authority = re.search(r'certificate-authority-data"?:\s*"?([A-Za-z0-9+/=]+)', file.read())
        cluster = {"server": self.server.url, "certificate-authority-data": authority.group(1)}
        context = {"cluster": "asyncops", "user": "", "namespace": "default"}
        return {"apiVersion": "v1", "kind": "Config", "current-context": "stranger",
                "clusters": [{"name": "asyncops", "cluster": cluster}],
                "contexts": [{"name": "stranger", "context": context}]}

    def sample(self, name, change=lambda text: text):
        """A sample of manifests/, with the test's cloud and short waits."""
        with open(os.path.join(SAMPLES, name), encoding="utf-8") as file:
            text = file.read()
        text = text.replace(SAMPLE_CLOUD, self.cloud.url).replace("initial: 1s", "initial: 200ms")
        return self.file(name, change(text))

    def await_output(self, command, condition, what):
        """Repeats a command until the condition of its output holds; only the last is kept."""
        found = []

        def holds():
            done = subprocess.run([self.kubectl.path, *command.split()], capture_output=True,
                                  text=True, timeout=60, check=False, env=self.environment)
            found[:] = [Output(command, done.returncode, done.stdout, done.stderr)]
            return condition(found[0])
        await_true(lambda: f"{what}:\n{found[0]}", holds)
        self.tell(found[0])
        return found[0]
