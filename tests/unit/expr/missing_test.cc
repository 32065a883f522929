// What is not there is "no match", whatever the shape of the answer.
#include "tests/unit/expr/expression_cases.h"

namespace asyncops::expr {
namespace {

Json Parsed(std::string_view text) { return ParseJson(text).value(); }

TEST(MissingTest, AFieldKeyOrIndexThatIsNotThereIsMissing) {
  const Json response = Parsed(R"({
    "status": 202, "headers": {"location": "/ops/1"},
    "body": {"name": "ops/1", "done": false, "nothing": null, "items": [{"id": "a"}], "text": "t"}
  })");
  Bindings bindings;
  bindings.Set("response", &response);
  static constexpr ExpressionCase kCases[] = {
      {"response.status == 202", "value: true", "there"},
      {"response.headers['location']", "value: \"/ops/1\"", "a header by key"},
      {"response.headers.location", "value: \"/ops/1\"", "a header as a field"},
      {"response.headers['retry-after']", "missing: col 17: no such key", "an absent header"},
      {"response.body.error", "missing: col 15: no field \"error\"", "an absent field"},
      {"response.body.error.code == 7", "missing: col 15: no field \"error\"", "absent on the way"},
      {"response.body.nothing.code", "missing: col 23: no field \"code\"", "a field of null"},
      {"response.body.text.code", "missing: col 20: no field \"code\"", "a field of a text"},
      {"response.body.items.id", "missing: col 21: no field \"id\"", "a field of a list"},
      {"response.body.items[1]", "missing: col 20: no such index", "beyond the list"},
      {"response.body.text[0]", "missing: col 19: no such key", "an index into a text"},
      {"response.body.nothing == null", "value: true", "null is there"},
      {"response.body.done != true", "value: true", "false is there"},
      {"response.body.done == 'x' || response.body.error.code == 1", "missing: col 44",
       "a missing operand that decides"},
      {"has(response.body.error)", "value: false", "asked for"},
      {"has(response.body.nothing)", "value: true", "null was set"},
      {"has(response.body.nothing.code)", "value: false", "null has no fields"},
      {"has(response.body.error.code)", "missing: col 19: no field \"error\"",
       "has() asks for the last step alone, as in CEL"},
      {"has(response.body.error) && has(response.body.error.code)", "value: false", "step by step"},
      {"has(response.status)", "value: true", "a fixed field"},
      {"!has(response.body.done) || !response.body.done", "value: true", "the preset's question"},
      {"has(submit.response.body)", "value: false", "a root that is not bound"},
      {"submit.response.status == 200", "missing: col 1: no field \"status\"", "the same, read"},
      {"operation.id + '/x'", "missing: col 1: no field \"id\"", "a missing operand of +"},
      {"size(response.body.error)", "missing: col 20: no field \"error\"", "a missing argument"},
      {"[response.body.error]", "missing: col 16: no field \"error\"", "a missing element"},
      {"response.body.items.map(i, i.name)", "missing: col 30: no field \"name\"", "in a macro"},
      {"response.body.items.exists(i, i.id == 'a')", "value: true", "a predicate on elements"},
      {"/items/0/id", "value: \"a\"", "a pointer"},
      {"/items/1/id", "missing: col 1: nothing at this JSON Pointer", "a pointer to nothing"},
      {"", R"(value: {"done":false,"items":[{"id":"a"}],"name":"ops/1","nothing":null,"text":"t"})",
       "the empty pointer is the whole body"},
  };
  ExpectCases(kCases, bindings, ResponseEnvironment());
}

TEST(MissingTest, OnlyTheBooleanTrueMatches) {
  const Json body = Parsed(R"({"yes": true, "no": false, "text": "true", "one": 1})");
  Bindings bindings;
  bindings.Set("response.body", &body);
  struct Row {
    std::string_view source;
    bool want;
    std::string_view reason;
  };
  static constexpr Row kRows[] = {
      {"response.body.yes", true, "true"},
      {"/yes", true, "true by pointer"},
      {"response.body.no", false, "false"},
      {"response.body.text", false, "the text \"true\" is no boolean"},
      {"response.body.one", false, "nor is 1"},
      {"response.body.absent", false, "missing"},
      {"1 / 0 == 1", false, "an error"},
      {"response.body", false, "an object"},
      {"timestamp(0)", false, "a time"},
  };
  for (const Row& row : kRows) {
    const auto expression = Expression::Compile(row.source, ResponseEnvironment());
    ASSERT_TRUE(expression.ok()) << row.source << expression.status().ToString();
    EXPECT_EQ(expression->Matches(bindings), row.want) << row.source << ": " << row.reason;
  }
}

TEST(MissingTest, BodiesOfAnyTypeAreNoMatch) {
  for (const std::string_view text :
       {"null", "[]", "{}", "\"\"", "0", "true", "1.5", R"([{"status":1}])", R"({"status":{}})"}) {
    const Json body = Parsed(text);
    Bindings bindings;
    bindings.Set("response.body", &body);
    for (const std::string_view source :
         {"response.body.status in ['SUCCEEDED', 'READY']", "response.body.status == 'FAILED'",
          "response.body.items.exists(i, i.id == 'x')", "/status/code", "/0/x",
          "response.body.status.lowerAscii() == 'done'", "response.body[0].id == 'x'"}) {
      const auto expression = Expression::Compile(source, ResponseEnvironment());
      ASSERT_TRUE(expression.ok()) << source;
      EXPECT_FALSE(expression->Matches(bindings)) << source << " of " << text;
    }
  }
}

TEST(BindingsTest, TheMostExactBindingWins) {
  const Json spec = Parsed(R"({"parameters": {"size": 1}})");
  const Json parameters = Parsed(R"({"size": 2})");
  const auto expression = Expression::Compile("spec.parameters.size", SubmitEnvironment());
  ASSERT_TRUE(expression.ok());
  Bindings bindings;
  EXPECT_EQ(expression->Evaluate(bindings).kind, Outcome::Kind::kMissing);
  bindings.Set("spec", &spec);
  EXPECT_EQ(expression->Evaluate(bindings).value, Json(1));
  bindings.Set("spec.parameters", &parameters);
  EXPECT_EQ(expression->Evaluate(bindings).value, Json(2));
  bindings.Set("spec.parameters", nullptr);
  EXPECT_EQ(expression->Evaluate(bindings).kind, Outcome::Kind::kMissing);
}

TEST(BindingsTest, TheOrderOfBindingDoesNotMatter) {
  const Json spec = Parsed(R"({"parameters": {"size": 1}})");
  const Json parameters = Parsed(R"({"size": 2})");
  const auto expression = Expression::Compile("spec.parameters.size", SubmitEnvironment());
  ASSERT_TRUE(expression.ok());
  Bindings bindings;
  bindings.Set("spec.parameters", &parameters).Set("spec", &spec);
  EXPECT_EQ(expression->Evaluate(bindings).value, Json(2));
}

TEST(BindingsTest, ANameThatMerelyBeginsAlikeIsNotUsed) {
  const Json other = Parsed(R"({"parameters": {"size": 1}})");
  const auto expression = Expression::Compile("spec.parameters.size", SubmitEnvironment());
  ASSERT_TRUE(expression.ok());
  Bindings bindings;
  bindings.Set("spe", &other).Set("spec.param", &other).Set("specs", &other);
  EXPECT_EQ(expression->Evaluate(bindings).kind, Outcome::Kind::kMissing);
}

}  // namespace
}  // namespace asyncops::expr
