"""The rows that put others' programs beside ours, which are built of Go modules first. Where they
cannot be had the rows are SKIPPED, and say why."""

import peers as peers_module
import tools
from cluster import Cluster
from table import Row

import footprint
import hooking
import versus

ROWS = {"B1a", "B1b", "B6a", "B12", "B13"}
CLUSTERED = ROWS - {"B1a", "B6a"}


def skipped(names, reason):
    print(f"bench: SKIPPED {' '.join(sorted(names))}: {reason}", flush=True)
    return [Row(name, f"SKIPPED: {str(reason)[:200]}", "-", met="SKIPPED") for name in names]


def clustered(run, wanted, peers, guarded):
    rows = []
    with Cluster(peers.cluster_programs(), peers.folder("cluster")) as cluster, \
            peers_module.Etcd(cluster.paths["etcd"], peers.folder("etcd")) as etcd:
        if "B1b" in wanted:
            for namespace in versus.NAMESPACES:
                cluster.run("create", "namespace", namespace)
            with peers_module.CertifiedAsyncops(run, peers, "versus") as server, \
                    peers_module.SampleApiserver(run, peers, cluster, etcd) as peer:
                server.await_port(server.port)
                peer.await_port(peer.port)
                rows += guarded("B1b", versus.sample_apiserver, run, peers, server, peer)
        if "B12" in wanted:
            rows += guarded("B12", footprint.start_rows, run, peers, cluster, etcd)
        if wanted & {"B12", "B13"}:
            rows += guarded("B13", footprint.resident_rows, run, peers, cluster)
    return rows


def rows(run, wanted, guarded):
    """Those of ROWS that are wanted. guarded(name, measure, *arguments): as bench.py has it."""
    wanted = wanted & ROWS
    if not wanted:
        return []
    found = []
    try:
        peers = peers_module.Peers(run)
        if "B1a" in wanted:
            found += guarded("B1a", versus.aggregator, run, peers)
        if "B6a" in wanted:
            found += guarded("B6a", hooking.webhooks, run, peers)
        if wanted & CLUSTERED:
            found += clustered(run, wanted, peers, guarded)
    except tools.Unavailable as reason:
        found += skipped(wanted - {row.name for row in found}, reason)
    return found
