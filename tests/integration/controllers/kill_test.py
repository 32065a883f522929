"""kill -9 of the real server again and again while it empties a namespace: after the last start the
namespace is gone, nothing is left in it, and nothing is left outside.

usage: kill_test.py ASYNCOPS SIMCLOUD [SEED]"""

import random
import sys
import tempfile
import time

from content import ASYNCOPS, CORE, fill, left_in
from declarations import is_ready
from stack import Server, Simcloud, await_true

KILLS = 12
LONGEST_LIFE_S = 0.5
VOLUMES = 12
SECRETS = 120


def status_of(api, path):
    return api.send("GET", path)[0]


def main():
    asyncops, simcloud = sys.argv[1:3]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as directory, \
            Simcloud(simcloud, directory, "300ms") as cloud, Server(asyncops, directory) as server:
        server.start()
        api = server.api()
        for name in ("doomed", "kept"):
            fill(api, name, cloud.url, VOLUMES, SECRETS)
        volumes = ASYNCOPS + "/namespaces/{}/asyncresources"

        def waiting():
            return [each["metadata"]["name"] for name in ("doomed", "kept")
                    for each in api.list(volumes.format(name)) if not is_ready(each)]
        await_true(lambda: f"Ready: {waiting()}", lambda: not waiting(), 60)
        status, body = api.send("DELETE", f"{CORE}/doomed")
        assert status == 200 and body["status"]["phase"] == "Terminating", (status, body)

        lives = 0
        for _ in range(KILLS):
            time.sleep(dice.uniform(0, LONGEST_LIFE_S))
            server.kill()
            server.start()
            lives += status_of(server.api(), f"{CORE}/doomed") == 200
        api = server.api()
        await_true(lambda: f"the end of {api.get(CORE + '/doomed')}",
                   lambda: status_of(api, f"{CORE}/doomed") == 404, 60)
        await_true(lambda: f"nothing left: {left_in(api, 'doomed')}",
                   lambda: not left_in(api, "doomed"), 10)
        outside = sorted(each["name"] for each in cloud.admin("volumes")["items"]
                         if each["status"] != "deleted")
        assert outside == sorted(f"kept-{number}" for number in range(VOLUMES)), outside
        kept = left_in(api, "kept")
        assert len(kept["asyncresources"]) == VOLUMES, kept
        assert len(kept["secrets"]) == SECRETS, kept
        assert server.stop() == 0, server.log_text()[-2000:]
    print(f"{KILLS} kills, {lives} of them before the namespace was gone; {VOLUMES} volumes and "
          f"{SECRETS} secrets went, and as many stayed in the other namespace")


main()
