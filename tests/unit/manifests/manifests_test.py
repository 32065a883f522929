"""The manifests as `kubectl kustomize` builds them: that each builds, and that none of them opens a
door. A real kube-apiserver judges them in the cluster tests."""

import functools
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[3]
MANIFESTS = ROOT / "manifests"
INSTALLATIONS = ["overlays/self-signed", "overlays/cert-manager"]
BUILDS = ["crds", "base", *INSTALLATIONS, "overlays/monitoring"]
NAMESPACE = "asyncops-system"
CLUSTER_SCOPED = {
    "APIService", "ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "Namespace",
    "ValidatingWebhookConfiguration",
}
SUBRESOURCE = re.compile(r'\.name = "(\w+)"')


@functools.cache
def build(name):
    done = subprocess.run(["kubectl", "kustomize", str(MANIFESTS / name)], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"kubectl kustomize manifests/{name}: {done.stderr}")
    return [document for document in yaml.safe_load_all(done.stdout) if document]


def objects_of(documents, kind):
    return [document for document in documents if document["kind"] == kind]


def only(documents, kind):
    (found,) = objects_of(documents, kind)
    return found


def members(value, key):
    """Each value of a member of that name, however deep."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name == key:
                yield member
            yield from members(member, key)
    elif isinstance(value, list):
        for item in value:
            yield from members(item, key)


def granted(role):
    """(group, resource, verb) of each thing that a role lets its holder do."""
    for rule in role["rules"]:
        for group in rule.get("apiGroups", []):
            for resource in rule.get("resources", []):
                for verb in rule["verbs"]:
                    yield group, resource, verb


class Built(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.builds = {name: build(name) for name in BUILDS}
        cls.base = cls.builds["base"]

    def container(self, documents):
        (container,) = only(documents, "StatefulSet")["spec"]["template"]["spec"]["containers"]
        return container


class EveryBuild(Built):
    def test_no_certificate_is_taken_unverified(self):
        for path in MANIFESTS.rglob("*"):
            if path.is_file():
                self.assertNotRegex(path.read_text(), r"(?i)insecure_?-?skip", path)

    def test_files_are_linted(self):
        if shutil.which("yamllint") is None:
            return  # scripts/check.sh installs it, and runs it over the whole tree
        done = subprocess.run(["yamllint", "--strict", str(MANIFESTS)], capture_output=True,
                              text=True, check=False, cwd=ROOT)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_objects_say_whose_they_are_and_where(self):
        for name, documents in self.builds.items():
            for document in documents:
                meta = document["metadata"]
                where = f"{name}: {document['kind']} {meta['name']}"
                if document["kind"] != "CustomResourceDefinition":
                    self.assertEqual(meta["labels"]["app.kubernetes.io/name"], "asyncops", where)
                if document["kind"] in CLUSTER_SCOPED:
                    self.assertNotIn("namespace", meta, where)
                elif document["kind"] == "RoleBinding" and meta["namespace"] == "kube-system":
                    self.assertEqual(document["roleRef"]["name"],
                                     "extension-apiserver-authentication-reader", where)
                else:
                    self.assertEqual(meta["namespace"], NAMESPACE, where)

    def test_every_file_is_part_of_something(self):
        for kustomization in MANIFESTS.rglob("kustomization.yaml"):
            listed = set(yaml.safe_load(kustomization.read_text())["resources"])
            there = {path.name for path in kustomization.parent.glob("*.yaml")}
            self.assertEqual({name for name in listed if name.endswith(".yaml")},
                             there - {"kustomization.yaml"}, kustomization)


class Rights(Built):
    def roles(self, documents):
        return [*objects_of(documents, "Role"), *objects_of(documents, "ClusterRole")]

    def test_no_wildcard(self):
        for name, documents in self.builds.items():
            for role in self.roles(documents):
                self.assertNotIn("*", json.dumps(role["rules"]),
                                 f"{name}: {role['metadata']['name']}")

    def test_of_secrets_none_is_listed_watched_or_deleted(self):
        for documents in self.builds.values():
            for role in self.roles(documents):
                verbs = {verb for group, resource, verb in granted(role)
                         if (group, resource) == ("", "secrets")}
                self.assertLessEqual(verbs, {"get", "create", "patch", "update"})

    def test_what_belongs_to_the_cluster_is_touched_by_name_alone(self):
        guarded = {"apiservices", "validatingwebhookconfigurations", "customresourcedefinitions"}
        for documents in self.builds.values():
            for role in self.roles(documents):
                for rule in role["rules"]:
                    if guarded & set(rule.get("resources", [])):
                        self.assertTrue(rule.get("resourceNames"), rule)
                        self.assertLessEqual(set(rule["verbs"]), {"get", "patch"})

    def test_of_a_users_objects_nothing_is_made_or_deleted(self):
        role = next(role for role in objects_of(self.base, "ClusterRole")
                    if role["metadata"]["name"] == "asyncops")
        verbs = {verb for group, resource, verb in granted(role)
                 if group == "asyncops.dev" and "/" not in resource}
        self.assertEqual(verbs, {"get", "list", "watch", "patch"})

    def test_names_are_those_of_the_objects(self):
        documents = self.builds["overlays/self-signed"]
        names = set(sum(members([role["rules"] for role in self.roles(documents)],
                                "resourceNames"), []))
        there = {document["metadata"]["name"] for document in documents
                 if document["kind"] in CLUSTER_SCOPED}
        self.assertEqual(names - there, {"asyncops-serving"})

    def test_bindings_name_roles_and_accounts_that_exist(self):
        for name in INSTALLATIONS:
            documents = self.builds[name]
            roles = {(role["kind"], role["metadata"]["name"]) for role in self.roles(documents)}
            clusters = {("ClusterRole", "system:auth-delegator"),
                        ("Role", "extension-apiserver-authentication-reader")}
            for kind in ("RoleBinding", "ClusterRoleBinding"):
                for binding in objects_of(documents, kind):
                    ref = binding["roleRef"]
                    self.assertIn((ref["kind"], ref["name"]), roles | clusters)
                    for subject in binding["subjects"]:
                        if subject["kind"] == "ServiceAccount":
                            self.assertEqual((subject["name"], subject["namespace"]),
                                             ("asyncops", NAMESPACE))

    def test_view_reads_and_edit_acts(self):
        view, edit = (next(role for role in objects_of(self.base, "ClusterRole")
                           if role["metadata"]["name"] == "asyncops-aggregate-to-" + name)
                      for name in ("view", "edit"))
        self.assertLessEqual({verb for _, _, verb in granted(view)}, {"get", "list", "watch"})
        operations = "operations.asyncops.dev"
        for resource in ("asyncoperations", "asyncoperations/status", "asyncoperations/history",
                         "asyncresources/asyncoperations"):
            self.assertIn((operations, resource, "get"), list(granted(view)))
        for action in ("cancel", "retry", "resolve"):
            self.assertIn((operations, "asyncoperations/" + action, "create"), list(granted(edit)))
        self.assertFalse([grant for grant in granted(edit) if grant[1].endswith("/status")])
        prefix = "rbac.authorization.k8s.io/aggregate-to-"
        labels = [{label.removeprefix(prefix) for label in role["metadata"]["labels"]
                   if label.startswith(prefix)} for role in (view, edit)]
        self.assertEqual(labels, [{"view", "edit", "admin"}, {"edit", "admin"}])

    def test_the_roles_know_every_subresource(self):
        source = (ROOT / "api/subresources.cc").read_text()
        known = set(SUBRESOURCE.findall(source))
        self.assertIn("history", known)
        told = {resource.split("/")[1] for role in objects_of(self.base, "ClusterRole")
                for group, resource, _ in granted(role)
                if group == "operations.asyncops.dev" and "/" in resource}
        self.assertEqual(told, known | {"asyncoperations"})


class Admission(Built):
    def test_only_our_declarations_are_reviewed(self):
        configuration = only(self.base, "ValidatingWebhookConfiguration")
        for webhook in configuration["webhooks"]:
            for rule in webhook["rules"]:
                self.assertEqual(rule["apiGroups"], ["asyncops.dev"])
                self.assertEqual(rule["apiVersions"], ["v1alpha1"])
                self.assertLessEqual(set(rule["resources"]), {"asyncresources", "externalsystems"})
                self.assertEqual(rule["scope"], "Namespaced")
            self.assertEqual(webhook["sideEffects"], "None")
            self.assertEqual(webhook["matchPolicy"], "Equivalent")
            self.assertLessEqual(webhook["timeoutSeconds"], 5)
            self.assertGreaterEqual(webhook["name"].count("."), 2)
            excluded = webhook["namespaceSelector"]["matchExpressions"][0]
            self.assertEqual((excluded["operator"], excluded["values"]),
                             ("NotIn", ["kube-system", NAMESPACE]))

    def test_what_may_fail_closed_never_holds_a_deletion(self):
        for webhook in only(self.base, "ValidatingWebhookConfiguration")["webhooks"]:
            operations = {operation for rule in webhook["rules"]
                          for operation in rule["operations"]}
            if webhook["failurePolicy"] == "Fail":
                self.assertEqual(operations, {"CREATE", "UPDATE"})
                conditions = " ".join(condition["expression"]
                                      for condition in webhook["matchConditions"])
                self.assertIn("deletionTimestamp", conditions)
                self.assertIn(f"system:serviceaccount:{NAMESPACE}:asyncops", conditions)
            else:
                self.assertEqual(operations, {"DELETE"})

    def test_it_posts_to_the_path_that_is_served(self):
        header = (ROOT / "webhooks/admission_reviewer.h").read_text()
        path = re.search(r'kValidatePath = "([^"]+)"', header).group(1)
        for webhook in only(self.base, "ValidatingWebhookConfiguration")["webhooks"]:
            self.assertEqual(webhook["clientConfig"]["service"]["path"], path)

    def test_nobody_is_given_a_right_to_paths(self):
        """Reviews are let in by the server's own guard."""
        roles = objects_of(self.base, "ClusterRole")
        self.assertEqual(list(members(roles, "nonResourceURLs")), [])

    def test_what_is_called_is_the_service(self):
        service = only(self.base, "Service")
        called = [only(self.base, "APIService")["spec"]["service"],
                  *members(only(self.base, "ValidatingWebhookConfiguration"), "service")]
        for reference in called:
            self.assertEqual((reference["name"], reference["namespace"], reference["port"]),
                             (service["metadata"]["name"], NAMESPACE,
                              service["spec"]["ports"][0]["port"]))

    def test_the_api_service_is_named_as_kubernetes_demands(self):
        service = only(self.base, "APIService")
        spec = service["spec"]
        self.assertEqual(service["metadata"]["name"], f"{spec['version']}.{spec['group']}")
        crds = {crd["spec"]["group"] for crd in
                objects_of(self.base, "CustomResourceDefinition")}
        self.assertNotIn(spec["group"], crds, "a CRD cannot share a group-version with an APIService")


