"""kube-apiserver, asyncops and the connection between them go away in the middle of operations:
what was declared is made exactly once, and status catches up.

usage: faults_test.py ASYNCOPS SIMCLOUD CACHE DIRECTORY [CASE-PART]; SEED of the environment"""

import collections
import os
import random
import time

from caller import Caller
from declared import is_ready, namespace, operations, resources, system, systems, volume
from stack import await_true
import world

KILLS = 50
# After its start a server lives this long at most: submits last about as long, delays included.
LONGEST_LIFE_S = 0.5
# Long enough for every watch, token and cache of asyncops to have noticed.
AWAY_SECONDS = 4
# A resource whose status could not be written is tried again after 15 s at most, the server whether
# kube-apiserver is back after 8 s, and machines of tests are busy.
CAUGHT_UP_SECONDS = 90


def _setup(here, name):
    api = here.cluster.api()
    api.create("/api/v1/namespaces", namespace(name))
    api.create(systems(name), system(here.cloud.url))
    # It has a status once asyncops has heard of it by its watch, which may just begin anew.
    await_true("the system's status",
               lambda: is_ready(api.get(systems(name) + "/cloud")), 30)
    return api


def _await_ready(here, name, seconds=60):
    def waiting():
        return [(each["metadata"]["name"], each.get("status", {}).get("phase"),
                 each.get("status", {}).get("conditions"))
                for each in here.cluster.api().list(resources(name)) if not is_ready(each)]
    await_true(lambda: f"Ready: {waiting()}", lambda: not waiting(), seconds)


def _made_once(here, declared):
    """Each of these volumes was made in the cloud, once."""
    made = collections.Counter(each["name"] for each in here.cloud.admin("volumes")["items"]
                               if each["name"] in declared)
    wrong = {name: made[name] for name in declared if made[name] != 1}
    assert not wrong, f"not made once: {wrong}"
    stats = here.cloud.stats()
    assert stats["duplicatesByCorrelation"] == 0, stats


def _history_has_no_gap(here, name):
    api = here.cluster.api()
    for each in api.list(operations(name)):
        operation = each["metadata"]["name"]
        sequences = [item["sequence"] for item in api.list(operations(name, operation, "history"))]
        assert sequences == list(range(1, len(sequences) + 1)) != [], (operation, sequences)


def goes_on_while_the_api_server_is_killed(here):
    """kill -9 of kube-apiserver while operations run outside; asyncops is not restarted."""
    api = _setup(here, "team-kill")
    here.cloud.admin("behaviour", {"operationDuration": "2s"})
    names = [f"killed-{index}" for index in range(8)]
    for name in names:
        api.create(resources("team-kill"), volume(name))
    await_true("operations under way", lambda: here.cloud.stats()["running"] == 8)
    here.cluster.restart_apiserver()
    _await_ready(here, "team-kill", CAUGHT_UP_SECONDS)
    _made_once(here, names)
    assert here.asyncops.running()


def goes_on_with_a_system_that_was_just_made(here):
    """kube-apiserver dies before asyncops can have read it, or while it does."""
    for index, delay in enumerate((0, 0.05)):
        name = f"team-young-{index}"
        api = here.cluster.api()
        api.create("/api/v1/namespaces", namespace(name))
        api.create(systems(name), system(here.cloud.url))
        names = [f"young-{index}-{each}" for each in range(3)]
        for each in names:
            api.create(resources(name), volume(each))
        time.sleep(delay)
        here.cluster.restart_apiserver()
        _await_ready(here, name, CAUGHT_UP_SECONDS)
        _made_once(here, names)


