"""The one list of exceptions to the rules: (rule, path or pattern, reason). An exception that nothing
needs any more is itself a finding."""

ALLOWED = [
    ("banned_call", "apiserver/cmd/main.cc", "a command answers its user on stdout and stderr"),
    ("banned_call", "manifests/generate_manifests.cc", "a generator prints what it made"),
    ("third_party_header", "tests/integration/http/http_client.cc",
     "the tests' client shares no code with the server that it tests"),
    ("third_party_header", "tests/integration/http/tls_test.cc",
     "looks at the handshake with its own eyes"),
    ("third_party_header", "tests/unit/kube/raw_server.cc",
     "serves TLS, and makes the certificates that no CA of ours would sign"),
    ("third_party_header", "tests/unit/http/gzip_test.cc",
     "inflates what the adapter deflated, without the adapter"),
    ("leftover", "tests/tidy/rules.py", "names the words that it looks for"),
    ("leftover", "tests/tidy/tidy_test.py", "holds a bad sample of each rule"),
    ("machine_path", "tests/tidy/tidy_test.py", "holds a bad sample of each rule"),
    ("third_party_header", "tests/unit/storage/fault_vfs.cc",
     "injects the faults of a disk below SQLite itself"),
    ("third_party_header", "tests/bench/raw_sqlite.cc",
     "what SQLite does without us is what it measures"),
    ("sql_outside_storage", "tests/bench/raw_sqlite.cc",
     "what SQLite does without us is what it measures"),
    ("banned_call", "tests/bench/raw_sqlite.cc", "a command answers its user on stdout and stderr"),
]
