"""Every kubectl of this machine tells the story of tests/integration/kubectl again, now in a real
cluster: the same cases where both say the same, others where a cluster differs."""

import concurrent.futures
import os
import sys
import traceback

from cluster import HERE
import world

sys.path.insert(0, os.path.join(HERE, "..", "integration", "kubectl"))

import apply_cases
import cases
import kubectls
from stack import Simcloud
from story import Story

AT_ONCE = 4  # they wait for more than they compute
# Of manifests/samples/invalid.yaml, but for the state that the schema refuses.
MISTAKES = (
    "spec.create.submit.headers[0].name: Forbidden: Authorization carries credentials; put them in "
    "spec.auth of the ExternalSystem, as bearerTokenSecretRef, basic or headers",
    'spec.create.submit.body.name: Invalid value: "${metadata.nmae}": col 12: metadata has no field '
    '"nmae": use name, namespace, uid, labels or annotations',
    'spec.create.poll.acceptors[1].when: Invalid value: "response.status = 500": col 17: unexpected '
    "'='; equality is '=='",
)
NS = cases.NS


class ClusterStory(Story):
    """In a namespace of its own: what is said of team-a is meant of it. The server is the cluster."""

    def __init__(self, kubectl, here, cloud, directory):
        self.mine = f"team-{kubectl.minor[0]}-{kubectl.minor[1]}"
        self.cluster = here.cluster
        super().__init__(kubectl, self, cloud, directory)

    kubeconfig = property(lambda self: self.cluster.kubeconfig_of_admin)
    url = property(lambda self: self.cluster.url)

    def _meant(self, text):
        return text.replace("team-a", self.mine)

    def attempt(self, command, stdin="", secret=False, **environment):
        words = command.split() if isinstance(command, str) else command
        output = super().attempt([self._meant(word) for word in words], stdin, secret, **environment)
        output.out, output.err = (text.replace(self.mine, "team-a")
                                  for text in (output.out, output.err))
        return output

    def start(self, command, log):
        return super().start(self._meant(command), log)

    def await_output(self, command, condition, what):
        return super().await_output(self._meant(command), condition, what)

    def file(self, name, value):
        path = super().file(name, value)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._meant(text))
        return path


# --- what a cluster says differently


def lists_the_resources(story):
    out = story.run("api-resources")
    out.matches(r"^asyncoperations +aop +operations\.asyncops\.dev/v1alpha1 +true +AsyncOperation$")
    out.matches(r"^asyncresources +ares +asyncops\.dev/v1alpha1 +true +AsyncResource$")
    out.matches(r"^externalsystems +xsys +asyncops\.dev/v1alpha1 +true +ExternalSystem$")
    names = story.run("api-resources --api-group=operations.asyncops.dev -o name").lines()
    assert names == ["asyncoperations.operations.asyncops.dev"], names
    story.run("api-versions").has("asyncops.dev/v1alpha1", "operations.asyncops.dev/v1alpha1")


def explains_fields(story):
    """kube-apiserver merges what we say of our kinds into what it says of all."""
    story.run("explain asyncoperation.spec.poll").has("acceptors", "interval", "DESCRIPTION")
    story.run("explain asyncoperation.metadata").has("labels", "annotations", "ownerReferences")
    story.run("explain asyncresource.spec.create.submit.path").has("path", "<string>")
    story.run("explain xsys.spec").has("endpoint", "preset")
    story.refused("explain asyncoperation.spec.nothing").has('"nothing" does not exist')
    out = story.run("explain asyncoperation --recursive")
    for field in ("metadata", "submit", "acceptors", "initial", "failureDetails"):
        out.matches(rf"^ +{field}\s+<")


