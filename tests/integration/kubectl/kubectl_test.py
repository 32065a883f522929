"""Every kubectl of this machine tells the same story against a real server and a real simulated
cloud. How they differ is printed, and kept beside the packages.

usage: kubectl_test.py ASYNCOPS SIMCLOUD CACHE [NAME-PART]"""

import concurrent.futures
import os
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "stack"))

import apply_cases
import cases
import kubectls
import secrets_check
from stack import Server, Simcloud
from story import Story
from transcript import differences

AT_ONCE = 2
CASES = [*cases.IN_ORDER, *apply_cases.IN_ORDER, secrets_check.finds_the_token_nowhere_else]


def tell(kubectl, asyncops, simcloud):
    """(the story, what failed). A case that fails does not keep the next from being told."""
    problems = []
    with tempfile.TemporaryDirectory() as directory, \
            Simcloud(simcloud, directory, "300ms") as cloud, Server(asyncops, directory) as server:
        server.start()
        story = Story(kubectl, server, cloud, directory)
        cloud.admin("behaviour", {"requireToken": story.token})
        for case in CASES:
            story.case = case.__name__
            try:
                case(story)
            except Exception as problem:  # pylint: disable=broad-except
                where = traceback.extract_tb(problem.__traceback__)[1]
                problems.append(f"{case.__name__} (line {where.lineno}): {problem}")
        if server.stop() != 0:
            problems.append("the server did not end with 0:\n" + server.log_text()[-2000:])
    return story, problems


def main():
    asyncops, simcloud, cache = sys.argv[1:4]
    wanted = sys.argv[4] if len(sys.argv) > 4 else ""
    found = [each for each in kubectls.every(cache) if wanted in each.name]
    assert found, "no kubectl on PATH, and none to be had"
    found.sort(key=lambda each: each.minor)
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        told = list(pool.map(lambda each: tell(each, asyncops, simcloud), found))
    failed = 0
    for story, problems in told:
        verdict = f"{len(problems)} cases failed" if problems else "all cases hold"
        print(f"{story.kubectl.name}: {verdict}")
        for problem in problems:
            print("  - " + problem.replace("\n", "\n    "))
        failed += len(problems)
    transcripts = {story.kubectl.name: story.transcript for story, _ in told}
    lines = list(differences(transcripts))
    path = os.path.join(cache, "differences.txt")
    os.makedirs(cache, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    print("\n".join(line for line in lines if not line.startswith(" ")))
    print(f"{len(found)} kubectls, {len(CASES)} cases each, "
          f"{time.monotonic() - begin:.0f} s. How they differ: {path}")
    sys.exit(1 if failed else 0)


main()
