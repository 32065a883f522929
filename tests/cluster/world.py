"""What every program of cluster tests has: a cluster, asyncops in it, a simulated cloud, and cases in
order. usage of each: FILE ASYNCOPS SIMCLOUD CACHE DIRECTORY [CASE-PART,...]"""

import os
import shutil
import sys
import time
import traceback

import programs
from asyncops_server import AsyncopsServer
from cluster import Cluster
from stack import Simcloud
import tools

# Of each log that is shown after a failure; the whole of it stays in the directory.
LOG_LINES = 20
LOG_COLUMNS = 400


class World:
    def __init__(self, cluster, asyncops, cloud, directory, cache, simcloud):
        self.cluster, self.asyncops, self.cloud = cluster, asyncops, cloud
        self.directory, self.cache, self.simcloud = directory, cache, simcloud


def _told(case, world):
    """Whether the case holds."""
    begin = time.monotonic()
    try:
        case(world)
    except Exception as problem:  # pylint: disable=broad-except
        traceback.print_exc(file=sys.stdout)
        print(f"FAILED {case.__name__}: {problem}", flush=True)
        return False
    print(f"holds  {case.__name__}  {time.monotonic() - begin:.1f} s", flush=True)
    return True


def _tail(log):
    if os.path.exists(log):
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = [line.rstrip()[:LOG_COLUMNS] for line in file.readlines()[-LOG_LINES:]]
        print(f"--- {log} ends:\n" + "\n".join(lines))


def run(cases, serve=True, prepare=None):
    """Ends the process: 0 where all cases hold, 1, or 77. A case that fails does not keep the next
    from being tried. serve: whether asyncops is installed and started first, after prepare(world)."""
    asyncops, simcloud, cache, directory = (os.path.abspath(each) for each in sys.argv[1:5])
    wanted = sys.argv[5].split(",") if len(sys.argv) > 5 else [""]
    name = os.path.basename(sys.argv[0])
    tools.forget_skip(cache, name)
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    try:
        paths = programs.build(cache)
    except tools.Unavailable as problem:
        tools.skip(cache, name, problem)
    begin = time.monotonic()
    with Cluster(paths, directory) as cluster, Simcloud(simcloud, directory, "300ms") as cloud, \
            AsyncopsServer(asyncops, cluster, directory) as server:
        world = World(cluster, server, cloud, directory, cache, simcloud)
        if prepare is not None:
            prepare(world)
        if serve:
            server.install()
            server.serve()
            server.await_available()
        print(f"ready after {time.monotonic() - begin:.1f} s", flush=True)
        failed = [case.__name__ for case in cases
                  if any(part in case.__name__ for part in wanted) and not _told(case, world)]
        if failed:
            for log in (cluster.apiserver.log, server.log):
                _tail(log)
            print("FAILED: " + ", ".join(failed))
    sys.exit(1 if failed else 0)
