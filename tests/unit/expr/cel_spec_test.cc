// The cases of the public cel-spec (its tests/simple), area by area: data/AREA.jsonl holds the
// inputs and what each comes to here. The first line of a file counts its rows: `inside` come to
// what the specification says (where that is an error, it may be missing or refused here),
// `outside` are refused with the words shown, `differs` are the documented differences
// (docs/expressions.md), with what the specification says and why it is not so here, `adapted` are
// rows from outside that were written without dyn(), or with a literal for a variable.
#include <fstream>
#include <map>
#include <vector>

#include "tests/unit/expr/expression_cases.h"

namespace asyncops::expr {
namespace {

std::vector<Json> ReadRows(const std::string& area) {
  std::ifstream file("tests/unit/expr/data/" + area + ".jsonl");
  EXPECT_TRUE(file.is_open()) << area;
  std::vector<Json> rows;
  for (std::string line; std::getline(file, line);) {
    Result<Json> row = ParseJson(line);
    EXPECT_TRUE(row.ok()) << area << ": " << line;
    if (row.ok()) rows.push_back(*std::move(row));
  }
  return rows;
}

// What the expression of a row comes to; its variables are the roots.
std::string Answer(const Json& row) {
  std::vector<std::string> names = {"x", "y"};
  Bindings bindings;
  if (const Json* variables = row.Find("in")) {
    for (const JsonMember& variable : variables->as_object()) {
      names.push_back(variable.name.substr(0, variable.name.find('.')));
      bindings.Set(variable.name, &variable.value);
    }
  }
  std::vector<Shape> roots;
  for (const std::string& name : names) roots.push_back(Shape{name});
  return Describe(row.Find("expr")->as_string(), bindings, Environment(roots, "x"));
}

std::string KindOf(const Json& row) {
  if (const Json* kind = row.Find("kind")) return kind->as_string();
  return row.Find("want")->as_string().starts_with("refused: ") ? "outside" : "inside";
}

class CelSpecTest : public ::testing::TestWithParam<std::string_view> {};

TEST_P(CelSpecTest, EveryCaseComesToWhatTheSpecificationSaysOrIsRefusedByName) {
  const std::string area(GetParam());
  const std::vector<Json> rows = ReadRows(area);
  ASSERT_FALSE(rows.empty());
  std::map<std::string, std::int64_t> count = {
      {"inside", 0}, {"outside", 0}, {"differs", 0}, {"adapted", 0}};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ++count[KindOf(rows[i])];
    EXPECT_EQ(Answer(rows[i]), rows[i].Find("want")->as_string())
        << area << ".jsonl:" << i + 1 << ": " << rows[i].Find("expr")->as_string();
  }
  for (const auto& [kind, rows_of_kind] : count) {
    EXPECT_EQ(rows[0].Find(kind)->as_int(), rows_of_kind) << area << ": rows that are " << kind;
  }
}

INSTANTIATE_TEST_SUITE_P(Areas, CelSpecTest,
                         ::testing::Values("basic", "comparisons", "conversions", "encoders_ext",
                                           "fields", "fp_math", "integer_math", "lists", "logic",
                                           "macros", "macros2", "parse", "string", "string_ext",
                                           "timestamps"),
                         [](const auto& area) { return std::string(area.param); });

}  // namespace
}  // namespace asyncops::expr
