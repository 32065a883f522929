#include <gtest/gtest.h>
#include <limits>

#include "base/yaml.h"

namespace asyncops {
namespace {

// The one document of the text.
Json Parsed(std::string_view text) {
  Result<std::vector<Json>> result = ParseYaml(text);
  EXPECT_TRUE(result.ok()) << text << ": " << result.status().ToString();
  if (!result.ok() || result->size() != 1) {
    ADD_FAILURE() << "not one document: " << text;
    return {};
  }
  return std::move(result->front());
}

TEST(ParseYamlTest, ReadsBlockAndFlowCollections) {
  EXPECT_EQ(
      Parsed("kind: Job\n"
             "spec:\n"
             "  list:\n"
             "  - a\n"
             "  - {b: 1, c: [true, ~]}\n"
             "  empty: {}\n"
             "  none: []\n"
             "  nothing:\n"),
      Json::Of({{"kind", "Job"},
                {"spec",
                 Json::Of({{"list",
                            JsonArray{"a", Json::Of({{"b", 1}, {"c", JsonArray{true, nullptr}}})}},
                           {"empty", JsonObject{}},
                           {"none", JsonArray{}},
                           {"nothing", nullptr}})}}));
}

TEST(ParseYamlTest, ReadsEachDocumentOfAStream) {
  const Result<std::vector<Json>> result = ParseYaml("# note\na: 1\n---\nb: 2\n...\n---\nc\n");
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(*result, (std::vector<Json>{Json::Of({{"a", 1}}), Json::Of({{"b", 2}}), "c"}));
}

TEST(ParseYamlTest, EmptyTextHasNoDocument) {
  const Result<std::vector<Json>> result = ParseYaml("");
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->empty());
}

TEST(ParseYamlTest, ReadsJsonToo) {
  EXPECT_EQ(Parsed(R"({"a": "x\ny", "b": [1, 2.5, null, false]})"),
            Json::Of({{"a", "x\ny"}, {"b", JsonArray{1, 2.5, nullptr, false}}}));
}

struct ScalarCase {
  std::string_view text;
  Json value;
  const char* why;
};

const ScalarCase kScalarCases[] = {
    {"~", nullptr, "null"},
    {"null", nullptr, "null"},
    {"NULL", nullptr, "null"},
    {"nUll", "nUll", "no form of null"},
    {"true", true, "boolean"},
    {"False", false, "boolean"},
    {"yes", "yes", "a boolean in YAML 1.1 only"},
    {"on", "on", "a boolean in YAML 1.1 only"},
    {"0", 0, "integer"},
    {"-7", -7, "integer"},
    {"+7", 7, "integer"},
    {"010", 10, "octal in YAML 1.1 only"},
    {"0o17", 15, "octal"},
    {"0xFf", 255, "hexadecimal"},
    {"0x", "0x", "no digits"},
    {"0x-1", "0x-1", "no sign after the prefix"},
    {"0b1", "0b1", "binary in YAML 1.1 only"},
    {"1_000", "1_000", "a number in YAML 1.1 only"},
    {"9223372036854775807", std::numeric_limits<std::int64_t>::max(), "the greatest integer"},
    {"9223372036854775808", 9223372036854775808.0, "beyond it a double"},
    {"1.5", 1.5, "double"},
    {"1.0", 1.0, "double"},
    {"-.5", -0.5, "double"},
    {"+.5", 0.5, "double"},
    {"1.", 1.0, "double"},
    {"1e3", 1000.0, "double"},
    {"6.02E+23", 6.02e23, "double"},
    {"1e", "1e", "no exponent"},
    {".", ".", "no digits"},
    {"-", JsonArray{nullptr}, "a list of nothing"},
    {"--1", "--1", "two signs"},
    {"1.2.3", "1.2.3", "a version"},
    {"12:30", "12:30", "a base-60 number in YAML 1.1 only"},
    {"2026-01-01", "2026-01-01", "a date in YAML 1.1 only"},
    {"10s", "10s", "a duration"},
    {"'1'", "1", "quoted"},
    {"\"true\"", "true", "quoted"},
    {"''", "", "quoted nothing"},
    {"\"\\u00e9\\n\"", "\xC3\xA9\n", "escapes"},
    {"!!str 7", "7", "a string by its tag"},
    {"!!int 7", 7, "a number by its tag"},
    {"!!int '7'", 7, "a tag counts for more than quotes"},
    {"!!float 7", 7, "a whole number is a float"},
    {"!!float 7.5", 7.5, "a float by its tag"},
    {"!!bool 'true'", true, "a boolean by its tag"},
    {"!!null ''", nullptr, "nothing by its tag"},
    {"!!map {}", JsonObject(), "a map by its tag"},
    {"!!seq []", JsonArray(), "a list by its tag"},
    {"|\n  a\n  b\n", "a\nb\n", "a literal block"},
    {">-\n  a\n  b\n", "a b", "a folded block"},
    {"|\n  1\n", "1\n", "a block is a string"},
};

TEST(ParseYamlTest, ScalarsFollowTheCoreSchema) {
  for (const ScalarCase& c : kScalarCases) {
    const Json value = Parsed(c.text);
    EXPECT_EQ(value, c.value) << c.text << ": " << c.why << ": " << EncodeJson(value);
  }
}

TEST(ParseYamlTest, KeysAreStringsAsWritten) {
  EXPECT_EQ(Parsed("1: a\ntrue: b\n'q': c\n"), Json::Of({{"1", "a"}, {"true", "b"}, {"q", "c"}}));
}

struct BadCase {
  std::string_view text;
  std::string_view message;  // a part of it
  const char* why;
};

constexpr BadCase kBadCases[] = {
    {"a: &x 1\nb: *x\n", "line 1, column 4: anchors are not allowed", "an anchor of a scalar"},
    {"a: &x [1]\n", "anchors are not allowed", "an anchor of a list"},
    {"&x a: 1\n", "anchors are not allowed", "an anchor of a key"},
    {"a: &x\n", "anchors are not allowed", "an anchor of nothing"},
    {"a: *x\n", "line 1, column 4", "an alias of nothing"},
    {"a: 1\nb: 2\na: 3\n", "line 3, column 1: key \"a\" is already set in map", "a duplicate"},
    {"x: {a: 1, a: 2}\n", "already set in map", "a duplicate in a flow map"},
    {"1: a\n'1': b\n", "already set in map", "two keys that are one name in JSON"},
    {"a: [1\n", "line 2", "a list that does not end"},
    {"a: b: c\n", "line 1, column 5", "a map inside a line"},
    {"a:\n\tb: 1\n", "line 2", "a tab as indent"},
    {"a: \"x\n", "line", "a string that does not end"},
    {"? [a]\n: 1\n", "a key must be a scalar", "a list as a key"},
    {"a: !secret x\n", "the tag !secret is not known", "a local tag"},
    {"a: !!python/object 1\n", "the tag tag:yaml.org,2002:python/object is not known",
     "a tag that makes objects elsewhere"},
    {"a: !!binary aGk=\n", "tag:yaml.org,2002:binary is not known", "bytes are no JSON"},
    {"a: !!set {x}\n", "tag:yaml.org,2002:set is not known", "a set is no JSON"},
    {"a: !!int x\n", "line 1, column 4: \"x\" is no !!int", "a tag that its text contradicts"},
    {"a: !!int 1.5\n", "is no !!int", "a fraction"},
    {"a: !!float true\n", "is no !!float", "a boolean"},
    {"a: !!bool yes\n", "is no !!bool", "a boolean of YAML 1.1"},
    {"a: !!null 0\n", "is no !!null", "a number"},
    {"a: !!map x\n", "is no !!map", "a scalar"},
    {"!!int a: 1\n", "is no !!int", "a key"},
    {"a: !!seq {}\n", "the tag !!seq on a map", "a map"},
    {"a: !!map []\n", "the tag !!map on a list", "a list"},
    {"a: !!str []\n", "the tag !!str on a list", "a list that would be a string"},
    {"a: \x01\n", "the text holds a control character", "a control character"},
    {"a: .inf\n", "JSON has no number for .inf", "infinity"},
    {"a: -.INF\n", "JSON has no number for -.INF", "infinity"},
    {"a: .nan\n", "JSON has no number for .nan", "not a number"},
    {"a: 1e999\n", "too large", "no double is that large"},
    {"a: x\nb: \xFF\n", "line 2, column 4: the text is not UTF-8", "a byte that is not UTF-8"},
    {"\xFF\xFE\x61", "the text is not UTF-8", "UTF-16"},
    {"a: \"\\xZZ\"\n", "line 1", "a broken escape"},
    {"%YAML 3.0\n---\na: 1\n", "line", "a version that does not exist"},
    {",", "line 1, column 1: no document starts like this", "a comma that parts nothing"},
    {"a: 1\n---\n, b\n", "line 3, column 1", "one at the start of a later document"},
    {"{a: 1},", "line 1, column 7", "one after a document"},
};

TEST(ParseYamlTest, RefusesWhatJsonCannotHoldAndSaysWhere) {
  for (const BadCase& c : kBadCases) {
    const Result<std::vector<Json>> result = ParseYaml(c.text);
    ASSERT_FALSE(result.ok()) << c.text << ": " << c.why;
    EXPECT_EQ(result.status().reason(), Reason::kBadRequest) << c.why;
    EXPECT_NE(result.status().message().find(c.message), std::string::npos)
        << c.why << ": " << result.status().message();
  }
}

TEST(ParseYamlTest, AcceptsTheDeepestNestingAndRefusesOneMore) {
  const auto nested = [](int depth) {
    const auto count = static_cast<std::size_t>(depth);
    return std::string(count, '[') + std::string(count, ']');
  };
  EXPECT_TRUE(ParseYaml(nested(kMaxJsonDepth)).ok());
  const Result<std::vector<Json>> deeper = ParseYaml(nested(kMaxJsonDepth + 1));
  ASSERT_FALSE(deeper.ok());
  EXPECT_NE(deeper.status().message().find("nesting is deeper than 64 levels"), std::string::npos)
      << deeper.status().message();
}

TEST(ParseYamlTest, DeepNestingInEveryStyleIsRefusedWithoutRecursion) {
  for (const std::string_view unit : {"[", "{a: ", "- ", "? ", "[{a: "}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += unit;
    EXPECT_FALSE(ParseYaml(text).ok()) << unit;
  }
}

}  // namespace
}  // namespace asyncops
