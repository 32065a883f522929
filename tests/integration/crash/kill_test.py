"""kill -9 of the real server at random instants while it submits: everything that was declared is
made exactly once, nothing that was acknowledged is lost, and the history has no gap.

usage: kill_test.py ASYNCOPS SIMCLOUD [--kills N] [--lanes N] [--seed N]"""

import argparse
import collections
import concurrent.futures
import http.client
import os
import random
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "stack"))

from declarations import RESOURCES, SYSTEMS, condition, external_system, is_ready, volume
from stack import ASYNCOPS, OPERATIONS, Server, Simcloud, await_true

# After its start a server lives this long at most: submits last about as long, delays included.
LONGEST_LIFE_S = 0.4
PER_ROUND = 4
# Kills of one server, after which everything is looked at: more would be more of the same.
KILLS_PER_CHECK = 50


def misbehaviour(dice):
    """Rules for one round. Each leaves a submit in doubt, or makes it last."""
    post = {"method": "POST", "pathPrefix": "/v1/volumes"}
    actions = [{"delay": "150ms"}, {"delayWork": "150ms"}, {"dropAfterWork": True},
               {"dropBeforeWork": True}, {"garbage": True}, {"truncate": True},
               {"status": 503, "afterWork": True}, {"status": 429, "retryAfter": "1"}]
    rules = [{"match": post, "times": 1, "action": dice.choice(actions)} for _ in range(3)]
    return {"rules": rules}


class Declarer:
    """Declares volumes on a thread until the server goes away, and keeps who was acknowledged."""

    def __init__(self, server, names, acknowledged):
        self.api = server.api()
        self.names = names
        self.acknowledged = acknowledged
        self.problem = None
        self.thread = threading.Thread(target=self.run)

    def run(self):
        try:
            for name in self.names:
                status, body = self.api.send("POST", ASYNCOPS + RESOURCES, volume(name, "keyed"))
                if status != 201:
                    raise AssertionError(f"create {name}: {status} {body}")
                self.acknowledged.append(name)
        except (OSError, http.client.HTTPException):
            pass  # The server was killed: this one is not acknowledged.
        except AssertionError as problem:
            self.problem = problem


def kill_again_and_again(server, cloud, dice, kills):
    """The names that were acknowledged."""
    acknowledged = []
    for turn in range(kills):
        if turn > 0:
            server.start()
        cloud.admin("behaviour", misbehaviour(dice))
        names = [f"volume-{turn:02}-{i}" for i in range(PER_ROUND)]
        declarer = Declarer(server, names, acknowledged)
        declarer.thread.start()
        time.sleep(dice.uniform(0, LONGEST_LIFE_S))
        server.kill()
        declarer.thread.join()
        if declarer.problem is not None:
            raise declarer.problem
    return acknowledged


def check_history(api):
    """Every operation has each sequence once, from the first to the last; how many attempts."""
    count = 0
    for operation in api.list(OPERATIONS + "/namespaces/default/asyncoperations"):
        name = operation["metadata"]["name"]
        path = f"{OPERATIONS}/namespaces/default/asyncoperations/{name}/history"
        sequences = [item["sequence"] for item in api.list(path)]
        assert sequences, f"{name} has no history"
        assert sequences == list(range(1, len(sequences) + 1)), f"{name}: sequences {sequences}"
        count += len(sequences)
    return count


def check_cloud(cloud, declared):
    stats = cloud.stats()
    assert stats["duplicatesByCorrelation"] == 0, stats
    assert stats["duplicatesByName"] == 0, stats
    made = collections.Counter(each["name"] for each in cloud.admin("volumes")["items"])
    twice = {name: times for name, times in made.items() if times != 1}
    assert not twice, f"made more than once: {twice}"
    assert set(made) == set(declared), set(made) ^ set(declared)
    assert stats["created"] == len(declared), stats
    return stats


def kill_and_check(arguments, seed, kills):
    """What was seen, to be added up."""
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as directory, \
            Simcloud(arguments.simcloud, directory, "200ms") as cloud, \
            Server(arguments.asyncops, directory) as server:
        server.start()
        server.api().create(ASYNCOPS + SYSTEMS, external_system("keyed", cloud.url, with_key=True))
        acknowledged = kill_again_and_again(server, cloud, dice, kills)
        cloud.admin("behaviour", {"rules": []})
        server.start()
        api = server.api()
        declared = [each["metadata"]["name"] for each in api.list(ASYNCOPS + RESOURCES)]
        lost = set(acknowledged) - set(declared)
        assert not lost, f"acknowledged and lost: {sorted(lost)}"

        def waiting():
            return [(each["metadata"]["name"], condition(each, "Ready"))
                    for each in api.list(ASYNCOPS + RESOURCES) if not is_ready(each)]
        await_true(lambda: f"Ready: {waiting()}", lambda: not waiting(), 60)
        stats = check_cloud(cloud, declared)
        attempts = check_history(api)
        assert server.stop() == 0, server.log_text()[-2000:]
    return collections.Counter(kills=kills, declared=len(declared), acknowledged=len(acknowledged),
                               submits=stats["submits"], replays=stats["replays"],
                               attempts=attempts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("asyncops")
    parser.add_argument("simcloud")
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--lanes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    shares = [KILLS_PER_CHECK] * (arguments.kills // KILLS_PER_CHECK)
    if arguments.kills % KILLS_PER_CHECK:
        shares.append(arguments.kills % KILLS_PER_CHECK)
    seen = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(arguments.lanes) as pool:
        for share in pool.map(
                lambda job: kill_and_check(arguments, arguments.seed + job[0], job[1]),
                enumerate(shares)):
            seen.update(share)
    print(f"{seen['kills']} kills; {seen['declared']} volumes declared, {seen['acknowledged']} "
          f"acknowledged, each made once; {seen['submits']} submits, {seen['replays']} of them "
          f"answered by their key; {seen['attempts']} attempts in the history without a gap")


main()
