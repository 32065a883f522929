// Parts of a text, counted in characters, and the search for them.
#include "api/expr/text_search.h"
#include "base/limits.h"
#include "tests/unit/expr/expression_cases.h"

namespace asyncops::expr {
namespace {

TEST(SubstringFunctionsTest, PlacesCountCharacters) {
  static constexpr ExpressionCase kCases[] = {
      {"'aéz'.charAt(1)", "value: \"é\"", "a character of two bytes"},
      {"'aéz'.charAt(3)", "value: \"\"", "the end has none"},
      {"'aéz'.charAt(4)", "error: col 7: a place outside the text", "beyond the end"},
      {"'aéz'.charAt(-1)", "error: col 7: a place outside the text", "before the start"},
      {"'aéz'.indexOf('z')", "value: 2", "not bytes"},
      {"'ééé'.lastIndexOf('é')", "value: 2", "the last"},
      {"'ééé'.lastIndexOf('é', 1)", "value: 1", "at or before a place"},
      {"'abab'.lastIndexOf('ab', 2)", "value: 2", "it may reach beyond the place"},
      {"'abab'.lastIndexOf('ababa')", "value: -1", "longer than the text"},
      {"'abab'.indexOf('b', 2)", "value: 3", "at or after a place"},
      {"'abab'.indexOf('', 4)", "value: 4", "nothing is at the end too"},
      {"'abab'.indexOf('a', 5)", "error: col 8: a place outside the text", "beyond the end"},
      {"'éaé'.substring(1)", "value: \"aé\"", "to the end"},
      {"'éaé'.substring(0, 1)", "value: \"é\"", "up to before a place"},
      {"'éaé'.substring(2, 1)", "error: col 7: a place outside the text", "backwards"},
      {"'abc'.substring(1.0)",
       "error: col 7: no matching overload of substring for (string, double)", "an integer"},
      {"'abc'.substring(1, '2')",
       "error: col 7: no matching overload of substring for (string, int, string)", "both"},
  };
  ExpectCases(kCases);
}

TEST(SubstringFunctionsTest, TrimTakesTheWhiteSpaceOfUnicode) {
  static constexpr ExpressionCase kCases[] = {
      {"' \\t\\n\\v\\f\\r a b \\u0085\\u00a0\\u3000'.trim()", "value: \"a b\"", "both ends"},
      {"' \\u2003 '.trim()", "value: \"\"", "nothing else"},
      {"'\\u200b'.trim() == '\\u200b'", "value: true", "of no width is no space"},
      {"'aà'.trim()", "value: \"aà\"", "its last byte is that of a no-break space"},
      {"1.0.trim()", "error: col 5: no matching overload of trim for (double)", "a type"},
  };
  ExpectCases(kCases);
}

TEST(SubstringFunctionsTest, ACopyIsBounded) {
  const Json text(std::string(kMaxExpressionOutputBytes + 2, 'a'));
  Bindings bindings;
  bindings.Set("x", &text);
  EXPECT_EQ(Describe("size(x.substring(2))", bindings), "value: 65536");
  EXPECT_EQ(Describe("x.substring(1)", bindings), "error: col 3: makes more than 65536 bytes");
  EXPECT_EQ(Describe("x.trim()", bindings), "error: col 3: makes more than 65536 bytes");
  EXPECT_EQ(Describe("x.charAt(65537)", bindings), "value: \"a\"");
}

TEST(TextSearchTest, FindsWhatTheStandardLibraryFinds) {
  const std::string_view texts[] = {"", "a", "abab", "aabaab", "mississippi"};
  const std::string_view needles[] = {"",    "a",   "b",           "ab",
                                      "aab", "ssi", "mississippi", "mississippis"};
  for (const std::string_view text : texts) {
    for (const std::string_view needle : needles) {
      for (std::size_t at = 0; at <= text.size(); ++at) {
        EXPECT_EQ(FindText(text, needle, at), text.find(needle, at)) << text << " " << needle;
        EXPECT_EQ(FindLastText(text, needle, at), text.rfind(needle, at)) << text << " " << needle;
      }
    }
  }
}

TEST(TextSearchTest, TheWorstNeedleTakesLinearTime) {
  // The product of the lengths, 10^12, would not end within the time of a test.
  const std::string half(std::size_t{1024} * 1024, 'a');
  const std::string text = half + half;
  EXPECT_EQ(FindText(text, half + "b"), std::string_view::npos);
  EXPECT_EQ(FindText(text, "b" + half), std::string_view::npos);
  EXPECT_EQ(FindLastText(text, half + "b", text.size()), std::string_view::npos);
  EXPECT_EQ(FindLastText(text, "b" + half, text.size()), std::string_view::npos);
}

}  // namespace
}  // namespace asyncops::expr
