"""B5 and B10a: changes on their way to many watchers, against a loop of SSL_write, and what an idle
watch holds in memory."""

import json
import os
import subprocess
import time

import dataset
import objects
from clients import Client, WrongAnswer
from pairs import PAIRS, Sample, alternate, middle
from processes import Process, free_port, status_kib
from table import Row, pair_row

NAMESPACE = "fan"
CROWDS = ((1000, 50, 0.70), (10000, 5, 0.60))  # watchers, events a second, goal
SECONDS = 2  # of one slice
WATCH_KIB = 21


class Talker(Process):
    """A child that answers a line with a line."""

    def __init__(self, command, log):
        self.log = log
        with open(log, "wb") as file:
            self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                          stderr=file, text=True)

    def say(self, text):
        self.child.stdin.write(text + "\n")
        self.child.stdin.flush()

    def hear(self, word):
        line = self.child.stdout.readline().split()
        if not line or line[0] != word:
            raise WrongAnswer(f"{self.child.args[0]}: {' '.join(line) or self.log_text()}")
        return line[1:]

    def stop(self):
        if self.child.poll() is None:
            self.say("quit")
            self.child.stdin.close()
        return self.child.wait(timeout=60)


def watchers(run, port, path, count):
    program = os.path.join(run.binaries, "fan_client")
    log = os.path.join(run.directory, f"fan-client-{port}.log")
    return Talker([program, str(port), run.token, path, str(count)], log)


class Changes:
    """One object that changes; each change is an event of about two kilobytes."""

    def __init__(self, run, server):
        self.client = Client(server.url, run)
        dataset.make_namespace(self.client, NAMESPACE)
        path = objects.SYSTEMS.format(NAMESPACE)
        fill = dataset.fitted(self.client, path,
                              lambda name, size: objects.external_system(NAMESPACE, name, size), 8)
        made = self.client.create(path, objects.external_system(NAMESPACE, "changing", fill))
        self.path = f"{path}/changing"
        self.watch = f"{path}?watch=true&resourceVersion={made['metadata']['resourceVersion']}"
        self.number = 0
        dataset.await_still(self.client)  # the controller says once that it is valid

    def make(self):
        self.number += 1
        body = json.dumps({"metadata": {"labels": {"team": f"{self.number:06}"}}})
        status, _, answer = self.client.send("PATCH", self.path, body,
                                             content="application/merge-patch+json")
        if status != 200:
            raise WrongAnswer(f"PATCH {self.path}: {status} {answer[:300]!r}")

    def event(self):
        return b'{"type":"MODIFIED","object":' + self.client.get(self.path).strip() + b"}\n"

    def skip(self):
        """Watches begin after what was there already."""
        version = json.loads(self.client.get(self.path))["metadata"]["resourceVersion"]
        self.watch = self.watch.rpartition("=")[0] + "=" + version


def slice_of(server, crowd, rate, change, lags):
    """Events at a steady pace; a Sample of deliveries per second of the server's CPU time."""
    count, fan = crowd

    def run_slice():
        before, start = server.cpu(), time.monotonic()
        events = rate * SECONDS
        for number in range(events):
            time.sleep(max(0.0, start + number / rate - time.monotonic()))
            sent = time.monotonic()
            fan.say("expect 1")
            change()
            if fan.hear("done") != ["0", "0"]:
                raise WrongAnswer("some watchers saw more events than there were")
            lags.append(time.monotonic() - sent)
        spent = server.cpu() - before
        deliveries = events * count
        return Sample(deliveries / spent, spent * 1e6 / deliveries, deliveries)
    return run_slice


def fan_out(run, server):
    changes = Changes(run, server)
    event_file = os.path.join(run.directory, "event")
    rows = []
    for count, rate, goal in CROWDS:
        changes.skip()
        with open(event_file, "wb") as file:
            file.write(changes.event())
        port = free_port()
        idle = status_kib(server.pid, "VmRSS")
        floor = Talker([os.path.join(run.binaries, "raw_fan"), str(port), run.certificate, run.key,
                        event_file], os.path.join(run.directory, "raw-fan.log"))
        with floor, watchers(run, server.port, changes.watch, count) as ours:
            floor.await_port(port)
            ours.hear("ready")
            held = (status_kib(server.pid, "VmRSS") - idle) / count
            with watchers(run, port, "/", count) as theirs:
                theirs.hear("ready")
                lags, floor_lags = [], []

                def write_all():
                    floor.say("send 1")
                    floor.hear("sent")

                measured = alternate(slice_of(server, (count, ours), rate, changes.make, lags),
                                     slice_of(floor, (count, theirs), rate, write_all, floor_lags),
                                     pairs=PAIRS if count < 10000 else 3)
        row = pair_row("B5", f"one event to {count:,} watchers, {rate} a second, "
                       f"{len(changes.event()):,} B; a loop of SSL_write", measured, goal, True,
                       deliveries_text)
        row.notes.append(f"{count:,} watchers: an event has reached the last one after "
                         f"{middle(lags) * 1e3:.0f} ms ({max(lags) * 1e3:.0f} at most); the loop's "
                         f"after {middle(floor_lags) * 1e3:.0f} ms")
        rows.append(row)
    rows.append(Row("B10a", f"memory of an idle watch, of {count:,}", f"{held:.1f} KiB",
                    goal=f"<= {WATCH_KIB} KiB", met="met" if held <= WATCH_KIB else "SHORT"))
    return rows


def deliveries_text(samples):
    return (f"{middle([s.value for s in samples]):,.0f} deliveries per CPU second, "
            f"{middle([s.cpu for s in samples]):.1f} us each")
