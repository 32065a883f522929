"""The rules of the house that a machine can check. A rule of one file takes its path from the root
and its text, and yields (line, message); a rule of the tree takes {path: text} and yields (path,
line, message). Exceptions are in allowed.py, not here."""

import fnmatch
import posixpath
import re

import sources

FILE_LINES = 600
TEST_FILE_LINES = 800
FUNCTION_LINES = 70
COLUMNS = 100

# What each room may include, itself apart. The longest prefix names the room of a file.
ROOMS = {
    "base": [],
    "api": ["base"],
    "kube": ["base", "api"],
    "storage": ["base", "api"],
    "callbacks": ["base"],
    "webhooks": ["base", "api", "apiserver/http"],
    "reconciler": ["base", "api", "kube", "storage", "callbacks"],
    "controllers": ["base", "api", "storage"],
    "apiserver/http": ["base"],
    "apiserver/tls": ["base", "api", "kube", "apiserver/http"],
    "apiserver/auth": ["base", "api", "kube", "apiserver/http", "apiserver/tls"],
    "apiserver/registry": ["base", "api", "storage"],
    "apiserver/cluster": ["base", "api", "kube", "apiserver/registry"],
    "apiserver/handlers": ["base", "api", "storage", "callbacks", "apiserver/http",
                           "apiserver/auth", "apiserver/registry"],
    "apiserver/cmd": ["base", "api", "kube", "storage", "callbacks", "webhooks", "reconciler",
                      "controllers",
                      "apiserver/http", "apiserver/tls", "apiserver/auth", "apiserver/registry",
                      "apiserver/cluster", "apiserver/handlers"],
    "manifests": ["base", "api"],
    "tests": ["manifests", "base", "api", "kube", "storage", "callbacks", "webhooks", "reconciler",
              "controllers", "apiserver"],
}

# (library, its headers, the files that may know it)
LIBRARIES = [
    ("nlohmann", r"nlohmann/", r"base/json_parse\.cc"),
    ("simdjson", r"simdjson\.h", r"base/json_fast\.cc"),
    ("yaml-cpp", r"yaml-cpp/", r"base/yaml\.cc"),
    ("Boost.URL", r"boost/url", r"base/uri\.cc"),
    ("Boost.Beast", r"boost/(beast|asio|system)", r"apiserver/http/beast_\w+\.(h|cc)"),
    ("SQLite", r"(SQLiteCpp/|sqlite3\.h)", r"storage/sqlite/\w+\.(h|cc)"),
    ("OpenSSL", r"openssl/",
     r"(base/crypto\.cc|kube/tls_session\.cc|apiserver/tls/\w+\.cc|"
     r"apiserver/http/beast_\w+\.(h|cc))"),
    ("cpp-httplib", r"httplib\.h", r"kube/httplib_transport\.cc"),
    ("prometheus", r"prometheus/", r"apiserver/handlers/metrics\.cc"),
    ("RE2", r"re2/", r"api/expr/regex\.cc"),
    ("std::jthread", r"(?!)", r"base/thread\.cc"),
    ("zlib", r"(zlib|zconf)\.h", r"apiserver/http/gzip\.cc"),
    ("Pistache", r"pistache/", r"tests/simcloud/\w+\.(h|cc)"),
    ("GoogleTest", r"(gtest|gmock)/", r"tests/.*"),
]
SYSTEM_HEADERS = re.compile(r"(sys|arpa|netinet|net|linux)/\w+\.h$")

# (what is found in code, the files that may, what to do instead)
BANNED_CALLS = [
    (r"\b(sleep_for|sleep_until|usleep|nanosleep)\b", r"base/clock\.cc", "wait through Clock"),
    (r"\b(system_clock|steady_clock|high_resolution_clock)::now\b", r"base/clock\.cc",
     "read the time through Clock"),
    (r"\brandom_device\b|\bs?rand\s*\(", r"base/ids\.cc", "take randomness from IdGenerator"),
    (r"\b(stoi|stol|stoll|stoul|stoull|stof|stod|stold|ato[ifl]+|strto\w+)\s*\(", r"(?!)",
     "parse with std::from_chars"),
    (r"\bcatch\s*\(", None, "only the adapter of a library that throws may catch"),
    (r"\btry\s*\{", None, "only the adapter of a library that throws may try"),
    (r"\[\s*[&=]\s*[,\]]", r"(?!)", "name the captures"),
    (r"\b(f|s|v|vf|vs)?printf\s*\(", r"(?!)", "log through base/log.h or build a string"),
    (r"\bstd::(cout|cerr|clog)\b", r"(?!)", "log through base/log.h"),
    (r"\bDISABLED_\w+|\bGTEST_SKIP\b", r"(?!)", "a test runs or is not there"),
    (r"\busing\s+namespace\b", r".*\.cc", "a header names what it uses"),
]