class Pod(Built):
    def test_one_process_writes(self):
        spec = only(self.base, "StatefulSet")["spec"]
        self.assertEqual(spec["replicas"], 1)
        (claim,) = spec["volumeClaimTemplates"]
        self.assertEqual(claim["spec"]["accessModes"], ["ReadWriteOnce"])
        self.assertEqual(only(self.base, "PodDisruptionBudget")["spec"]["maxUnavailable"], 1)

    def test_it_is_restricted(self):
        pod = only(self.base, "StatefulSet")["spec"]["template"]["spec"]
        self.assertTrue(pod["securityContext"]["runAsNonRoot"])
        self.assertEqual(pod["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
        for name in INSTALLATIONS:
            context = self.container(self.builds[name])["securityContext"]
            self.assertEqual(context, {"allowPrivilegeEscalation": False,
                                       "capabilities": {"drop": ["ALL"]},
                                       "readOnlyRootFilesystem": True})
        labels = only(self.base, "Namespace")["metadata"]["labels"]
        self.assertEqual(labels["pod-security.kubernetes.io/enforce"], "restricted")

    def test_probes_use_tls_and_paths_that_need_no_credential(self):
        container = self.container(self.base)
        paths = {name: container[name]["httpGet"]["path"]
                 for name in ("startupProbe", "livenessProbe", "readinessProbe")}
        self.assertEqual(paths, {"startupProbe": "/livez", "livenessProbe": "/livez",
                                 "readinessProbe": "/readyz"})
        self.assertEqual(set(members(container, "scheme")), {"HTTPS"})

    def test_it_has_time_to_stop(self):
        pod = only(self.base, "StatefulSet")["spec"]["template"]["spec"]
        (delay,) = [argument.split("=")[1] for argument in self.container(self.base)["args"]
                    if argument.startswith("--shutdown-delay-duration=")]
        self.assertGreaterEqual(pod["terminationGracePeriodSeconds"],
                                int(delay.removesuffix("s")) + 10)

    def test_each_installation_has_one_source_of_certificates(self):
        for name in INSTALLATIONS:
            args = self.container(self.builds[name])["args"]
            own = "--self-signed" in args
            files = any(argument.startswith("--tls-cert-file=") for argument in args)
            self.assertNotEqual(own, files, name)

    def test_every_mount_has_its_volume(self):
        for name in INSTALLATIONS:
            spec = only(self.builds[name], "StatefulSet")["spec"]
            volumes = [volume["name"] for volume in spec["template"]["spec"]["volumes"]]
            volumes += [claim["metadata"]["name"] for claim in spec["volumeClaimTemplates"]]
            mounts = self.container(self.builds[name])["volumeMounts"]
            self.assertEqual(sorted(mount["name"] for mount in mounts), sorted(volumes))

    def test_selectors_find_the_pod(self):
        labels = only(self.base, "StatefulSet")["spec"]["template"]["metadata"]["labels"]
        for selector in (only(self.base, "Service")["spec"]["selector"],
                         only(self.base, "StatefulSet")["spec"]["selector"]["matchLabels"],
                         only(self.base, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
                         only(self.base, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"]):
            self.assertLessEqual(selector.items(), labels.items())


class Image(Built):
    def test_its_user_is_the_pods(self):
        text = (ROOT / "Dockerfile").read_text()
        user = only(self.base, "StatefulSet")["spec"]["template"]["spec"]["securityContext"]
        self.assertIn(f"\nUSER {user['runAsUser']}:{user['runAsGroup']}\n", text)
        port = self.container(self.base)["ports"][0]["containerPort"]
        self.assertIn(f"\nEXPOSE {port}\n", text)

    def test_each_stage_is_debian_slim_and_ends_without_package_lists(self):
        text = (ROOT / "Dockerfile").read_text()
        self.assertEqual(re.findall(r"^FROM (\S+)", text, re.MULTILINE), ["debian:12-slim"] * 2)
        updates = text.count("apt-get update")
        self.assertEqual(text.count("rm -rf /var/lib/apt/lists/*"), updates)


class CertManager(Built):
    def test_the_certificate_has_the_services_name(self):
        documents = self.builds["overlays/cert-manager"]
        serving = next(document for document in objects_of(documents, "Certificate")
                       if document["metadata"]["name"] == "asyncops-serving")
        self.assertIn(f"asyncops.{NAMESPACE}.svc", serving["spec"]["dnsNames"])
        volume = next(volume for volume in
                      only(documents, "StatefulSet")["spec"]["template"]["spec"]["volumes"]
                      if volume["name"] == "tls")
        self.assertEqual(volume["secret"]["secretName"], serving["spec"]["secretName"])
        for kind in ("APIService", "ValidatingWebhookConfiguration"):
            self.assertEqual(
                only(documents, kind)["metadata"]["annotations"]["cert-manager.io/inject-ca-from"],
                f"{NAMESPACE}/{serving['metadata']['name']}")

    def test_issuers_exist(self):
        documents = self.builds["overlays/cert-manager"]
        issuers = {issuer["metadata"]["name"] for issuer in objects_of(documents, "Issuer")}
        used = {ref["name"] for ref in members(documents, "issuerRef")}
        self.assertEqual(used, issuers)


class Alerts(Built):
    def alerts(self):
        rule = only(self.builds["overlays/monitoring"], "PrometheusRule")
        return [alert for group in rule["spec"]["groups"] for alert in group["rules"]]

    def test_each_has_a_section_that_says_what_to_do(self):
        sections = set(re.findall(r"^#+ (Asyncops\w+)$", (ROOT / "docs/operations.md").read_text(),
                                  re.MULTILINE))
        self.assertEqual({alert["alert"] for alert in self.alerts()}, sections)
        for alert in self.alerts():
            self.assertEqual(alert["annotations"]["runbook"],
                             "docs/operations.md#" + alert["alert"].lower())

    def test_they_ask_for_metrics_that_exist(self):
        code = "".join(path.read_text() for room in ("apiserver", "reconciler", "storage", "kube")
                       for path in (ROOT / room).rglob("*") if path.suffix in (".h", ".cc"))
        for alert in self.alerts():
            for metric in re.findall(r"\b[a-z]+(?:_[a-z]+){1,}\b", alert["expr"]):
                foreign = metric.startswith(("aggregator_", "kubelet_"))
                self.assertTrue(foreign or metric in code, metric)


def main():
    version = subprocess.run(["kubectl", "version", "--client", "-o", "json"],
                             capture_output=True, text=True, check=False)
    if "kustomizeVersion" not in version.stdout:
        print("SKIPPED: kubectl is missing, or older than 1.24, whose kustomize is another one")
        sys.exit(77)
    unittest.main()


if __name__ == "__main__":
    main()
