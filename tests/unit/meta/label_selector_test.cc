#include "api/meta/label_selector.h"

#include <gtest/gtest.h>

namespace asyncops {
namespace {

using Operator = LabelRequirement::Operator;

TEST(LabelSelectorTest, ParsesTheWholeGrammar) {
  struct Row {
    const char* text;
    std::vector<LabelRequirement> requirements;
    const char* reason;
  };
  const Row rows[] = {
      {"", {}, "nothing selects everything"},
      {" \t", {}, "white space alone"},
      {"x=a", {{"x", Operator::kIn, {"a"}}}, "="},
      {"x==a", {{"x", Operator::kIn, {"a"}}}, "=="},
      {"x!=a", {{"x", Operator::kNotIn, {"a"}}}, "!="},
      {"x=", {{"x", Operator::kIn, {""}}}, "the empty value"},
      {"x= ,z= ", {{"x", Operator::kIn, {""}}, {"z", Operator::kIn, {""}}}, "empty values"},
      {"x", {{"x", Operator::kExists, {}}}, "exists"},
      {"!x", {{"x", Operator::kDoesNotExist, {}}}, "does not exist"},
      {"! x , y", {{"x", Operator::kDoesNotExist, {}}, {"y", Operator::kExists, {}}}, "spaces"},
      {"x in (b,a,b)", {{"x", Operator::kIn, {"a", "b"}}}, "sorted, once each"},
      {"x notin(a)", {{"x", Operator::kNotIn, {"a"}}}, "no space before the list"},
      {"x in ()", {{"x", Operator::kIn, {""}}}, "an empty list is the empty value"},
      {"x in (,a)", {{"x", Operator::kIn, {"", "a"}}}, "an empty place"},
      {"x in (a,)", {{"x", Operator::kIn, {"", "a"}}}, "an empty last place"},
      {"x in (in,notin)", {{"x", Operator::kIn, {"in", "notin"}}}, "keywords as values"},
      {"in in (in)", {{"in", Operator::kIn, {"in"}}}, "a keyword as key"},
      {"notin", {{"notin", Operator::kExists, {}}}, "a keyword as key alone"},
      {"x=in", {{"x", Operator::kIn, {"in"}}}, "a keyword as value"},
      {"x>1,z<5",
       {{"x", Operator::kGreaterThan, {"1"}}, {"z", Operator::kLessThan, {"5"}}},
       "comparisons"},
      {"a.b/c=d", {{"a.b/c", Operator::kIn, {"d"}}}, "prefixed key"},
  };
  for (const Row& row : rows) {
    const Result<LabelSelector> selector = ParseLabelSelector(row.text);
    ASSERT_TRUE(selector.ok()) << row.text << ": " << selector.status().ToString();
    EXPECT_EQ(selector->requirements, row.requirements) << row.text << ": " << row.reason;
  }
}

TEST(LabelSelectorTest, MistakesReadAsKubeApiserverWordsThem) {
  struct Row {
    const char* text;
    const char* message;
    const char* reason;
  };
  const Row rows[] = {
      {"x=a||y=b",
       "unable to parse requirement: values[0][x]: Invalid value: \"a||y\": a valid "
       "label must be an empty string",
       "a value is checked"},
      {"x==a==b", "found '==', expected: ',' or 'end of string'", "two operators"},
      {"!x=a", "found '=', expected: ',' or 'end of string'", "a negation takes no value"},
      {"x<a",
       "unable to parse requirement: values[0]: Invalid value: \"a\": for 'Gt', 'Lt' "
       "operators, the value must be an integer",
       "only integers compare"},
      {"x>",
       "unable to parse requirement: values[0]: Invalid value: \"\": for 'Gt', 'Lt' "
       "operators, the value must be an integer",
       "nothing to compare with"},
      {",x", "found ',', expected: !, identifier, or 'end of string'", "a comma first"},
      {"x,", "found '', expected: identifier after ','", "a comma last"},
      {"x in a", "unable to parse requirement: found 'a', expected: '('", "no list"},
      {"x in (a", "unable to parse requirement: found '', expected: ',' or ')'", "open list"},
      {"x in (a b)", "unable to parse requirement: found 'b', expected: ',' or ')'", "no comma"},
      {"x y", "unable to parse requirement: found 'y', expected: in, notin, =, ==, !=, gt, lt",
       "no operator"},
      {"x=!", "unable to parse requirement: found '!', expected: identifier", "no value"},
      {"!", "unable to parse requirement: found '', expected: identifier", "no key"},
      {"-x", "unable to parse requirement: <nil>: Invalid value: \"-x\": name part must consist of",
       "a bad key"},
      {"a/b/c",
       "unable to parse requirement: <nil>: Invalid value: \"a/b/c\": a qualified name "
       "must consist of",
       "two slashes"},
  };
  for (const Row& row : rows) {
    const Result<LabelSelector> selector = ParseLabelSelector(row.text);
    ASSERT_FALSE(selector.ok()) << row.text;
    EXPECT_EQ(selector.status().reason(), Reason::kBadRequest) << row.text;
    EXPECT_TRUE(selector.status().message().starts_with(row.message))
        << row.text << " (" << row.reason << "): " << selector.status().message();
  }
}

TEST(LabelSelectorTest, MatchesWhereAllRequirementsHold) {
  const Labels labels = {{"app", "web"}, {"n", "10"}, {"empty", ""}};
  struct Row {
    const char* text;
    bool matches;
    const char* reason;
  };
  const Row rows[] = {
      {"", true, "no requirement"},
      {"app=web", true, "equal"},
      {"app=db", false, "another value"},
      {"app!=db", true, "not equal"},
      {"gone!=x", true, "!= holds without the key"},
      {"gone notin (x)", true, "notin holds without the key"},
      {"gone in (x)", false, "in needs the key"},
      {"gone=", false, "the empty value is not absence"},
      {"empty=", true, "the empty value"},
      {"app,!gone", true, "presence and absence"},
      {"!app", false, "present"},
      {"n>9", true, "numbers, not text"},
      {"n>10", false, "strictly greater"},
      {"n<11", true, "less"},
      {"n<10", false, "strictly less"},
      {"app>1", false, "a label that is no number"},
      {"gone<1", false, "comparison needs the key"},
      {"app=web,n<5", false, "all must hold"},
  };
  for (const Row& row : rows) {
    const Result<LabelSelector> selector = ParseLabelSelector(row.text);
    ASSERT_TRUE(selector.ok()) << row.text;
    EXPECT_EQ(selector->Matches(labels), row.matches) << row.text << ": " << row.reason;
  }
}

TEST(LabelIntegerTest, TakesSignedInt64Only) {
  EXPECT_EQ(LabelInteger("-5"), -5);
  EXPECT_EQ(LabelInteger("+7"), 7);
  EXPECT_EQ(LabelInteger("9223372036854775807"), INT64_MAX);
  for (const char* text : {"", "+", "-", "+-1", "1.0", "9223372036854775808", "1x", " 1"})
    EXPECT_EQ(LabelInteger(text), std::nullopt) << text;
}

}  // namespace
}  // namespace asyncops
