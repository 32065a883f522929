"""Every declaration of docs/presets, taken from its page: created, changed and deleted, with exactly
one effect each.

usage: pages_test.py ASYNCOPS SIMCLOUD, from the root of the tree"""

import glob
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "stack"))

from stack import ASYNCOPS, Server, Simcloud, await_true

PAGES = "docs/presets"
SAMPLES = "manifests/samples/presets"
# Where the pages say that the simulated cloud is.
CLOUD = "http://127.0.0.1:18080"
PATHS = {"Secret": "/api/v1/namespaces/default/secrets",
         "ExternalSystem": ASYNCOPS + "/namespaces/default/externalsystems",
         "AsyncResource": ASYNCOPS + "/namespaces/default/asyncresources"}
SECONDS = 45.0


def declarations(page):
    """The documents of the page, as text."""
    with open(page, encoding="utf-8") as file:
        blocks = re.findall(r"^```yaml\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    return [document for block in blocks for document in block.split("---\n")]


def kind_and_name(document):
    return (re.search(r"^kind: (\w+)$", document, re.MULTILINE).group(1),
            re.search(r"^  name: (\S+)$", document, re.MULTILINE).group(1))


def check_samples(pages):
    """Each page has its sample, which says the same; every preset has a page."""
    for page in pages:
        name = os.path.splitext(os.path.basename(page))[0]
        with open(f"{SAMPLES}/{name}.yaml", encoding="utf-8") as file:
            sample = file.read().split("\n", 1)[1]
        assert sample == "---\n".join(declarations(page)), f"{page} and its sample differ"
    with open("manifests/crds/asyncops.dev_externalsystems.yaml", encoding="utf-8") as file:
        text = file.read()
    names = {os.path.splitext(os.path.basename(page))[0] for page in pages}
    enum = re.search(r"^\s*preset:.*?enum:\n((?:\s*- \w+\n)+)", text, re.MULTILINE | re.DOTALL)
    assert set(re.findall(r"- (\w+)", enum.group(1))) == names, (enum.group(1), names)


class Resources:
    """What the pages declare, and how far each is."""

    def __init__(self, api, names):
        self.api = api
        self.names = names

    def path(self, name):
        return PATHS["AsyncResource"] + "/" + name

    def unready(self):
        """Those that are not as their newest generation wants them, with why."""
        waiting = {}
        for name in self.names:
            thing = self.api.get(self.path(name))
            status = thing.get("status", {})
            ready = next((each for each in status.get("conditions", [])
                          if each["type"] == "Ready"), {})
            current = status.get("observedGeneration") == thing["metadata"]["generation"]
            assert status.get("phase") != "Failed", f"{name}: {status}"
            if ready.get("status") != "True" or not current:
                waiting[name] = ready.get("message") or status.get("phase")
        return waiting

    def await_ready(self, what):
        await_true(lambda: f"{what}: {self.unready()}", lambda: not self.unready(), SECONDS)

    def left(self):
        return [name for name in self.names if self.api.send("GET", self.path(name))[0] != 404]


def volumes(cloud):
    return {each["name"]: each for each in cloud.admin("volumes")["items"]}


def run(server, cloud, api):
    pages = sorted(glob.glob(PAGES + "/*.md"))
    check_samples(pages)
    names = []
    for document in (each for page in pages for each in declarations(page)):
        kind, name = kind_and_name(document)
        api.create(PATHS[kind], document.replace(CLOUD, cloud.url))
        if kind == "AsyncResource":
            names.append(name)
    resources = Resources(api, names)
    resources.await_ready("created")
    made = cloud.stats()
    assert made["created"] == len(names) == len(volumes(cloud)), made
    assert all(each["status"] == "available" for each in volumes(cloud).values())

    for name in names:
        api.merge(resources.path(name), {"spec": {"parameters": {"size": "20Gi"}}})
    resources.await_ready("updated")
    changed = cloud.stats()
    assert changed["updated"] == len(names) and changed["created"] == len(names), changed
    assert all(each["size"] == "20Gi" for each in volumes(cloud).values()), volumes(cloud)

    for name in names:
        status, body = api.send("DELETE", resources.path(name))
        assert status in (200, 202), (status, body)
    await_true(lambda: f"deleted: {resources.left()}", lambda: not resources.left(), SECONDS)
    end = cloud.stats()
    assert end["deleted"] == len(names) and end["existing"] == 0, end
    for counter in ("duplicatesByName", "duplicatesByCorrelation", "unauthorized"):
        assert end[counter] == 0, end
    assert end["operations"] == 3 * len(names), end
    # Nothing is polled as fast as it can be.
    assert end["polls"] <= 12 * end["operations"], end
    print(f"{len(names)} declarations of {len(pages)} pages: {end}")


def main():
    with tempfile.TemporaryDirectory() as directory, \
            Simcloud(sys.argv[2], directory, "300ms") as cloud, \
            Server(sys.argv[1], directory) as server:
        cloud.admin("behaviour", {"awsKey": {"accessKeyId": "AKIDEXAMPLE",
                                             "secretAccessKey": "not-a-real-secret"}})
        server.start()
        run(server, cloud, server.api())
        assert server.stop() == 0


if __name__ == "__main__":
    main()
