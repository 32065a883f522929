#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/expr/template.h"

namespace asyncops::expr {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Names(std::string_view source, std::string_view variable) {
  const auto compiled = Expression::Compile(source, ResponseEnvironment());
  EXPECT_TRUE(compiled.ok()) << source << ": " << compiled.status().message();
  return compiled.ok() ? compiled->NamesBelow(variable) : std::vector<std::string>();
}

TEST(NamesBelowTest, AreThoseReadRightBelowTheVariableEachOnce) {
  EXPECT_THAT(Names("outputs.a + outputs.b.c + outputs.a", "outputs"), ElementsAre("a", "b"));
  EXPECT_THAT(Names("outputs['x y'] == 1", "outputs"), ElementsAre("x y"));
  EXPECT_THAT(Names("spec.parameters.size", "spec.parameters"), ElementsAre("size"));
  EXPECT_THAT(Names("[1].exists(x, x == outputs.deep.er)", "outputs"), ElementsAre("deep"));
}

TEST(NamesBelowTest, AreNotThoseOfOtherVariablesNorComputedOnes) {
  EXPECT_THAT(Names("response.body.outputs.a", "outputs"), IsEmpty());
  EXPECT_THAT(Names("spec.parameters.a", "outputs"), IsEmpty());
  EXPECT_THAT(Names("outputs[response.body.name] == 1", "outputs"), IsEmpty());
  EXPECT_THAT(Names("size(outputs)", "outputs"), IsEmpty());
}

TEST(NamesBelowTest, AreNotThoseThatAreAskedForFirst) {
  EXPECT_THAT(Names("has(outputs.a) ? outputs.a : outputs.b", "outputs"), ElementsAre("b"));
  EXPECT_THAT(Names("has(operation.id) && has(submit.response.body) && outputs.a", "outputs"),
              ElementsAre("a"))
      << "has() of a fixed field";
}

TEST(NamesBelowTest, OfATemplateAreThoseOfAllItsParts) {
  const auto compiled = Template::Compile(
      "/${outputs.a}/$${outputs.no}/${spec.parameters.b}-"
      "${outputs.c}",
      FollowUpEnvironment());
  ASSERT_TRUE(compiled.ok());
  EXPECT_THAT(compiled->NamesBelow("outputs"), ElementsAre("a", "c"));
  EXPECT_THAT(compiled->NamesBelow("spec.parameters"), ElementsAre("b"));
}

TEST(ReadsTest, AreWhatStandsAtTheRootWhereverItStands) {
  const auto reads = [](std::string_view source) {
    return Expression::Compile(source, ResponseEnvironment())->Reads("error");
  };
  EXPECT_TRUE(reads("error.code == 'Gone'"));
  EXPECT_TRUE(reads("response.status == 400 && error.code.lowerAscii() in ['canceled']"));
  EXPECT_TRUE(reads("has(error.code) ? error.code : ''"));
  EXPECT_TRUE(reads("['a', 'b'].exists(x, x == error.code)"));
  EXPECT_FALSE(reads("response.body.error"));
  EXPECT_FALSE(reads("response.body.x == 'error'"));
  EXPECT_FALSE(reads("/error/code"));
}

}  // namespace
}  // namespace asyncops::expr
