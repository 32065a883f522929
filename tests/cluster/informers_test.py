"""The Go clients' story over the aggregator: informers of client-go and caches of controller-runtime
miss nothing, whichever of the two servers is killed under them."""

import os
import subprocess

import world
from world import tools

# asyncops, kube-apiserver, and so on: who is killed when the story asks for a restart.
STORIES = [("asyncops", "true"), ("asyncops", "false"), ("kube-apiserver", "true")]


def _restart(here, who):
    if who == "asyncops":
        here.asyncops.kill()
        here.asyncops.serve()
        here.asyncops.await_available()
    else:
        here.cluster.restart_apiserver()
        here.asyncops.await_available()


def _tell(here, who, watch_list):
    environment = {**os.environ, "KUBECONFIG": here.cluster.kubeconfig(),
                   "KUBE_FEATURE_WatchListClient": watch_list, "RELISTS": "true",
                   "SERVER_PID": str(here.asyncops.child.pid), "STORY": f"{who}-{watch_list}"}
    with subprocess.Popen([tools.go_program(here.cache, "story")], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True, env=environment) as program:
        try:
            for line in program.stdout:
                if line.strip() != "RESTART":
                    print("  " + line, end="", flush=True)
                    continue
                _restart(here, who)
                program.stdin.write("DONE\n")
                program.stdin.flush()
        except BaseException:
            program.kill()
            raise
    assert program.returncode == 0, f"the story ended with {program.returncode}"


def story(who, watch_list):
    def case(here):
        _tell(here, who, watch_list)
    case.__name__ = f"informers_miss_nothing_{who}_killed_watchlist_{watch_list}"
    return case


world.run([story(*each) for each in STORIES])
