// The fast parser and the judge must never disagree: which one read a text may show in nothing.
#include "base/json_fast.h"

#include <array>
#include <gtest/gtest.h>
#include <random>

namespace asyncops {
namespace {

// Encoded, so that 0.0 and -0.0, and 1 and 1.0, are told apart; empty where it is refused.
std::string Judged(std::string_view text) {
  const Result<Json> value = JudgeJson(text, {});
  return value.ok() ? EncodeJson(*value) : "";
}

bool SameTypes(const Json& a, const Json& b) {
  if (a.type() != b.type()) return false;
  if (a.is_array())
    return std::equal(a.as_array().begin(), a.as_array().end(), b.as_array().begin(), SameTypes);
  if (!a.is_object()) return true;
  const auto same = [](const JsonMember& x, const JsonMember& y) {
    return SameTypes(x.value, y.value);
  };
  return std::equal(a.as_object().begin(), a.as_object().end(), b.as_object().begin(), same);
}

// Whether the fast parser took the text, and that the judge agrees with it if so.
bool IsTakenAlike(std::string_view text) {
  const std::optional<Json> fast = ParseJsonFast(text, {});
  if (!fast) return false;
  const Result<Json> judged = JudgeJson(text, {});
  EXPECT_TRUE(judged.ok()) << "only the fast parser took: " << text;
  if (!judged.ok()) return true;
  EXPECT_EQ(EncodeJson(*fast), EncodeJson(*judged)) << text;
  EXPECT_TRUE(*fast == *judged && SameTypes(*fast, *judged)) << text;
  return true;
}

struct Case {
  std::string_view text;
  bool is_fast;
  std::string_view judged;  // "" where it is refused
  const char* reason;
};

using namespace std::string_view_literals;

constexpr Case kCases[] = {
    // What bodies consist of is read fast.
    {R"( {"b":[1,-2,{"c":null}],"a":"x"} )", true, R"({"a":"x","b":[1,-2,{"c":null}]})", "sorted"},
    {R"({"a":1,"a":{"x":2}})", true, R"({"a":{"x":2}})", "of equal names the last one stays"},
    {R"({"b":1,"a":1,"b":2,"a":2,"b":3})", true, R"({"a":2,"b":3})", "the last of several"},
    {R"({"\u0061":1,"a":2})", true, R"({"a":2})", "names are compared without their escapes"},
    {"\t\r\n [] \n", true, "[]", "white space of JSON"},
    {"\"x\"", true, "\"x\"", "a text may be a scalar"},
    {"true", true, "true", "a scalar"},
    {"null", true, "null", "a scalar"},
    {"-0", true, "0", "an integer has no negative zero"},
    {"-0.0", true, "-0", "a double has"},
    {"7", true, "7", "an integer at the end of the text"},
    {"1.0", true, "1", "a point makes a double"},
    {"1E+2", true, "100", "an exponent makes a double"},
    {"0.1", true, "0.1", "rounded alike"},
    {"5e-324", true, "5e-324", "the smallest double"},
    {"2.2250738585072011e-308", true, "2.225073858507201e-308", "a hard one to round"},
    {"9007199254740993.0", true, "9007199254740992", "half way between two doubles"},
    {"1.7976931348623157e308", true, "1.7976931348623157e+308", "the largest double"},
    {"9223372036854775807", true, "9223372036854775807", "the largest int64"},
    {"-9223372036854775808", true, "-9223372036854775808", "the smallest int64"},
    {"9223372036854775808", true, "9223372036854775808", "over int64: a double"},
    {"18446744073709551615", true, "18446744073709551616", "the largest uint64: a double"},
    {R"("\u0000")", true, R"("\u0000")", "an escaped NUL is a character"},
    {R"("\ud83d\ude00")", true, "\"\xF0\x9F\x98\x80\"", "a pair of surrogates"},
    {R"("\uFFFF\ufeff")", true, "\"\xEF\xBF\xBF\xEF\xBB\xBF\"", "non-characters stand"},
    {"\"\x7F\"", true, "\"\x7F\"", "DEL may stand as it is"},
    {"\"\xF4\x8F\xBF\xBF\"", true, "\"\xF4\x8F\xBF\xBF\"", "the last code point"},
    // What the judge takes and simdjson does not.
    {"-9223372036854775809", false, "-9223372036854775808", "below int64: a double"},
    {"18446744073709551616", false, "18446744073709551616", "over uint64: a double"},
    {"\xEF\xBB\xBF{}", false, "{}", "a byte order mark is passed over"},
    {"{}\0x"sv, false, "", "a NUL does not end the text"},
    {"{}\0"sv, false, "", "nor is it white space"},
    // What nobody takes.
    {"", false, "", "no text"},
    {"  ", false, "", "no text"},
    {"\xEF\xBB\xBF", false, "", "a mark alone"},
    {"{} {}", false, "", "two texts"},
    {"1 2", false, "", "two texts"},
    {"[1]]", false, "", "one bracket more"},
    {"[1", false, "", "one bracket less"},
    {"{\"a\"}", false, "", "no value"},
    {"{a:1}", false, "", "a name without quotes"},
    {"{1:1}", false, "", "a name that is no string"},
    {"{\"a\":1,}", false, "", "a comma at the end"},
    {"[1 2]", false, "", "no comma"},
    {"[,1]", false, "", "no value"},
    {"01", false, "", "a leading zero"},
    {"-", false, "", "a sign alone"},
    {"+1", false, "", "a plus"},
    {".5", false, "", "no digit before the point"},
    {"1.", false, "", "no digit after the point"},
    {"1e", false, "", "no exponent"},
    {"0x10", false, "", "no hexadecimal numbers"},
    {"1e309", false, "", "no double is that large"},
    {"-1e309", false, "", "no double is that small"},
    {"NaN", false, "", "no number"},
    {"Infinity", false, "", "no number"},
    {"tru", false, "", "half a word"},
    {"truex", false, "", "more than a word"},
    {"nul", false, "", "half a word"},
    {"\"a", false, "", "an open string"},
    {"\"a\nb\"", false, "", "a raw control character"},
    {"\"\0\""sv, false, "", "a raw NUL"},
    {"{\"a\0b\":1}"sv, false, "", "a raw NUL in a name"},
    {R"("\x")", false, "", "no such escape"},
    {R"("\u12g4")", false, "", "no hexadecimal digit"},
    {R"("\u123")", false, "", "three digits"},
    {R"("\ud800")", false, "", "half a pair"},
    {R"("\ud800x")", false, "", "half a pair"},
    {R"("\ud800\n")", false, "", "half a pair before another escape"},
    {R"("\ud800\u0041")", false, "", "half a pair before another character"},
    {R"("\udc00")", false, "", "the second half of a pair"},
    {R"("\udc00\ud800")", false, "", "the halves in the wrong order"},
    {R"({"\ud800":1})", false, "", "half a pair in a name"},
    {"\"\x80\"", false, "", "a continuation byte alone"},
    {"\"\xC0\xAF\"", false, "", "an overlong form"},
    {"\"\xE0\x80\xAF\"", false, "", "an overlong form"},
    {"\"\xED\xA0\x80\"", false, "", "an encoded surrogate"},
    {"\"\xF4\x90\x80\x80\"", false, "", "beyond Unicode"},
    {"\"\xF8\x88\x80\x80\x80\"", false, "", "five bytes"},
    {"\"\xE2\x82\"", false, "", "a character cut short"},
    {"\xFF", false, "", "no JSON at all"},
    {"// x\n1", false, "", "no comments"},
    {"/**/1", false, "", "no comments"},
    {"[\f1]", false, "", "a form feed is no white space of JSON"},
};

TEST(ParseJsonFastTest, TakesWhatTheJudgeTakesAndAlike) {
  for (const Case& c : kCases) {
    EXPECT_EQ(IsTakenAlike(c.text), c.is_fast) << c.text << ": " << c.reason;
    EXPECT_EQ(Judged(c.text), c.judged) << c.text << ": " << c.reason;
    const Result<Json> whole = ParseJson(c.text);
    EXPECT_EQ(whole.ok() ? EncodeJson(*whole) : "", c.judged) << c.text << ": " << c.reason;
    if (!whole.ok()) {
      EXPECT_EQ(whole.status(), JudgeJson(c.text, {}).status()) << c.text;
    }
  }
}

TEST(ParseJsonFastTest, LeavesDepthToTheJudge) {
  const std::string deepest = std::string(64, '[') + std::string(64, ']');
  EXPECT_TRUE(IsTakenAlike(deepest));
  EXPECT_FALSE(ParseJsonFast("[" + deepest + "]", {}));
  EXPECT_FALSE(ParseJsonFast(std::string(1000000, '['), {}));
  EXPECT_TRUE(ParseJsonFast(R"({"a":[{}]})", {.max_depth = 3}));
  EXPECT_FALSE(ParseJsonFast(R"({"a":[{}]})", {.max_depth = 2}));
  EXPECT_TRUE(ParseJsonFast(R"({"a":[1]})", {.max_depth = 2})) << "scalars add no level";
}

TEST(ParseJsonFastTest, LeavesDuplicatesThatAreToBeReportedToTheJudge) {
  std::vector<std::string> duplicates;
  EXPECT_TRUE(ParseJsonFast(R"({"a":{"x":1},"b":{"x":1}})", {.duplicates = &duplicates}));
  EXPECT_FALSE(ParseJsonFast(R"({"a":[{"x":1,"x":1}]})", {.duplicates = &duplicates}));
  EXPECT_TRUE(duplicates.empty());
  EXPECT_TRUE(ParseJson(R"({"a":[{"x":1,"x":1}]})", {.duplicates = &duplicates}).ok());
  EXPECT_EQ(duplicates, std::vector<std::string>{"a[0].x"});
}

TEST(ParseJsonFastTest, RefusedTextLeavesNothingBehind) {
  EXPECT_FALSE(ParseJsonFast(R"({"a":{"b":[{}]}})", {.max_depth = 3}));
  EXPECT_FALSE(ParseJsonFast(R"({"c":)", {}));
  EXPECT_TRUE(IsTakenAlike(R"({"d":{"e":1},"f":2})"));
}

TEST(ParseJsonFastTest, ReadsTextsBelowAndAboveTheKeptMemory) {
  for (const std::size_t items : {1U, 1000U, 4095U, 4096U, 20000U, 100000U, 3U}) {
    std::string text = "[\"" + std::string(items, 'x') + "\"";
    for (std::size_t i = 0; i < items; ++i) text += i % 2 == 0 ? ",1" : ",{\"a\":[]}";
    EXPECT_TRUE(IsTakenAlike(text + "]")) << items;
    EXPECT_FALSE(ParseJsonFast(text, {})) << items;
  }
}

// Documents of the sort that arrives, and of the sort that is hard to read.
constexpr std::array<std::string_view, 5> kDocuments = {
    R"({"apiVersion":"asyncops.dev/v1alpha1","kind":"ExternalSystem","metadata":{"name":"acme",)"
    R"("labels":{"team":"a"},"generation":3},"spec":{"endpoint":"https:\/\/a.example\/v1",)"
    R"("retry":{"maxAttempts":5,"factor":1.5},"auth":null,"limits":[true,false]}})",
    R"([0,-1,12345678901234567890,1.5e10,-2.5E-7,9223372036854775807,-9223372036854775808,1e22])",
    R"(["\u00e9\ud83d\ude00","\\\"\/\b\f\n\r\t",""," ","a\u0000b"])",
    "{\"\xC3\xA9\":\"\xF0\x9F\x98\x80\",\"a\":{\"b\":{\"c\":[[[]],[{}],{\"d\":[]}]}}}",
    " { \"z\" : 1 ,\n\t\"a\" : [ ] , \"z\" : { } , \"m\" : \"\" } ",
};
constexpr std::array<std::string_view, 30> kPieces = {"\"",
                                                      "\\",
                                                      "{",
                                                      "}",
                                                      "[",
                                                      "]",
                                                      ",",
                                                      ":",
                                                      "\\u",
                                                      "\\ud83d",
                                                      "\\ude00",
                                                      "0",
                                                      "-",
                                                      ".",
                                                      "e",
                                                      "9999999999",
                                                      "null",
                                                      "true",
                                                      " ",
                                                      "\n",
                                                      "\0"sv,
                                                      "\x01",
                                                      "\x7F",
                                                      "\xC3",
                                                      "\x80",
                                                      "\xED\xA0\x80",
                                                      "\xEF\xBB\xBF",
                                                      "\xF0\x9F",
                                                      "\"a\":1,",
                                                      "1e400"};

