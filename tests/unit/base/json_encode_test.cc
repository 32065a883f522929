#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "base/json.h"

namespace asyncops {
namespace {

TEST(EncodeJsonTest, IsCanonical) {
  const Result<Json> value = ParseJson(R"({ "b" : [ 1 , 2 ], "a" : { "y" : null, "x" : true } })");
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(EncodeJson(*value), R"({"a":{"x":true,"y":null},"b":[1,2]})");
}

TEST(EncodeJsonTest, PrettyFormIndentsByTwoAndEndsTheLine) {
  const Json value = Json::Of({{"a", JsonArray{1, Json::Of({{"b", "x"}})}},
                               {"empty", JsonObject{}},
                               {"none", JsonArray{}}});
  EXPECT_EQ(EncodePrettyJson(value),
            "{\n"
            "  \"a\": [\n"
            "    1,\n"
            "    {\n"
            "      \"b\": \"x\"\n"
            "    }\n"
            "  ],\n"
            "  \"empty\": {},\n"
            "  \"none\": []\n"
            "}\n");
}

struct StringCase {
  std::string_view text;
  std::string_view encoded;
  const char* why;
};

constexpr StringCase kStringCases[] = {
    {"", "\"\"", "empty"},
    {"plain", "\"plain\"", "nothing to escape"},
    {"\"\\/", R"("\"\\/")", "quote and backslash only; a slash stands as it is"},
    {"\b\f\n\r\t", R"("\b\f\n\r\t")", "short escapes"},
    {std::string_view("\x00\x1F", 2), R"("\u0000\u001f")", "other control characters"},
    {"<a href=\"&\">", R"("<a href=\"&\">")", "HTML is not escaped"},
    {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"",
     "two, three and four bytes of UTF-8"},
    {"a\xFFz", "\"a\xEF\xBF\xBDz\"", "a byte that is not UTF-8"},
    {"\xE2\x82", "\"\xEF\xBF\xBD\xEF\xBF\xBD\"", "a sequence that is cut short, byte by byte"},
    {"\xC0\xAF", "\"\xEF\xBF\xBD\xEF\xBF\xBD\"", "an overlong form"},
    {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"", "a surrogate"},
    {"\xF4\x90\x80\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"", "over U+10FFFF"},
};

TEST(EncodeJsonTest, StringsAreEscapedAndAlwaysUtf8) {
  for (const StringCase& c : kStringCases) {
    const std::string encoded = EncodeJson(c.text);
    EXPECT_EQ(encoded, c.encoded) << c.why;
    EXPECT_TRUE(ParseJson(encoded).ok()) << c.why;
  }
}

TEST(EncodeJsonTest, EachByteIsEscapedAtEachPlaceAsItIsAlone) {
  // Strings are looked at eight bytes at a time.
  for (int byte = 0; byte < 256; ++byte) {
    const std::string alone = EncodeJson(std::string(1, static_cast<char>(byte)));
    const std::string inner = alone.substr(1, alone.size() - 2);
    for (std::size_t place = 0; place < 17; ++place) {
      std::string text(17, 'x');
      text[place] = static_cast<char>(byte);
      EXPECT_EQ(EncodeJson(text),
                '"' + std::string(place, 'x') + inner + std::string(16 - place, 'x') + '"')
          << byte << " at " << place;
    }
  }
}

TEST(EncodeJsonTest, MemberNamesAreEscapedToo) {
  EXPECT_EQ(EncodeJson(Json::Of({{"a\"\xFF", 1}})), "{\"a\\\"\xEF\xBF\xBD\":1}");
}

TEST(EncodeJsonTest, IntegersReachTheBoundsOfInt64) {
  EXPECT_EQ(EncodeJson(std::numeric_limits<std::int64_t>::max()), "9223372036854775807");
  EXPECT_EQ(EncodeJson(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
}

TEST(EncodeJsonTest, DoublesRoundTripInTheirShortestForm) {
  EXPECT_EQ(EncodeJson(0.1), "0.1");
  EXPECT_EQ(EncodeJson(1e300), "1e+300");
  for (const double value : {0.1, 1.0 / 3, 1e-7, 1e300, -2.5, 5e-324, 1.7976931348623157e308}) {
    const Result<Json> parsed = ParseJson(EncodeJson(value));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(parsed->as_double(), value);
  }
}

TEST(EncodeJsonTest, NumbersThatJsonLacksBecomeNull) {
  EXPECT_EQ(EncodeJson(std::nan("")), "null");
  EXPECT_EQ(EncodeJson(-std::numeric_limits<double>::infinity()), "null");
}

}  // namespace
}  // namespace asyncops