def is_refused_word_for_word(story):
    """What the CRD's schema knows is said first, and nothing else; then the webhook says each
    mistake with its field, in one answer."""
    out = story.refused(f"apply -f {story.sample('invalid.yaml')}")
    out.has('The AsyncResource "broken-volume" is invalid: spec.create.poll.acceptors[1].state: '
            'Unsupported value: "Broken": supported values: "Running", "Succeeded", "Failed"')
    path = story.sample("invalid.yaml", lambda text: text.replace("state: Broken", "state: Succeeded"))
    for command in ("apply -f", "apply --dry-run=server -f", "create -f"):
        out = story.refused(f"{command} {path}")
        out.has('The AsyncResource "broken-volume" is invalid:', *MISTAKES)
    story.refused(f"get ares broken-volume {NS}").has("NotFound")


def refuses_a_stranger(story):
    config = story.file("stranger.yaml", story.stranger())
    story.refused(f"--kubeconfig={config} --token=guessed get asyncoperations").has("Unauthorized")


def deletes_the_namespace_and_what_is_in_it(story):
    story.run(f"apply -f {story.sample('32-cache-volume.yaml')}").has("created")
    story.run(f"wait {NS} --for=condition=Ready --timeout=30s ares/cache-volume").has("condition met")
    # It returns when all is gone, outside too.
    story.run("delete namespace team-a --timeout=50s").has('namespace "team-a" deleted')
    story.refused("get namespace team-a").has("NotFound")
    story.run(f"get asyncops {NS}").has("No resources found")
    stats = story.cloud.stats()
    assert (stats["existing"], stats["created"], stats["deleted"]) == (0, 3, 3), stats


def shows_events(story):
    """They are posted to kube-apiserver soon after what they tell of."""
    story.await_output(f"get events {NS} --field-selector reason=Succeeded",
                       lambda output: "asyncoperation/data-volume-create-" in output.out,
                       "the event Succeeded")
    cases.shows_events(story)


IN_ORDER = [
    lists_the_resources, cases.tells_the_version, explains_fields, cases.creates_a_namespace,
    cases.creates_a_secret, cases.applies_external_systems, is_refused_word_for_word,
    cases.refuses_unknown_fields, cases.applies_a_resource, cases.watches_a_resource_become_ready,
    shows_events, cases.describes_conditions_and_events, cases.reads_the_history,
    cases.lists_the_operations_of_a_resource, cases.acts_on_an_operation,
    cases.selects_by_field_and_label, cases.waits_for_conditions,
    cases.patches_annotates_and_labels, cases.edits_in_an_editor,
    cases.replaces_and_sees_conflicts, cases.shows_a_diff, refuses_a_stranger,
    cases.waits_for_a_deletion, cases.deletes_outside_too, deletes_the_namespace_and_what_is_in_it,
]


def _tell(kubectl, here):
    problems = []
    directory = os.path.join(here.directory, f"kubectl-{kubectl.minor[1]}")
    os.makedirs(directory)
    with Simcloud(here.simcloud, directory, "300ms") as cloud:
        story = ClusterStory(kubectl, here, cloud, directory)
        cloud.admin("behaviour", {"requireToken": story.token})
        for case in IN_ORDER:
            story.case = case.__name__
            try:
                case(story)
            except Exception as problem:  # pylint: disable=broad-except
                where = traceback.extract_tb(problem.__traceback__)[1]
                problems.append(f"{kubectl.name}: {case.__name__} (line {where.lineno}): {problem}")
    return problems


def every_kubectl_tells_the_story(here):
    here.cluster.kubeconfig_of_admin = here.cluster.kubeconfig()
    # Those beside the one on PATH, and the cluster's own.
    found = {each.minor: each for each in [*kubectls.beside_the_one_on_path(),
                                           kubectls.Kubectl(here.cluster.kubectl)]}
    found = [found[minor] for minor in sorted(found)]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        told = list(pool.map(lambda each: _tell(each, here), found))
    print(f"  {len(found)} kubectls, {len(IN_ORDER)} cases each: "
          + ", ".join(each.name for each in found))
    problems = [problem for each in told for problem in each]
    assert not problems, "\n".join(problems)


world.run([every_kubectl_tells_the_story])
