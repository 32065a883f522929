#!/usr/bin/env python3
"""Runs clang-tidy-19 over every source file, and remembers what was clean.

A file is looked at again when it, a header of ours that it reaches, its compile command, .clang-tidy
or the version of clang-tidy changes. With names of files or folders, only those. --fix applies
fixes, one file at a time, since two files may want to change the same header.
"""

import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "clang"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)

# Where one finding ends and the next begins; and the findings that are none (.clang-tidy says why).
FINDING = re.compile(r"^(?=/\S+:\d+:\d+: (?:error|warning): )", re.MULTILINE)
MISSING_INCLUDE = "error: no header providing "


@functools.cache
def own_includes(path):
    """The headers of ours that a file names, as absolute paths."""
    names = INCLUDE.findall(path.read_text(errors="replace"))
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def closure(path):
    """The file and every header of ours that it reaches, in a stable order."""
    seen, pending = {path}, [path]
    while pending:
        for header in own_includes(pending.pop()):
            if header not in seen:
                seen.add(header)
                pending.append(header)
    return sorted(seen)


def stamp(entry, common):
    digest = hashlib.sha256(common)
    digest.update(entry["command"].encode())
    for path in closure(pathlib.Path(entry["file"])):
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return BUILD / "tidy-clean" / digest.hexdigest()


def run(entry, marker, fix):
    """One file: its name, seconds, and what clang-tidy has to say ("" when the file is clean)."""
    begin = time.monotonic()
    # The fix of a missing include, which is not wanted, cannot be told from that of an unused one.
    extra = ["--fix"] if fix else ["--checks=misc-include-cleaner"]
    command = ["clang-tidy-19", "-p", str(BUILD), "--quiet", *extra, entry["file"]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = "".join(text for text in FINDING.split(done.stdout) if MISSING_INCLUDE not in text)
    if done.returncode != 0 and not done.stdout.strip():
        said = done.stderr or f"{entry['file']}: clang-tidy exited with {done.returncode}\n"
    if not said.strip():
        marker.touch()
    return os.path.relpath(entry["file"], ROOT), time.monotonic() - begin, said.strip()


def chosen(entries, paths):
    wanted = [(ROOT / path).resolve() for path in paths]
    for entry in entries:
        path = pathlib.Path(entry["file"])
        if path.is_file() and path.is_relative_to(ROOT):
            if not wanted or any(path == want or want in path.parents for want in wanted):
                yield entry


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", help="files or folders; the whole tree unless named")
    parser.add_argument("--fix", action="store_true", help="apply the fixes")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--times", action="store_true", help="print the seconds of each file")
    options = parser.parse_args()

    # Configured anew each time: a CMakeLists.txt may list more files than before.
    configured = subprocess.run(["cmake", "--preset", "clang"], cwd=ROOT, stdout=subprocess.DEVNULL,
                                check=False)
    if configured.returncode != 0:
        return 1
    version = subprocess.run(["clang-tidy-19", "--version"], capture_output=True, check=True).stdout
    common = version + (ROOT / ".clang-tidy").read_bytes()
    (BUILD / "tidy-clean").mkdir(exist_ok=True)

    entries = list(chosen(json.loads((BUILD / "compile_commands.json").read_text()), options.paths))
    pending = [(entry, stamp(entry, common)) for entry in entries]
    pending = [(entry, marker) for entry, marker in pending if not marker.exists()]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(1 if options.fix else options.jobs) as pool:
        jobs = [pool.submit(run, entry, marker, options.fix) for entry, marker in pending]
        for job in concurrent.futures.as_completed(jobs):
            name, seconds, said = job.result()
            if options.times:
                print(f"{seconds:6.1f} s  {name}", flush=True)
            if said:
                failed += 1
                print(said, flush=True)
    print(f"clang-tidy: {len(entries)} files, {len(pending)} looked at, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
