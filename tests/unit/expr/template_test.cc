#include "api/expr/template.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace asyncops::expr {
namespace {

class TemplateTest : public ::testing::Test {
 protected:
  TemplateTest() {
    bindings_.Set("spec.parameters", &parameters_).Set("operation", &operation_);
    bindings_.Set("response.body", &body_);
  }

  // The rendered JSON, "refused: MESSAGE" or "failed: MESSAGE".
  std::string Render(std::string_view text) {
    const auto compiled = Template::Compile(text, ResponseEnvironment());
    if (!compiled.ok()) return "refused: " + compiled.status().message();
    const Result<Json> value = compiled->Render(bindings_);
    return value.ok() ? EncodeJson(*value) : "failed: " + value.status().message();
  }

  Json parameters_ = ParseJson(R"({"size": 10, "ratio": 0.5, "big": 1000000.0, "name": "data",
      "flag": true, "tags": ["a"], "nothing": null, "brace": "}"})")
                         .value();
  Json operation_ = ParseJson(R"({"id": "op-1", "attempt": 2})").value();
  Json body_ = ParseJson(R"({"a b": {"c": 1}, "": 5})").value();
  Bindings bindings_;
};

TEST_F(TemplateTest, AWholeExpressionKeepsItsType) {
  EXPECT_EQ(Render("${spec.parameters.size}"), "10");
  EXPECT_EQ(Render("${ spec.parameters.size }"), "10");
  EXPECT_EQ(Render("${spec.parameters.ratio}"), "0.5");
  EXPECT_EQ(Render("${spec.parameters.flag}"), "true");
  EXPECT_EQ(Render("${spec.parameters.tags}"), R"(["a"])");
  EXPECT_EQ(Render("${spec.parameters.nothing}"), "null");
  EXPECT_EQ(Render("${spec.parameters.name}"), R"("data")");
  EXPECT_EQ(Render("${{'a': {'b': spec.parameters.size}}}"), R"({"a":{"b":10}})");
}

TEST_F(TemplateTest, PartsBecomeText) {
  EXPECT_EQ(Render("/v1/${spec.parameters.name}/${operation.id}"), R"("/v1/data/op-1")");
  EXPECT_EQ(Render("n=${spec.parameters.size}"), R"("n=10")");
  EXPECT_EQ(Render("${spec.parameters.size}Gi"), R"("10Gi")");
  EXPECT_EQ(Render("${spec.parameters.size}${spec.parameters.flag}"), R"("10true")");
  EXPECT_EQ(Render("${spec.parameters.ratio},${spec.parameters.big}"), R"("0.5,1000000")");
}

TEST_F(TemplateTest, TextWithoutExpressionsIsItself) {
  for (const std::string_view text :
       {"", "plain", "$", "$5", "a}b", "{x}", "100%", "$$", "$ {x}"}) {
    EXPECT_EQ(Render(text), EncodeJson(Json(text))) << text;
    EXPECT_TRUE(Template::Compile(text, SubmitEnvironment())->is_literal()) << text;
  }
  EXPECT_FALSE(Template::Compile("${operation.id}", SubmitEnvironment())->is_literal());
}

TEST_F(TemplateTest, ADoubledDollarEscapes) {
  EXPECT_EQ(Render("$${x}"), R"("${x}")");
  EXPECT_EQ(Render("a$${b}${operation.id}"), R"("a${b}op-1")");
  EXPECT_EQ(Render("$$${operation.id}"), R"("$${operation.id}")");
  EXPECT_EQ(Render("${operation.id}$${x}"), R"("op-1${x}")");
  EXPECT_EQ(Render("${operation.id}${operation.id}"), R"("op-1op-1")");
}

TEST_F(TemplateTest, BracesInStringsMapsAndCommentsDoNotEndAnExpression) {
  EXPECT_EQ(Render("${'}'}"), R"("}")");
  EXPECT_EQ(Render(R"(${"}" + '${'})"), R"("}${")");
  EXPECT_EQ(Render(R"(${r'\}'})"), R"("\\}")");
  EXPECT_EQ(Render("${size({'a': {'b': 1}})}!"), R"("1!")");
  EXPECT_EQ(Render("${1 // }\n}"), "1");
  EXPECT_EQ(Render("${'it\\'s }'}"), R"("it's }")");
}

TEST_F(TemplateTest, PointersReadTheResponse) {
  EXPECT_EQ(Render("${/a b/c}"), "1");
  EXPECT_EQ(Render("x${ /a b/c }"), R"("x1")");
  EXPECT_EQ(Render("${/}"), "5");
}

TEST_F(TemplateTest, WhatCannotBeRenderedNamesItsExpression) {
  EXPECT_EQ(Render("a${spec.parameters.absent}"),
            "failed: expression \"spec.parameters.absent\": col 17: no field \"absent\"");
  EXPECT_EQ(Render("${spec.parameters.absent}"),
            "failed: expression \"spec.parameters.absent\": col 17: no field \"absent\"");
  EXPECT_EQ(Render("a${spec.parameters.nothing}"),
            "failed: expression \"spec.parameters.nothing\": a value of type null cannot become "
            "part of a text");
  EXPECT_EQ(Render("a${spec.parameters.tags}"),
            "failed: expression \"spec.parameters.tags\": a value of type array cannot become part "
            "of a text");
  EXPECT_EQ(Render("${1 / 0}"), "failed: expression \"1 / 0\": col 3: division by zero");
}

TEST_F(TemplateTest, MistakesAreNamedByTheColumnInTheWholeText) {
  EXPECT_EQ(Render("/v1/${operation.idd}").substr(0, 50),
            "refused: col 17: operation has no field \"idd\": use");
  EXPECT_EQ(Render("é${1 +}"), "refused: col 7: expected an operand, found the end");
  EXPECT_EQ(Render("a${operation.id"), "refused: col 2: '${' has no closing '}'");
  EXPECT_EQ(Render("a${}"), "refused: col 2: '${}' holds no expression");
  EXPECT_EQ(Render("a${  }"), "refused: col 2: '${}' holds no expression");
  EXPECT_EQ(Render("${'a}"), "refused: col 3: string has no closing '");
  EXPECT_EQ(Render("a\n${1 +}"), "refused: line 2, col 6: expected an operand, found the end");
  EXPECT_EQ(Render("${/a~}"),
            "refused: col 5: '~' in a JSON Pointer is written '~0' (and '/' in "
            "a name '~1')");
}

TEST_F(TemplateTest, RenderTextIsAlwaysText) {
  const auto compiled = Template::Compile("${spec.parameters.size}", SubmitEnvironment());
  ASSERT_TRUE(compiled.ok());
  EXPECT_EQ(compiled->RenderText(bindings_).value(), "10");
  const auto list = Template::Compile("${spec.parameters.tags}", SubmitEnvironment());
  EXPECT_FALSE(list->RenderText(bindings_).ok()) << "a list is no text";
}

TEST_F(TemplateTest, OutputIsBounded) {
  parameters_.Set("name", std::string(kMaxExpressionOutputBytes / 2, 'a'));
  std::string text;
  for (int i = 0; i < 40; ++i) text += "${spec.parameters.name}";
  EXPECT_EQ(Render(text), "failed: the text renders to more than 1048576 bytes");
}

}  // namespace
}  // namespace asyncops::expr
