"""Each rule must catch its bad sample and leave the good one alone: a rule that never fires would
look like a clean tree."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import rules
import sources
import tidy

# (rule, path, bad text, good text)
FILE_SAMPLES = [
    (rules.file_length, "storage/a.cc", "\n" * 601, "\n" * 600),
    (rules.file_length, "tests/unit/a_test.cc", "\n" * 801, "\n" * 800),
    (rules.line_length, "api/a.cc", "x" * 101, "x" * 100 + "\n#include <" + "x" * 100 + ">"),
    (rules.function_length, "api/a.cc", "int F() {\n" + "f();\n" * 69 + "}\n",
     "int F() {\n" + "f();\n" * 68 + "}\n"),
    (rules.include_edge, "storage/a.cc", '#include "reconciler/a.h"', '#include "api/a.h"'),
    (rules.include_edge, "storage/a.cc", '#include "apiserver/http/a.h"', '// #include "kube/a.h"'),
    (rules.include_edge, "api/meta/a.h", '#include "storage/a.h"', '#include "base/a.h"'),
    (rules.include_edge, "base/a.h", '#include "api/a.h"', '#include "base/b.h"'),
    (rules.include_edge, "reconciler/a.cc", '#include "apiserver/http/a.h"', '#include "kube/a.h"'),
    (rules.include_edge, "webhooks/a.cc", '#include "storage/a.h"',
     '#include "apiserver/http/a.h"'),
    (rules.include_edge, "apiserver/tls/a.cc", '#include "storage/a.h"', '#include "kube/a.h"'),
    (rules.include_edge, "apiserver/handlers/a.cc", '#include "apiserver/cmd/a.h"',
     '#include "apiserver/registry/a.h"'),
    (rules.include_edge, "kube/a.cc", '#include "tests/support/a.h"', '#include "base/a.h"'),
    (rules.include_edge, "base/a.cc", '#include "a.h"', '#include "base/a.h"'),
    (rules.third_party_header, "base/json.h", "#include <nlohmann/json.hpp>", "#include <map>"),
    (rules.third_party_header, "api/a.cc", "#include <absl/a.h>", "#include <sys/stat.h>"),
    (rules.third_party_header, "kube/a.cc", "#include <httplib.h>", "#include <string.h>"),
    (rules.banned_call, "kube/a.cc", "std::this_thread::sleep_for(1s);", "// sleep_for(1s)"),
    (rules.banned_call, "kube/a.cc", "std::chrono::system_clock::now();", "clock.Now();"),
    (rules.banned_call, "kube/a.cc", "auto t = steady_clock::now();", "steady_clock::time_point t;"),
    (rules.banned_call, "kube/a.cc", "std::random_device d;", "ids.Next();"),
    (rules.banned_call, "kube/a.cc", "int n = std::stoi(s);", 'Log("stoi(s)");'),
    (rules.banned_call, "kube/a.cc", "int n = strtoul(s, 0, 10);", "int restoi(int);"),
    (rules.banned_call, "kube/a.cc", "} catch (...) {", "catching(1);"),
    (rules.banned_call, "kube/a.cc", "try { F(); }", "retry();"),
    (rules.banned_call, "kube/a.cc", "auto f = [&] { F(); };", "auto f = [&x, this] { F(); };"),
    (rules.banned_call, "kube/a.cc", "auto f = [=, this] { F(); };", "operator[](int);"),
    (rules.banned_call, "kube/a.cc", 'fprintf(stderr, "x");', "snprintf(b, n, f);"),
    (rules.banned_call, "kube/a.cc", "std::cout << 1;", "out << 1;"),
    (rules.banned_call, "tests/unit/a_test.cc", "TEST(A, DISABLED_B) {}", "TEST(A, B) {}"),
    (rules.banned_call, "tests/unit/a_test.cc", "GTEST_SKIP();", "ASSERT_TRUE(x);"),
    (rules.banned_call, "kube/a.h", "using namespace std;", "using std::string;"),
    (rules.dangling_range, "kube/a.cc", "for (const Json& x : ParseJson(t(1))->as_array()) F(x);",
     "for (const Json& x : *ParseJson(t(1))) F(x);"),
    (rules.dangling_range, "kube/a.cc", "for (const Row& r : api.store().List(q)->rows) F(r);",
     "for (const Json& x : json.Find(a)->as_array()) F(x);"),
    (rules.dangling_range, "kube/a.cc", "for (auto x : api::Load(a, b).rows) F(x);",
     "for (auto x : loaded.Rows(a).all()) F(x);"),
    (rules.sql_outside_storage, "kube/a.cc", 'Run("SELECT a FROM b");', '// "SELECT a FROM b"'),
    (rules.sql_outside_storage, "kube/a.cc", 'R"(UPDATE t\n SET a = 1)"', '"Select one from it"'),
    (rules.leftover, "scripts/a.sh", "# TODO: finish", "# done"),
    (rules.leftover, "kube/a.cc", "// good enough for now", "// the todo list"),
    (rules.machine_path, "docs/a.md", "see /root/x", "GET /work and ${dir}/root/x"),
    (rules.include_guard, "kube/a_b.h", "#pragma once\n",
     "#ifndef ASYNCOPS_KUBE_A_B_H_\n#define ASYNCOPS_KUBE_A_B_H_\n"),
]

# (rule, bad tree, good tree)
TREE_SAMPLES = [
    (rules.unlisted_source, {"a/CMakeLists.txt": "# x_test.cc", "a/x_test.cc": ""},
     {"a/CMakeLists.txt": "f(x_test.cc b/y.cc)", "a/x_test.cc": "", "a/b/y.cc": ""}),
    (rules.missing_path_in_docs, {"README.md": "see `base/gone.h`"},
     {"README.md": "see `base/a.h:12`, `base/*.h`, `base/`, `api/<kind>.h`, `x`", "base/a.h": ""}),
    (rules.missing_path_in_docs, {"docs/a.md": "[x](b.md)"},
     {"docs/a.md": "[x](../b.md#part) [y](https://a.example/b)", "b.md": ""}),
    (rules.leaked_library,
     {"storage/sqlite/a.h": "#include <sqlite3.h>", "storage/b.cc": '#include "storage/sqlite/a.h"'},
     {"storage/sqlite/a.h": "#include <sqlite3.h>",
      "storage/sqlite/b.cc": '#include "storage/sqlite/a.h"'}),
]


class RulesTest(unittest.TestCase):
    def test_each_rule_of_a_file_catches_its_bad_sample_and_passes_the_good(self):
        for rule, path, bad, good in FILE_SAMPLES:
            with self.subTest(rule=rule.__name__, bad=bad[:60]):
                self.assertTrue(list(rule(path, bad)))
                self.assertEqual(list(rule(path, good)), [])

    def test_each_rule_of_the_tree_catches_its_bad_sample_and_passes_the_good(self):
        for rule, bad, good in TREE_SAMPLES:
            with self.subTest(rule=rule.__name__, bad=bad):
                self.assertTrue(list(rule(bad)))
                self.assertEqual(list(rule(good)), [])

    def test_every_rule_has_a_sample(self):
        sampled = {sample[0] for sample in FILE_SAMPLES + TREE_SAMPLES}
        self.assertEqual(sampled, set(rules.FILE_RULES + rules.TREE_RULES))

    def test_every_banned_call_has_a_sample(self):
        bad = [text for rule, _, text, _ in FILE_SAMPLES if rule is rules.banned_call]
        for pattern, _, _ in rules.BANNED_CALLS:
            with self.subTest(pattern=pattern):
                self.assertTrue(any(rules.re.search(pattern, text) for text in bad))

    def test_a_finding_names_the_line(self):
        found = list(rules.banned_call("kube/a.cc", "/* one\n two */\nint n = std::stoi(s);\n"))
        self.assertEqual([line for line, _ in found], [3])

    def test_an_adapter_may_catch_and_know_its_library(self):
        text = "#include <nlohmann/json.hpp>\nvoid F() { try { G(); } catch (...) {} }"
        self.assertEqual(list(rules.banned_call("base/json_parse.cc", text)), [])
        self.assertEqual(list(rules.third_party_header("base/json_parse.cc", text)), [])


class ExceptionsTest(unittest.TestCase):
    FILES = {"kube/a.h": "int n = std::stoi(s);\n#ifndef ASYNCOPS_KUBE_A_H_\n"
                         "#define ASYNCOPS_KUBE_A_H_\n"}

    def test_an_exception_covers_its_rule_and_path_alone(self):
        self.assertEqual(len(tidy.findings(self.FILES, [])), 1)
        self.assertEqual(tidy.findings(self.FILES, [("banned_call", "kube/*.h", "why")]), [])

    def test_an_exception_that_nothing_needs_is_a_finding(self):
        unused = [("banned_call", "kube/a.h", "why"), ("leftover", "kube/a.h", "why")]
        self.assertEqual([rule for _, _, rule, _ in tidy.findings(self.FILES, unused)], ["allowed"])

    def test_every_exception_says_why(self):
        for rule, path, reason in tidy.ALLOWED:
            with self.subTest(rule=rule, path=path):
                self.assertGreater(len(reason.split()), 3)


class SourcesTest(unittest.TestCase):
    def test_blank_keeps_positions_and_drops_comments_and_strings(self):
        text = 'a = "x//y"; // z\nb = R"(p"q)"; /* r\n */ c = \'"\'; d = 1\'000;'
        code = sources.blank(text)
        self.assertEqual(len(code), len(text))
        self.assertEqual(code.split(), ["a", "=", ";", "b", "=", ";", "c", "=", ";", "d", "=",
                                        "1'000;"])

    def test_functions_are_found_in_their_scopes(self):
        text = """namespace a {
constexpr int kTable[] = {1, 2};
class B : public C {
 public:
  B(int x, D d) : x_{x}, d_(Make({1})) {
    if (x) { G(); }
  }
  bool operator==(const B& o) const { return x_ == o.x_; }
 private:
  int x_{0};
};
template <class T>
auto F(T t) -> Result<T> {
  auto lambda = [t] { return t; };
  for (;;) {}
}
enum class E { kOne };
}  // namespace a
"""
        self.assertEqual(
            [(line, length, head.split("(")[0]) for line, length, head in sources.functions(text)],
            [(5, 3, "B"), (8, 1, "bool operator=="), (12, 5, "template <class T> auto F")],
        )

    def test_files_are_listed_outside_git_and_new_ones_within_it(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "build").mkdir()
            (root / "build" / "made.cc").touch()
            (root / "new.cc").touch()
            (root / ".gitignore").write_text("/build/\n")
            expected = [".gitignore", "new.cc"]
            self.assertEqual(sources.list_files(root), expected)
            subprocess.run(["git", "init", "-q", name], check=True)
            self.assertEqual(sources.list_files(root), expected)


if __name__ == "__main__":
    sys.exit(unittest.main())
