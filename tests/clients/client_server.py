"""A standalone server that clients survive: killed with SIGKILL at their word, and started again on
the same data and the same port."""

import os
import resource
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "integration",
                                "stack"))

from stack import Server


def raise_file_limit():
    """As many open files as the machine allows, for this process and its children; how many."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


class ClientServer(Server):
    """What a client program asks of the server, a line each on its stdout; answered on its stdin."""

    def restart(self):
        """kill -9, and up again."""
        port = self.port()
        self.kill()
        self.start(port=port)

    def restart_long_after(self):
        """The same, but the log of changes is then older than is kept, so that it is compacted: the
        notes of when a revision was made are set back while the server is down."""
        port = self.port()
        self.kill()
        files = [name for name in os.listdir(self.data) if name.endswith(".db")]
        assert len(files) == 1, os.listdir(self.data)
        database = sqlite3.connect(os.path.join(self.data, files[0]))
        with database:
            database.execute("UPDATE revision_times SET time = 0")
            # Closing here removes the write-ahead log, which the server would miss otherwise.
            database.execute("UPDATE meta SET value = 1 WHERE name = 'clean'")
        database.close()
        self.start(port=port)

    def serve(self, command, environment):
        """Runs a client program to its end, its output passed on but for what it asks; its code."""
        asked = {"RESTART": self.restart, "RESTART-LONG-AFTER": self.restart_long_after}
        environment = {**os.environ, "KUBECONFIG": self.kubeconfig,
                       "SERVER_PID": str(self.child.pid), **environment}
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              env=environment) as program:
            for line in program.stdout:
                if line.strip() not in asked:
                    print(line, end="", flush=True)
                    continue
                try:
                    asked[line.strip()]()
                    program.stdin.write("DONE\n")
                    program.stdin.flush()
                except BaseException:
                    program.kill()
                    raise
        return program.returncode