class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  std::string Next() {
    std::string text(Pick(kDocuments));
    for (std::size_t changes = 1 + Below(3); changes > 0; --changes) Change(&text);
    return text;
  }

 private:
  std::size_t Below(std::size_t bound) { return random_() % bound; }
  template <class Choices>
  std::string_view Pick(const Choices& choices) {
    return choices[Below(choices.size())];
  }
  void Change(std::string* text) {
    const std::size_t at = Below(text->size() + 1);
    const std::size_t length = std::min(Below(6), text->size() - at);
    switch (Below(5)) {
      case 0: text->erase(at, length); break;
      case 1: text->insert(at, Pick(kPieces)); break;
      case 2: text->replace(at, length, Pick(kPieces)); break;
      case 3: text->insert(at, text->substr(Below(text->size() + 1), 8)); break;
      default:
        if (at < text->size()) (*text)[at] = static_cast<char>(random_() & 0xFFU);
    }
  }

  std::mt19937 random_;
};

TEST(ParseJsonFastTest, MutatedDocumentsAreReadAlike) {
  for (const std::string_view document : kDocuments) EXPECT_TRUE(IsTakenAlike(document));
  constexpr std::uint32_t kSeed = 20260131;
  Mutator mutator(kSeed);
  int taken = 0;
  for (int i = 0; i < 50000 && !testing::Test::HasFailure(); ++i)
    taken += IsTakenAlike(mutator.Next()) ? 1 : 0;
  EXPECT_GT(taken, 4000) << "most changes break a text, but not all";
}

}  // namespace
}  // namespace asyncops
