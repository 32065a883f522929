"""The one list of exceptions to the rules: (rule, path or pattern, reason). An exception that nothing
needs any more is itself a finding."""

ALLOWED = [
    ("leftover", "tests/tidy/rules.py", "names the words that it looks for"),
    ("leftover", "tests/tidy/tidy_test.py", "holds a bad sample of each rule"),
    ("machine_path", "tests/tidy/tidy_test.py", "holds a bad sample of each rule"),
]
