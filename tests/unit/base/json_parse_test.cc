#include <gtest/gtest.h>
#include <limits>

#include "base/json.h"

namespace asyncops {
namespace {

Json Parsed(std::string_view text) {
  Result<Json> result = ParseJson(text);
  EXPECT_TRUE(result.ok()) << text << ": " << result.status().ToString();
  return result.ok() ? *std::move(result) : Json();
}

std::string Nested(int depth) {
  const auto count = static_cast<std::size_t>(depth);
  return std::string(count, '[') + std::string(count, ']');
}

std::vector<std::string> DuplicatesIn(std::string_view text) {
  std::vector<std::string> duplicates;
  const Result<Json> result = ParseJson(text, {.duplicates = &duplicates});
  EXPECT_TRUE(result.ok()) << result.status().ToString();
  return duplicates;
}

TEST(ParseJsonTest, ReadsEachType) {
  EXPECT_EQ(Parsed(R"( {"n":null,"b":true,"i":-7,"d":1.5,"s":"x","a":[1,[]],"o":{}} )"),
            Json::Of({{"n", nullptr},
                      {"b", true},
                      {"i", -7},
                      {"d", 1.5},
                      {"s", "x"},
                      {"a", JsonArray{1, JsonArray{}}},
                      {"o", JsonObject{}}}));
}

TEST(ParseJsonTest, DecodesEscapes) {
  EXPECT_EQ(Parsed(R"("\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00")"),
            Json("\"\\/\b\f\n\r\t\xC3\xA9\xF0\x9F\x98\x80"));
}

struct BadCase {
  std::string_view text;
  std::string_view message;  // a part of it
  const char* why;
};

constexpr BadCase kBadCases[] = {
    {"", "line 1, column 1", "an empty body is no JSON"},
    {"{\n  \"a\": 1,\n  \"b\" 2\n}", "line 3, column 7", "the place is that of the mistake"},
    {"{\"a\":1} x", "line 1, column 9", "one text only"},
    {"[1,]", "line 1, column 4", "no comma at the end"},
    {"// note\n1", "line 1, column 1", "no comments"},
    {"'a'", "line 1, column 1", "no single quotes"},
    {"01", "line 1, column 2", "no leading zero"},
    {"NaN", "line 1, column 1", "not a number of JSON"},
    {"\"a\tb\"", "line 1, column 3", "a raw control character"},
    {"\"\\ud800\"", "line 1, column 8", "half a surrogate pair"},
    {"\"\xFF\"", "ill-formed UTF-8", "a byte that UTF-8 never has"},
    {"\"\xC0\xAF\"", "ill-formed UTF-8", "an overlong form"},
    {"\"\xED\xA0\x80\"", "ill-formed UTF-8", "an encoded surrogate"},
    {"{\"\xFF\":1}", "ill-formed UTF-8", "names are checked too"},
    {"[1,\n 1e999]", "line 2, column 6", "no double is that large"},
};

TEST(ParseJsonTest, RefusesWhatIsNoJsonAndSaysWhere) {
  for (const BadCase& c : kBadCases) {
    const Result<Json> result = ParseJson(c.text);
    ASSERT_FALSE(result.ok()) << c.why;
    EXPECT_EQ(result.status().reason(), Reason::kBadRequest) << c.why;
    EXPECT_NE(result.status().message().find(c.message), std::string::npos)
        << c.why << ": " << result.status().message();
    EXPECT_EQ(result.status().message().find("json.exception"), std::string::npos)
        << "the library's own words stay inside";
  }
}

TEST(ParseJsonTest, MessageDoesNotEchoTheBody) {
  const Result<Json> open_string = ParseJson("{\"password\": \"" + std::string(100000, 'x'));
  EXPECT_EQ(open_string.status().ToString(),
            "BadRequest: line 1, column 100014: syntax error while parsing value - invalid string: "
            "missing closing quote");
  const Result<Json> long_number = ParseJson(std::string(100000, '9'));
  ASSERT_FALSE(long_number.ok());
  EXPECT_LT(long_number.status().message().size(), 300U);
}

TEST(ParseJsonTest, AcceptsTheDeepestNestingAndRefusesOneMore) {
  EXPECT_TRUE(ParseJson(Nested(kMaxJsonDepth)).ok());
  const Result<Json> deeper = ParseJson(Nested(kMaxJsonDepth + 1));
  ASSERT_FALSE(deeper.ok());
  EXPECT_EQ(deeper.status(), BadRequest("nesting is deeper than 64 levels"));
}

TEST(ParseJsonTest, DepthCountsObjectsAndArraysTogether) {
  EXPECT_TRUE(ParseJson(R"({"a":[{}]})", {.max_depth = 3}).ok());
  EXPECT_FALSE(ParseJson(R"({"a":[{}]})", {.max_depth = 2}).ok());
}

TEST(ParseJsonTest, MillionOpenBracketsAreRefusedWithoutRecursion) {
  EXPECT_FALSE(ParseJson(std::string(1000000, '[')).ok());
}

TEST(ParseJsonTest, LastDuplicateWinsAndEachIsNamedByPath) {
  EXPECT_EQ(Parsed(R"({"a":1,"a":2})"), Json::Of({{"a", 2}}));
  EXPECT_EQ(DuplicatesIn(R"({"spec":{"list":[{},{"a":1,"a":2,"a":3}],"b":1,"b":2},"spec":{}})"),
            (std::vector<std::string>{"spec.list[1].a", "spec.b", "spec"}));
  EXPECT_EQ(DuplicatesIn(R"([[{"a":1,"a":1}]])"), std::vector<std::string>{"[0][0].a"});
  EXPECT_TRUE(DuplicatesIn(R"({"a":{"x":1},"b":{"x":1}})").empty()) << "names differ by their path";
}

TEST(ParseJsonTest, PathThatIsDoubledInBothDuplicatesIsNamedOnce) {
  EXPECT_EQ(DuplicatesIn(R"({"a":{"x":1,"x":1},"a":{"x":1,"x":1}})"),
            (std::vector<std::string>{"a.x", "a"}));
}

TEST(ParseJsonTest, ReportsNoMoreDuplicatesThanTheLimit) {
  std::string text = "{";
  for (int i = 0; i < 100; ++i) {
    const std::string member = "\"m" + std::to_string(i) + "\":1,";
    text += member + member;
  }
  text += "\"end\":1}";
  EXPECT_EQ(DuplicatesIn(text).size(), kMaxDuplicatesReported);
}

TEST(ParseJsonTest, DescendingNamesTakeNoQuadraticTime) {
  // Inserting each in its place takes most of a minute for these, and minutes for a body of 3 MiB.
  std::string text = "{";
  for (int i = 99999; i >= 0; --i) text += "\"" + std::to_string(1000000 + i) + "\":1,";
  text += "\"0\":1}";
  EXPECT_EQ(Parsed(text).as_object().size(), 100001U);
}

TEST(ParseJsonTest, IntegersKeepAllOfInt64AndBecomeDoublesBeyond) {
  EXPECT_EQ(Parsed("9223372036854775807").as_int(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Parsed("-9223372036854775808").as_int(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Parsed("9223372036854775808").as_double(), 9223372036854775808.0);
  EXPECT_TRUE(Parsed("-9223372036854775809").is_double());
  EXPECT_TRUE(Parsed("18446744073709551616").is_double()) << "also over uint64";
  EXPECT_TRUE(Parsed("1.0").is_double()) << "a point makes a double";
  EXPECT_TRUE(Parsed("1e2").is_double());
}

}  // namespace
}  // namespace asyncops
