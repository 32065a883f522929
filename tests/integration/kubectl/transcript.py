"""What a kubectl printed, with what differs from run to run left out, and how the kubectls differ."""

import difflib
import re

_RANDOM = [
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "UID"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "TIME"),
    (re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \+0000"), "TIME"),
    (re.compile(r"\b\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000"), "TIME"),
    (re.compile(r"\b(op|vol)-[0-9a-f]{6,}\b"), r"\1-ID"),
    (re.compile(r"(-(?:create|update|delete)-)[a-z0-9]{5}\b"), r"\1xxxxx"),
    (re.compile(r"https?://127\.0\.0\.1:\d+"), "URL"),
    (re.compile(r"\btok-[0-9a-f]+\b"), "TOKEN"),
    (re.compile(r"\b\d+(ms|s)\b"), "AGE"),
    # Which events there are, and in which order, is the server's timing. So is the history.
    (re.compile(r".* Normal .*\n"), ""),
    (re.compile(r'^\{\n(?: .*\n)*? +"kind": "AsyncOperationHistory",\n(?: .*\n)*\}$', re.MULTILINE),
     "HISTORY"),
    (re.compile(r"/(LIVE|MERGED)-\d+"), r"/\1-N"),
    (re.compile(r"<(unknown|invalid)>"), "AGE"),
    (re.compile(r'(?i)(resource ?version"?:\s*"?)\d+'), r"\1RV"),
    (re.compile(r"/\S*/(?=[\w-]+\.(json|yaml))"), "DIRECTORY/"),
    (re.compile(r"v1\.\d+\.\d+\S*"), "VERSION"),
    (re.compile(r"[ \t]+"), " "),
]


def stable(text):
    """The text without times, ages, IDs, ports and column widths."""
    for pattern, word in _RANDOM:
        text = pattern.sub(word, text)
    return text


def differences(transcripts):
    """Lines for a person. transcripts: kubectl's name -> {case: text}; the last one is compared with."""
    names = list(transcripts)
    reference = names[-1]
    for case in transcripts[reference]:
        groups = {}
        for name in names:
            groups.setdefault(transcripts[name].get(case, "(not reached)"), []).append(name)
        common = transcripts[reference][case]
        for text, group in groups.items():
            if text == common:
                continue
            yield f"{case}: {', '.join(group)} and {reference} differ:"
            diff = difflib.unified_diff(common.splitlines(), text.splitlines(), lineterm="", n=0)
            yield from ("    " + line for line in list(diff)[2:] if not line.startswith("@@"))
