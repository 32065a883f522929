"""The server dies at each fault point, in twenty schedules each, and goes on from what is on disk
until every operation has its end; what the cloud made decides.

usage: fault_point_test.py ASYNCOPS SIMCLOUD [--schedules N] [--lanes N] [--seed N] [--point NAME]"""

import argparse
import collections
import concurrent.futures
import http.client
import os
import random
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "stack"))

from declarations import RESOURCES, SYSTEMS, external_system
from fault_kinds import POINTS, User, behaviour, declare, kind_of, kind_of_point
from stack import ASYNCOPS, OPERATIONS, Server, Simcloud

KILLED = 137
OPERATION_LIST = OPERATIONS + "/namespaces/default/asyncoperations"
RESOURCE_LIST = ASYNCOPS + RESOURCES
ENDS = ("Succeeded", "Failed", "Canceled")
# A point that is not reached by then is tried with other things.
# A circuit that the misbehaviour of the cloud has opened is shut for some seconds.
PATIENCE_S = 8
TRIES = 6
END_S = 60


class Lane:
    """Schedules of one server and one cloud, one after the other."""

    def __init__(self, arguments, number):
        self.directory = tempfile.TemporaryDirectory()
        self.cloud = Simcloud(arguments.simcloud, self.directory.name, "200ms")
        self.server = Server(arguments.asyncops, self.directory.name)
        self.user = User(self.cloud, RESOURCE_LIST, OPERATION_LIST)
        self.dice = random.Random(arguments.seed * 1000 + number)
        self.declared = []
        self.deaths = collections.Counter()

    def close(self):
        self.server.kill()
        self.cloud.kill()
        self.directory.cleanup()

    def create(self, api, path, thing):
        status, body = api.send("POST", path, thing)
        assert status in (201, 409), (status, body)

    def prepare(self):
        self.server.start()
        for name in ("keyed", "keyless"):
            self.create(self.server.api(), ASYNCOPS + SYSTEMS,
                        external_system(name, self.cloud.url, with_key=name == "keyed"))
        assert self.server.stop() == 0

    def provoke(self, point):
        """Declares something that comes by the point, and acts until the server is dead or time is
        over; whether it is."""
        kind = kind_of_point(point)
        self.cloud.admin("behaviour", behaviour(kind, self.dice))
        name = f"{kind}-{len(self.declared):04}"
        self.declared.append(name)
        end = time.monotonic() + PATIENCE_S
        try:
            api = self.server.api()
            self.create(api, RESOURCE_LIST, declare(name))
            while time.monotonic() < end:
                self.user.act(api)
                time.sleep(0.03)
        except (OSError, http.client.HTTPException):
            self.server.child.wait(timeout=15)
        return not self.server.running()

    def start(self, fault_point):
        """Whether the work that was left brought it to the point before it served."""
        try:
            self.server.start(fault_point=fault_point)
        except AssertionError:
            if self.server.running() or self.server.child.returncode != KILLED:
                raise
            return True
        return False

    def die_at(self, point):
        nth = self.dice.choice([1, 1, 1, 2])
        for attempt in range(TRIES):
            # A server that starts anew has no circuit open, and counts from one again.
            self.server.kill()
            if self.start(f"{point}:{nth if attempt == 0 else 1}") or self.provoke(point):
                break
        else:
            raise AssertionError(f"the server never came by {point}")
        code = self.server.child.returncode
        assert code == KILLED, f"at {point} it ended with {code}:\n{self.server.log_text()[-3000:]}"
        self.deaths[point] += 1

    def come_to_the_end(self):
        self.cloud.admin("behaviour", {"rules": [], "operationDuration": "100ms"})
        self.server.start()
        api = self.server.api()
        end = time.monotonic() + END_S
        while True:
            operations, resources = self.user.act(api)
            left = [each["metadata"]["name"] for each in operations
                    if each["status"].get("phase") not in ENDS]
            left += [each["metadata"]["name"] for each in resources
                     if each.get("status", {}).get("phase") not in ("Ready", "Failed")]
            # Those that became Ready just now are deleted by the next act.
            left += [each["metadata"]["name"] for each in resources
                     if kind_of(each["metadata"]["name"]) == "delete"
                     and each.get("status", {}).get("phase") == "Ready"]
            if not left:
                break
            assert time.monotonic() < end, f"no end: {left}"
            time.sleep(0.05)
        self.check(resources)
        assert self.server.stop() == 0, self.server.log_text()[-3000:]

    def check(self, resources):
        """One thing for each that was declared, and nothing twice."""
        stats = self.cloud.stats()
        assert stats["duplicatesByCorrelation"] == 0 and stats["duplicatesByName"] == 0, stats
        made = collections.defaultdict(list)
        for each in self.cloud.admin("volumes")["items"]:
            made[each["name"]].append(each["status"])
        phases = {each["metadata"]["name"]: each["status"].get("phase") for each in resources}
        for name, statuses in made.items():
            kind = kind_of(name)
            phase = phases.get(name)
            assert len(statuses) == 1 or kind == "park", f"{name}: {statuses}"
            if kind == "delete":
                assert statuses == ["deleted"], f"{name}: {statuses}"
            elif phase == "Ready":
                assert statuses.count("available") == 1, f"{name} is Ready: {statuses}"
        for name, phase in phases.items():
            if kind_of(name) not in ("cancel", "fail"):
                assert phase == "Ready" and name in made, f"{name}: {phase}, {made.get(name)}"

    def run(self, schedules, points):
        self.prepare()
        for _ in range(schedules):
            order = list(points)
            self.dice.shuffle(order)
            for point in order:
                self.die_at(point)
            self.come_to_the_end()
        return self.deaths


def run_lane(arguments, number, schedules):
    lane = Lane(arguments, number)
    try:
        return lane.run(schedules, [arguments.point] if arguments.point else POINTS)
    except BaseException:
        print(f"lane {number} failed; the end of its server's log:\n"
              f"{lane.server.log_text()[-3000:]}", flush=True)
        raise
    finally:
        lane.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("asyncops")
    parser.add_argument("simcloud")
    parser.add_argument("--schedules", type=int, default=20)
    parser.add_argument("--lanes", type=int, default=5)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 20))
    parser.add_argument("--point", default="")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    shares = [arguments.schedules // arguments.lanes +
              (1 if i < arguments.schedules % arguments.lanes else 0)
              for i in range(arguments.lanes)]
    deaths = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(arguments.lanes) as pool:
        lanes = [pool.submit(run_lane, arguments, number, share)
                 for number, share in enumerate(shares) if share > 0]
        for lane in lanes:
            deaths.update(lane.result())
    print(f"{sum(deaths.values())} deaths at {len(deaths)} points, each {min(deaths.values())} times "
          "at least; each thing was made once")


main()
