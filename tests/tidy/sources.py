"""The files of the project, and C++ text with its comments or strings blanked."""

import functools
import os
import pathlib
import re
import subprocess

SKIPPED_FOLDERS = {".git", ".cache", "build", "__pycache__"}


def _git(root, *words):
    done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, check=False)
    return done.stdout.decode() if done.returncode == 0 else None


def list_files(root):
    """Paths from the root, sorted: what git knows and what it would add; outside git, all there is."""
    root = pathlib.Path(root).resolve()
    top = _git(root, "rev-parse", "--show-toplevel")
    if top is not None and pathlib.Path(top.strip()).resolve() == root:
        listed = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        names = [name for name in listed.split("\0") if name]
    else:
        names = []
        for folder, folders, files in os.walk(root):
            folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
            names += [os.path.relpath(os.path.join(folder, name), root) for name in files]
    return sorted({name for name in names if (root / name).is_file()})


_TOKEN = re.compile(
    r"""(?P<line>//[^\n]*)|(?P<block>/\*.*?\*/)"""
    r"""|(?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)")"""
    r"""|(?P<string>"(?:\\.|[^"\\\n])*")|(?P<char>(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+')""",
    re.DOTALL | re.VERBOSE,
)
_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


@functools.lru_cache(maxsize=None)
def blank(text, keep_strings=False):
    """The text with comments, and strings unless kept, as spaces: every position stays."""

    def replace(match):
        is_comment = match.group("line") or match.group("block")
        return match.group() if keep_strings and not is_comment else _spaces(match)

    return _TOKEN.sub(replace, text)


def strings(text):
    """(line, content) of each string literal outside comments."""
    for match in _TOKEN.finditer(text):
        if match.group("string") or match.group("raw"):
            yield line_of(text, match.start()), match.group()


def line_of(text, position):
    return text.count("\n", 0, position) + 1


@functools.lru_cache(maxsize=None)
def includes(text):
    """(line, is_angled, path) of each include that is not in a comment."""
    # Only comments are blanked: the path of a quoted include is a string.
    code = blank(text, keep_strings=True)
    return [(line_of(code, match.start(2)), match.group(1) == "<", match.group(2))
            for match in _INCLUDE.finditer(code)]


_SCOPE = re.compile(r"^\s*(?:(?:template\s*<[^()]*>\s*)?(?:class|struct|union)\b"
                    r"|(?:inline\s+)?namespace\b|enum\b|extern\b[^()]*$)")
_CONTROL = re.compile(r"^\s*(?:if|for|while|switch|do|else|try|catch|case|default|return)\b")
_ACCESS = re.compile(r"\b(?:public|private|protected)\s*$")
_PREPROCESSOR = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)


def _spaces(match):
    return re.sub(r"[^\n]", " ", match.group())


@functools.lru_cache(maxsize=None)
def functions(text):
    """(line, length, head) of each function body at namespace or class level; length counts from the
    first line of the signature to the closing brace."""
    code = _PREPROCESSOR.sub(_spaces, blank(text))
    found = []
    stack = []  # (kind, where the head begins) of each brace that is open
    body = 0  # how many of them are a function's or a value's
    start = parens = 0  # where the statement begins; how many parentheses are open
    for mark in re.finditer(r"[(){};:]", code):
        char, position = mark.group(), mark.start()
        if char in "()":
            parens += 1 if char == "(" else -1
        elif char == "{":
            head = code[start:position]
            kind = "value" if body or parens else _kind_of_brace(head)
            stack.append((kind, position - len(head.lstrip())))
            body += kind != "scope"
            start = position + 1 if kind != "value" else start
        elif char == "}" and stack:
            kind, begin = stack.pop()
            body -= kind != "scope"
            start = position + 1 if kind != "value" else start
            if kind == "function":
                first = line_of(code, begin)
                head = " ".join(text[begin : code.index("{", begin)].split())
                found.append((first, line_of(code, position) - first + 1, head))
        elif not body and not parens:
            if char == ";" or _ACCESS.search(code[start:position]):
                start = position + 1
    return found


def _kind_of_brace(head):
    if _SCOPE.match(head):
        return "scope"
    plain = re.sub(r"operator\s*[^\w\s(]+", "operator", head)
    if "(" not in plain or plain.rstrip().endswith("=") or _CONTROL.match(plain):
        return "value"
    # A member of a constructor's list, as in `: a_(a), b_` before its own brace.
    if re.search(r"\)\s*(?:noexcept\s*)?:(?!:)", plain) and re.search(r"[,:]\s*[\w:<>]+\s*$", plain):
        return "value"
    return "function"