def ends_operations_while_the_api_server_is_away(here):
    """Away for longer than operations last: they end outside and in our store; nothing is sent
    twice; once it is back the status of the resources follows."""
    api = _setup(here, "team-away")
    here.cloud.admin("behaviour", {"operationDuration": "2s"})
    names = [f"away-{index}" for index in range(8)]
    for name in names:
        api.create(resources("team-away"), volume(name))
    await_true("operations under way", lambda: here.cloud.stats()["running"] == 8)
    submits = here.cloud.stats()["submits"]
    here.cluster.apiserver.kill()
    # Who is of system:masters needs no review, and so is answered now, too.
    direct = Caller(here.asyncops.url, here.asyncops.ca_file,
                    here.cluster.client_ca.client("admin", ["system:masters"]))

    def unfinished():
        status, answer = direct.ask("GET", operations("team-away"))
        assert status == 200, answer
        return [each["status"] for each in answer["items"] if each["status"]["phase"] != "Succeeded"]
    await_true(lambda: f"the end of all operations: {unfinished()}", lambda: not unfinished(), 30)
    time.sleep(AWAY_SECONDS)
    here.cluster.start_apiserver()
    _await_ready(here, "team-away", CAUGHT_UP_SECONDS)
    _made_once(here, names)
    assert here.cloud.stats()["submits"] == submits, (submits, here.cloud.stats())
    assert here.asyncops.running()


def starts_before_the_api_server_is_there(here):
    """Started while kube-apiserver is down, it waits, and then serves."""
    here.asyncops.kill()
    here.cluster.apiserver.kill()
    start = here.asyncops.start()
    time.sleep(2)
    here.cluster.start_apiserver()
    if not here.asyncops.running():
        # Ending with a reason is right, too: whoever runs it starts it again.
        assert "kube-apiserver" in here.asyncops.log_text(start), here.asyncops.log_text(start)
        here.asyncops.serve()
    here.asyncops.await_available()
    api = _setup(here, "team-early")
    api.create(resources("team-early"), volume("early"))
    _await_ready(here, "team-early")


def _misbehaviour(dice):
    """Rules for one round. Each leaves a submit in doubt, or makes it last."""
    post = {"method": "POST", "pathPrefix": "/v1/volumes"}
    actions = [{"delay": "150ms"}, {"delayWork": "150ms"}, {"dropAfterWork": True},
               {"dropBeforeWork": True}, {"garbage": True}, {"truncate": True},
               {"status": 503, "afterWork": True}, {"status": 429, "retryAfter": "1"}]
    rules = [{"match": post, "times": 1, "action": dice.choice(actions)} for _ in range(2)]
    return {"rules": rules, "operationDuration": "200ms"}


def makes_each_volume_once_whatever_is_killed(here):
    """kill -9 of asyncops at random instants while it submits; resources are declared at
    kube-apiserver all the time."""
    seed = int(os.environ.get("SEED", random.SystemRandom().randrange(1 << 32)))
    print(f"seed {seed}", flush=True)
    dice = random.Random(seed)
    api = _setup(here, "team-crash")
    names = []
    for turn in range(KILLS):
        here.cloud.admin("behaviour", _misbehaviour(dice))
        for index in range(2):
            names.append(f"crash-{turn:02}-{index}")
            # The webhook may be away, and then kube-apiserver takes nothing.
            status, answer = api.send("POST", resources("team-crash"), volume(names[-1]))
            assert status == 201, answer
        time.sleep(dice.uniform(0, LONGEST_LIFE_S))
        here.asyncops.kill()
        here.asyncops.serve()
    here.cloud.admin("behaviour", {"rules": []})
    _await_ready(here, "team-crash", 90)
    _made_once(here, names)
    here.asyncops.await_available()
    _history_has_no_gap(here, "team-crash")
    stats = here.cloud.stats()
    print(f"{KILLS} kills, {len(names)} volumes, each made once; {stats['submits']} submits, "
          f"{stats['replays']} of them answered by their key")


world.run([goes_on_while_the_api_server_is_killed, goes_on_with_a_system_that_was_just_made,
           ends_operations_while_the_api_server_is_away,
           starts_before_the_api_server_is_there, makes_each_volume_once_whatever_is_killed])