_SQL = re.compile(
    r"\b(SELECT\s.+\sFROM|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|"
    r"(CREATE|DROP|ALTER)\s+(UNIQUE\s+)?(TABLE|INDEX|TRIGGER|VIEW)|PRAGMA\s+\w+|"
    r"BEGIN\s+IMMEDIATE)\b",
    re.DOTALL,
)
_SQL_HOMES = re.compile(r"(storage|tests/unit/storage|tests/contract/storage)/")
_LEFTOVER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|\b[Ff]or now\b")
_MACHINE_PATH = re.compile(r"(?<![\w.}/)\-])/(work|root|home)/[\w.]")
_OUR_PATH = re.compile(
    r"^(base|api|kube|storage|callbacks|webhooks|reconciler|controllers|apiserver|manifests|tests|docs|scripts|cmake|"
    r"\.ci)/\S*$"
)


def is_cpp(path):
    return path.endswith((".h", ".cc"))


def room_of(path):
    rooms = [room for room in ROOMS if path.startswith(room + "/")]
    return max(rooms, key=len, default=None)


# Rules of one file.


def file_length(path, text):
    limit = TEST_FILE_LINES if path.startswith("tests/") else FILE_LINES
    count = text.count("\n")
    if (is_cpp(path) or path.endswith((".py", ".sh", ".cmake"))) and count > limit:
        yield limit, f"{count} lines, more than {limit}: split it by noun"


def line_length(path, text):
    if is_cpp(path):
        for number, line in enumerate(text.split("\n"), 1):
            # An include cannot be wrapped.
            if len(line) > COLUMNS and not line.startswith("#include"):
                yield number, f"{len(line)} columns, more than {COLUMNS}"


def function_length(path, text):
    if is_cpp(path):
        for line, length, head in sources.functions(text):
            if length > FUNCTION_LINES:
                yield line, f"{length} lines, more than {FUNCTION_LINES}: {head[:60]}"


def include_edge(path, text):
    room = room_of(path)
    if not is_cpp(path) or room is None:
        return
    for line, angled, header in sources.includes(text):
        if angled:
            continue
        target = room_of(header)
        if target is None and header.split("/")[0] not in ("apiserver",):
            yield line, f'"{header}" is no path from the root of the project'
        elif target == "apiserver/cmd" and room != target and not path.startswith("tests/"):
            yield line, f'nothing includes apiserver/cmd: "{header}"'
        elif not _may_use(room, target or header):
            yield line, f'{room} may not include "{header}"'


def _may_use(room, target):
    allowed = [room, *ROOMS[room]]
    return any(target == name or target.startswith(name + "/") for name in allowed)


def third_party_header(path, text):
    if not is_cpp(path):
        return
    for line, angled, header in sources.includes(text):
        if not angled:
            continue
        library = next((entry for entry in LIBRARIES if re.match(entry[1], header)), None)
        if library is not None:
            if not re.fullmatch(library[2], path):
                yield line, f"<{header}>: {library[0]} is known to its adapter alone"
        elif "/" in header and not SYSTEM_HEADERS.match(header):
            yield line, f"<{header}>: a library that no adapter owns (LIBRARIES in rules.py)"


def banned_call(path, text):
    if not is_cpp(path):
        return
    code = sources.blank(text)
    for pattern, home, advice in BANNED_CALLS:
        if is_adapter(path) if home is None else re.fullmatch(home, path):
            continue
        for match in re.finditer(pattern, code):
            yield sources.line_of(code, match.start()), f"`{match.group().strip()}`: {advice}"


def is_adapter(path):
    """Whether the file is where the exceptions of a library end."""
    return path.endswith(".cc") and any(
        re.fullmatch(home, path) for name, _, home in LIBRARIES if name != "GoogleTest"
    )


def sql_outside_storage(path, text):
    if is_cpp(path) and not _SQL_HOMES.match(path):
        for line, literal in sources.strings(text):
            if _SQL.search(literal):
                yield line, f"SQL outside storage/: {' '.join(literal.split())[:50]}"


def leftover(path, text):
    name = posixpath.basename(path)
    if is_cpp(path) or path.endswith((".py", ".sh", ".cmake", ".yaml")) or name in (
        "CMakeLists.txt", "Makefile", "run"
    ):
        for match in _LEFTOVER.finditer(text):
            yield sources.line_of(text, match.start()), f"`{match.group()}`: finish it or file it"


