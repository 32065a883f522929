"""A real API server takes every manifest: a server-side dry run, with fields that it does not know
refused."""

import json
import os

from asyncops_server import ROOT, apply, rendered
import world

MANIFESTS = os.path.join(os.path.abspath(ROOT), "manifests")
# (group, version, kind) of others that overlays use.
FOREIGN = [("cert-manager.io", "v1", "Issuer"), ("cert-manager.io", "v1", "Certificate"),
           ("monitoring.coreos.com", "v1", "ServiceMonitor"),
           ("monitoring.coreos.com", "v1", "PrometheusRule")]


def _dry_run(cluster, path):
    return cluster.run("apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", path)


def _established(cluster):
    names = cluster.run("get", "crds", "-o", "name").split()
    cluster.run("wait", "--for=condition=Established", "--timeout=30s", *names)
    return names


def takes_the_definitions(here):
    crds = os.path.join(MANIFESTS, "crds")
    here.cluster.run("apply", "--server-side", "--validate=strict", "-k", crds)
    names = _established(here.cluster)
    assert len(names) == 2, names
    # Nothing of them is lost: what is not structural would be said here.
    for name in names:
        conditions = here.cluster.run("get", name, "-o", "jsonpath={.status.conditions}")
        assert "NonStructuralSchema" not in conditions, conditions


def _foreign_definition(group, version, kind):
    """Of a kind of others: that it exists is all that is known of it here."""
    plural = kind.lower() + "s"
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": {"kind": kind, "plural": plural},
                 "versions": [{"name": version, "served": True, "storage": True,
                               "schema": {"openAPIV3Schema": anything}}]}}


def takes_each_kustomization(here):
    """base and every overlay, whole."""
    apply(here.cluster, [_foreign_definition(*each) for each in FOREIGN])
    _established(here.cluster)
    here.cluster.run("create", "namespace", "asyncops-system")
    folders = sorted(folder for folder, _, files in os.walk(MANIFESTS)
                     if "kustomization.yaml" in files)
    assert os.path.join(MANIFESTS, "base") in folders, folders
    for folder in folders:
        objects = rendered(here.cluster, folder)
        listed = {"apiVersion": "v1", "kind": "List", "items": objects}
        here.cluster.run("apply", "--server-side", "--dry-run=server", "--validate=strict",
                         "--force-conflicts", "-f", "-", stdin=json.dumps(listed))
        print(f"  {os.path.relpath(folder, ROOT)}: {len(objects)} objects", flush=True)


def takes_the_samples(here):
    """All but the one that is wrong on purpose, which only the webhook knows."""
    samples = os.path.join(MANIFESTS, "samples")
    here.cluster.run("create", "namespace", "team-a")
    for folder, _, files in os.walk(samples):
        for name in sorted(files):
            if name.endswith(".yaml") and name != "invalid.yaml":
                _dry_run(here.cluster, os.path.join(folder, name))


def refuses_a_field_that_no_schema_knows(here):
    path = os.path.join(here.directory, "unknown.yaml")
    with open(os.path.join(MANIFESTS, "samples", "30-data-volume.yaml"), encoding="utf-8") as file:
        text = file.read().replace("externalSystemRef:", "externalSystemReference:")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    try:
        _dry_run(here.cluster, path)
    except AssertionError as problem:
        assert "externalSystemReference" in str(problem), problem
        return
    raise AssertionError("an unknown field was taken")


world.run([takes_the_definitions, takes_each_kustomization, takes_the_samples,
           refuses_a_field_that_no_schema_knows], serve=False)
