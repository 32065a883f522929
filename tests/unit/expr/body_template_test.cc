#include "api/expr/body_template.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace asyncops::expr {
namespace {

Json Parsed(std::string_view text) { return ParseJson(text).value(); }

TEST(BodyTemplateTest, RendersEveryStringAndKeepsTheRest) {
  const auto body = BodyTemplate::Compile(Parsed(R"({
    "size": "${spec.parameters.size}", "name": "vol-${metadata.name}", "n": 1, "on": true,
    "nothing": null, "${key}": "names are not templates", "price": "$${amount}",
    "disks": [{"id": "${metadata.name}-0"}, "plain", [["${spec.parameters.tags}"]]]
  })"),
                                          SubmitEnvironment());
  ASSERT_TRUE(body.ok()) << body.status().ToString();
  const Json parameters = Parsed(R"({"size": 10, "tags": ["a", "b"]})");
  const Json metadata = Parsed(R"({"name": "data"})");
  Bindings bindings;
  bindings.Set("spec.parameters", &parameters).Set("metadata", &metadata);
  const Result<Json> rendered = body->Render(bindings);
  ASSERT_TRUE(rendered.ok()) << rendered.status().ToString();
  EXPECT_EQ(*rendered, Parsed(R"({
    "size": 10, "name": "vol-data", "n": 1, "on": true, "nothing": null,
    "${key}": "names are not templates", "price": "${amount}",
    "disks": [{"id": "data-0"}, "plain", [[["a", "b"]]]]
  })"));
  EXPECT_EQ(*body->Render(bindings), *rendered) << "a body renders to the same again";
}

TEST(BodyTemplateTest, AStringAloneIsABody) {
  const auto body = BodyTemplate::Compile("${spec.parameters}", SubmitEnvironment());
  ASSERT_TRUE(body.ok());
  const Json parameters = Parsed(R"({"a": 1})");
  Bindings bindings;
  bindings.Set("spec.parameters", &parameters);
  EXPECT_EQ(*body->Render(bindings), parameters);
}

TEST(BodyTemplateTest, ReportsEveryMistakeWithItsPath) {
  const auto body = BodyTemplate::Compile(Parsed(R"({
    "a": "${foo}", "b": {"c": ["ok", "x${1 +}"]}, "d e": "${spec.parameters.x",
    "f": "${metadata.uid}"
  })"),
                                          SubmitEnvironment());
  ASSERT_FALSE(body.ok());
  const Status status = body.status();
  EXPECT_EQ(status.reason(), Reason::kBadRequest);
  EXPECT_EQ(status.message(),
            "a: col 3: unknown name \"foo\": use spec, metadata, outputs or operation");
  const std::vector<StatusCause> want = {
      {"FieldValueInvalid", "col 3: unknown name \"foo\": use spec, metadata, outputs or operation",
       "a"},
      {"FieldValueInvalid", "col 7: expected an operand, found the end", "b.c[1]"},
      {"FieldValueInvalid", "col 1: '${' has no closing '}'", "[\"d e\"]"},
  };
  EXPECT_EQ(status.details().causes, want);
}

TEST(BodyTemplateTest, ReportsAtMostAsManyMistakesAsAreRead) {
  JsonArray items(100, Json("${foo}"));
  const auto body = BodyTemplate::Compile(items, SubmitEnvironment());
  EXPECT_EQ(body.status().details().causes.size(), kMaxDuplicatesReported);
}

TEST(BodyTemplateTest, AFailureNamesThePath) {
  const auto body =
      BodyTemplate::Compile(Parsed(R"({"a": [1, "${spec.parameters.x}"]})"), SubmitEnvironment());
  ASSERT_TRUE(body.ok());
  const Json parameters = Parsed("{}");
  Bindings bindings;
  bindings.Set("spec.parameters", &parameters);
  EXPECT_EQ(body->Render(bindings).status().message(),
            "a[1]: expression \"spec.parameters.x\": col 17: no field \"x\"");
}

TEST(BodyTemplateTest, SizeIsBounded) {
  JsonArray items(40, Json("${spec.parameters.text}"));
  const auto body = BodyTemplate::Compile(items, SubmitEnvironment());
  ASSERT_TRUE(body.ok());
  const Json parameters = Json::Of({{"text", std::string(kMaxExpressionOutputBytes / 2, 'a')}});
  Bindings bindings;
  bindings.Set("spec.parameters", &parameters);
  EXPECT_EQ(body->Render(bindings).status().message(),
            "the body renders to more than 1048576 bytes");
}

TEST(BodyTemplateTest, DepthIsBounded) {
  Json deep("${metadata.name}");
  for (int i = 0; i < kMaxJsonDepth; ++i) deep = Json(JsonArray{deep});
  EXPECT_TRUE(BodyTemplate::Compile(deep, SubmitEnvironment())
                  .status()
                  .message()
                  .ends_with("nested more than 64 levels deep"));
}

}  // namespace
}  // namespace asyncops::expr
