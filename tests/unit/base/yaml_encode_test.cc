#include <gtest/gtest.h>

#include "base/yaml.h"

namespace asyncops {
namespace {

void ExpectRoundTrip(const Json& value, std::string_view why) {
  const std::string text = EncodeYaml(value);
  const Result<std::vector<Json>> parsed = ParseYaml(text);
  ASSERT_TRUE(parsed.ok()) << why << ": " << parsed.status().ToString() << "\n" << text;
  ASSERT_EQ(parsed->size(), 1U) << why << "\n" << text;
  EXPECT_EQ(parsed->front(), value) << why << "\n" << text;
}

TEST(EncodeYamlTest, WritesBlockStyle) {
  const Json value =
      Json::Of({{"kind", "Job"},
                {"metadata", Json::Of({{"labels", JsonObject{}}, {"name", "x"}})},
                {"spec", Json::Of({{"list", JsonArray{1, "a", JsonArray{2, 3}, JsonArray{},
                                                      Json::Of({{"p", true}, {"q", nullptr}})}},
                                   {"ratio", 0.5}})}});
  EXPECT_EQ(EncodeYaml(value),
            "kind: Job\n"
            "metadata:\n"
            "  labels: {}\n"
            "  name: x\n"
            "spec:\n"
            "  list:\n"
            "  - 1\n"
            "  - a\n"
            "  - - 2\n"
            "    - 3\n"
            "  - []\n"
            "  - p: true\n"
            "    q: null\n"
            "  ratio: 0.5\n");
  ExpectRoundTrip(value, "block style");
}

TEST(EncodeYamlTest, WritesAScalarDocument) {
  EXPECT_EQ(EncodeYaml("x"), "x\n");
  EXPECT_EQ(EncodeYaml(nullptr), "null\n");
  EXPECT_EQ(EncodeYaml(JsonArray{}), "[]\n");
}

struct StringCase {
  std::string_view text;
  bool quoted;
  const char* why;
};

constexpr StringCase kStringCases[] = {
    {"plain", false, "a word"},
    {"two words", false, "words"},
    {"operations.asyncops.dev/v1alpha1", false, "an apiVersion"},
    {"https://example.com:8443/a_b", false, "a URL: the colon has no blank after it"},
    {"/var/lib", false, "a path"},
    {"", true, "nothing would be null"},
    {"true", true, "a boolean"},
    {"FALSE", true, "a boolean"},
    {"null", true, "null"},
    {"~", true, "null"},
    {"yes", true, "a boolean in YAML 1.1"},
    {"Off", true, "a boolean in YAML 1.1"},
    {"y", true, "a boolean in YAML 1.1"},
    {"1", true, "an integer"},
    {"1.0", true, "a double"},
    {"-1", true, "a negative integer"},
    {"+1", true, "an integer with a sign"},
    {".5", true, "a double"},
    {".inf", true, "a double"},
    {"1e3", true, "a double"},
    {"0x1F", true, "a hexadecimal integer"},
    {"0o17", true, "an octal integer"},
    {"1_000", true, "an integer in YAML 1.1"},
    {"12:30", true, "a base-60 integer in YAML 1.1"},
    {"2026-01-01", true, "a date in YAML 1.1"},
    {"2026-11-29T16:47:53Z", true, "a time in YAML 1.1"},
    {" lead", true, "a blank before"},
    {"trail ", true, "a blank after"},
    {"\ttab", true, "a tab"},
    {"a\nb", true, "two lines"},
    {"a\n", true, "a line that ends"},
    {"\n", true, "a line break alone"},
    {"a\r\nb", true, "a line break of DOS"},
    {"a # b", true, "a comment"},
    {"#", true, "a comment"},
    {"a: b", true, "a map"},
    {"a:", true, "a map of nothing"},
    {":", true, "a map of nothing"},
    {"- a", true, "a list"},
    {"-", true, "a list of nothing"},
    {"---", true, "a document"},
    {"...", true, "the end of a document"},
    {"? a", true, "a key"},
    {"[a]", true, "a flow list"},
    {"{a}", true, "a flow map"},
    {"a, b", true, "a comma in flow style"},
    {"&a", true, "an anchor"},
    {"*a", true, "an alias"},
    {"!a", true, "a tag"},
    {"|", true, "a block"},
    {">", true, "a folded block"},
    {"%a", true, "a directive"},
    {"@a", true, "reserved"},
    {"`a", true, "reserved"},
    {"'a'", true, "quotes"},
    {"\"a\"", true, "quotes"},
    {"a\\b", true, "a backslash"},
    {"<<", true, "a merge key"},
    {"=", true, "a value key"},
    {"\x01\x1B\x7F", true, "control characters"},
    {std::string_view("a\0b", 3), true, "a zero byte"},
    {"\xC3\xA9\xF0\x9F\x98\x80", true, "outside ASCII"},
    {"a\xC2\x85"
     "b",
     true, "next line, a line break in YAML 1.1"},
    {"a\xE2\x80\xA8"
     "b\xE2\x80\xA9",
     true, "line and paragraph separator"},
    {"\xEF\xBB\xBF"
     "a",
     true, "a byte order mark"},
};

TEST(EncodeYamlTest, StringsThatReadAsSomethingElseAreQuoted) {
  for (const StringCase& c : kStringCases) {
    EXPECT_EQ(EncodeYaml(c.text).front() == '"', c.quoted) << c.text << ": " << c.why;
    ExpectRoundTrip(c.text, c.why);
    ExpectRoundTrip(Json::Of({{"outer", Json::Of({{std::string(c.text), c.text}})}}), c.why);
    ExpectRoundTrip(JsonArray{c.text, JsonArray{c.text}}, c.why);
  }
}

TEST(EncodeYamlTest, CharactersThatYamlDoesNotAllowRawAreEscaped) {
  EXPECT_EQ(EncodeYaml("\x7F\xC2\x85\xE2\x80\xA8\xE2\x80\xA9\xEF\xBB\xBF"),
            "\"\\x7f\\u0085\\u2028\\u2029\\ufeff\"\n");
}

TEST(EncodeYamlTest, NumbersRoundTrip) {
  for (const double value : {0.5, -1e-7, 1e300, 1.7976931348623157e308})
    ExpectRoundTrip(value, "a double");
  for (const std::int64_t value : {std::int64_t{0}, INT64_MIN, INT64_MAX})
    ExpectRoundTrip(value, "an integer");
}

}  // namespace
}  // namespace asyncops