def machine_path(path, text):
    for match in _MACHINE_PATH.finditer(text):
        yield sources.line_of(text, match.start()), f"a path of one machine: {match.group()}"


def include_guard(path, text):
    if path.endswith(".h"):
        guard = "ASYNCOPS_" + re.sub(r"\W", "_", path).upper() + "_"
        if f"#ifndef {guard}\n#define {guard}\n" not in text:
            yield 1, f"the include guard is not {guard}"


_RANGE_OF_CALL = re.compile(r"\bfor \((?:[^;()]|\([^()]*\))*?[^:]:(?!:)\s*(?:\w+::)*[A-Z]\w*\(")


# A data member behind the arrow of a call: of a Result, or of a pointer that is worth a name too.
_RANGE_OF_MEMBER = re.compile(r"\bfor \([^;{}]*?[^:]:(?!:)[^;{}]*?\)->\w+\)[ \n]")


def dangling_range(path, text):
    """What a call returns is gone before the first round where only a part of it is named."""
    if not is_cpp(path):
        return
    code = sources.blank(text)
    for match in _RANGE_OF_CALL.finditer(code):
        depth, at = 1, match.end()
        while depth and at < len(code):
            depth += {"(": 1, ")": -1}.get(code[at], 0)
            at += 1
        if re.match(r"(->|\.)", code[at:]):
            yield (sources.line_of(code, match.start()),
                   "a loop over a part of what a call returns: give the whole a name first")
    for match in _RANGE_OF_MEMBER.finditer(code):
        yield (sources.line_of(code, match.start()),
               "a loop over a member behind a call's arrow: give the whole a name first")


# Rules of the tree.


def unlisted_source(files):
    """A .cc that no CMake file names, by a path from its own folder, is neither built nor run."""
    listed = set()
    for path, text in files.items():
        if posixpath.basename(path) == "CMakeLists.txt" or path.endswith(".cmake"):
            folder = posixpath.dirname(path)
            code = re.sub(r"#[^\n]*", "", text)
            for name in re.findall(r"[\w./${}\-]+\.cc\b", code):
                name = re.sub(r"^\$\{(CMAKE|PROJECT)_SOURCE_DIR\}/", "/", name)
                name = name.replace("${CMAKE_CURRENT_SOURCE_DIR}/", "")
                full = name[1:] if name.startswith("/") else posixpath.join(folder, name)
                listed.add(posixpath.normpath(full))
    for path in files:
        if path.endswith(".cc") and path not in listed:
            what = "this test never runs" if path.endswith("_test.cc") else "it is never built"
            yield path, 1, f"no CMake file lists it: {what}"


def missing_path_in_docs(files):
    folders = {folder for path in files for folder in _parents(path)}
    for path, text in files.items():
        if not path.endswith(".md"):
            continue
        for match in re.finditer(r"`([^`\n]+)`", text):
            name = match.group(1).split()[0] if match.group(1).split() else ""
            name = re.sub(r"(:\d+|[.,;:/])*$", "", name)
            if not _OUR_PATH.match(name) or re.search(r"[<>{}$]|NNNN", name):
                continue
            if "*" in name:
                exists = any(fnmatch.fnmatch(other, name) for other in files)
            else:
                exists = name in files or name in folders
            if not exists:
                yield path, sources.line_of(text, match.start()), f"no such path: {name}"
        for match in re.finditer(r"\]\(([^)\s#:]+)(?:#[^)]*)?\)", text):
            name = posixpath.normpath(posixpath.join(posixpath.dirname(path), match.group(1)))
            if name not in files and name not in folders:
                yield path, sources.line_of(text, match.start()), f"no such path: {match.group(1)}"


def _parents(path):
    while path := posixpath.dirname(path):
        yield path


def leaked_library(files):
    """A header that names a library hands it to all that include it: they must know it too."""
    carriers = {}
    for path, text in files.items():
        if path.endswith(".h"):
            for _, angled, header in sources.includes(text):
                for name, headers, home in LIBRARIES:
                    if angled and re.match(headers, header):
                        carriers.setdefault(path, []).append((name, home))
    for path, text in files.items():
        if is_cpp(path):
            for line, angled, header in sources.includes(text):
                for name, home in [] if angled else carriers.get(header, []):
                    if not re.fullmatch(home, path):
                        yield path, line, f'"{header}" brings {name} here'


FILE_RULES = [file_length, line_length, function_length, include_edge, third_party_header,
              banned_call, dangling_range, sql_outside_storage, leftover, machine_path, include_guard]
TREE_RULES = [unlisted_source, missing_path_in_docs, leaked_library]
