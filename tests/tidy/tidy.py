#!/usr/bin/env python3
"""Holds the tree against the rules of rules.py; exits with 1 where one is broken.

`--sizes` prints only the report on sizes.
"""

import argparse
import fnmatch
import pathlib
import statistics
import sys

import rules
import sources
from allowed import ALLOWED

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def read_tree(root):
    """{path: text} of the text files; what is no UTF-8 is data."""
    files = {}
    for path in sources.list_files(root):
        try:
            files[path] = (root / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
    return files


def findings(files, allowed):
    """(path, line, rule, message), sorted, without what an exception covers."""
    found = []
    for rule in rules.FILE_RULES:
        for path, text in files.items():
            found += [(path, line, rule.__name__, said) for line, said in rule(path, text)]
    for rule in rules.TREE_RULES:
        found += [(path, line, rule.__name__, said) for path, line, said in rule(files)]
    kept, used = [], set()
    for finding in found:
        cover = [entry for entry in allowed
                 if entry[0] == finding[2] and fnmatch.fnmatch(finding[0], entry[1])]
        used.update(cover)
        if not cover:
            kept.append(finding)
    for entry in allowed:
        if entry not in used:
            kept.append(("tests/tidy/allowed.py", 1, "allowed", f"nothing needs {entry[:2]}"))
    return sorted(kept)


def size_report(files):
    """Lines of text on how long our C++ files and functions are."""
    for title, in_tests in (("production", False), ("tests", True)):
        group = {path: text for path, text in files.items()
                 if rules.is_cpp(path) and path.startswith("tests/") == in_tests}
        if not group:
            continue
        lines = {path: text.count("\n") for path, text in group.items()}
        small = sum(count <= 300 for count in lines.values())
        longest = max(lines, key=lines.get)
        yield (f"{title}: {len(lines)} files, {sum(lines.values())} lines, median "
               f"{statistics.median(lines.values()):.0f}, {100 * small // len(lines)} % <= 300, "
               f"longest {lines[longest]} ({longest})")
        bodies = [(length, f"{path}:{line}") for path, text in group.items()
                  for line, length, _ in sources.functions(text)]
        if bodies:
            length, where = max(bodies)
            yield f"{title}: {len(bodies)} functions, longest {length} lines ({where})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", action="store_true", help="print only the report on sizes")
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=ROOT)
    options = parser.parse_args()
    files = read_tree(options.root)
    print("\n".join(size_report(files)))
    if options.sizes:
        return 0
    found = findings(files, ALLOWED)
    for path, line, rule, said in found:
        print(f"{path}:{line}: [{rule}] {said}")
    print(f"tidy: {len(files)} files, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
