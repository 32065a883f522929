// Every bound of an expression, reached on purpose.
#include "base/limits.h"
#include "tests/unit/expr/expression_cases.h"

namespace asyncops::expr {
namespace {

std::string Repeat(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

std::string Nested(std::string_view open, std::string_view inner, std::string_view close,
                   std::size_t times) {
  return Repeat(open, times) + std::string(inner) + Repeat(close, times);
}

Json Numbers(std::int64_t count) {
  JsonArray numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.emplace_back(i);
  return numbers;
}

TEST(BoundsTest, ASourceThatIsTooLongIsRefused) {
  const std::string longest = "'" + std::string(kMaxExpressionBytes - 2, 'a') + "'";
  EXPECT_TRUE(Describe(longest).starts_with("value:"));
  EXPECT_EQ(Describe(longest + " "), "refused: col 4097: longer than 4096 bytes");
  EXPECT_EQ(Describe("/" + std::string(kMaxExpressionBytes, 'a')),
            "refused: col 4097: longer than 4096 bytes");
}

TEST(BoundsTest, TheLastLevelIsAllowedAndTheNextIsRefused) {
  constexpr std::size_t kLast = kMaxExpressionDepth - 1;  // the innermost operand is a level too
  EXPECT_EQ(Describe(Repeat("!", kLast - 1) + "true"), "value: true");
  EXPECT_EQ(Describe(Repeat("!", kLast) + "true"), "value: false");
  EXPECT_EQ(Describe(Repeat("!", kLast + 1) + "true"),
            "refused: col 64: nested more than 64 levels deep");
  EXPECT_TRUE(Describe(Nested("[", "1", "]", kLast)).starts_with("value:"));
  EXPECT_EQ(Describe(Nested("[", "1", "]", kLast + 1)),
            "refused: col 65: nested more than 64 levels deep");
}

TEST(BoundsTest, TheLastStepIsAllowedAndTheNextIsAnError) {
  // The macro and what it walks are a step each, and so is `true` for each element.
  const Json last = Numbers(kMaxExpressionSteps - 2);
  const Json next = Numbers(kMaxExpressionSteps - 1);
  Bindings bindings;
  EXPECT_EQ(Describe("x.all(a, true)", bindings.Set("x", &last)), "value: true");
  EXPECT_EQ(Describe("x.all(a, true)", bindings.Set("x", &next)),
            "error: col 3: needs more than 100000 steps");
}

TEST(BoundsTest, DepthBombsAreRefusedWhatTheyAreMadeOf) {
  struct Row {
    std::string source;
    std::string_view reason;
  };
  const Row rows[] = {
      {Nested("(", "1", ")", 2000), "parentheses"},
      {Repeat("(", 4000), "parentheses without an end"},
      {Nested("[", "1", "]", 2000), "lists"},
      {Nested("{'a':", "1", "}", 600), "maps"},
      {Repeat("!", 4000) + "true", "negations"},
      {Repeat("- ", 2000) + "1", "minus signs"},
      {Repeat("true ? 1 : ", 300) + "1", "conditionals"},
      {"1" + Repeat("+1", 2000), "sums"},
      {"x" + Repeat(".a", 2000), "fields"},
      {"x" + Repeat("[0]", 1000), "indexes"},
      {Nested("x[", "0", "]", 1000), "indexes within indexes"},
      {Nested("size(", "x", ")", 600), "calls"},
      {"x" + Repeat(".size()", 500), "methods"},
      {Nested("[1].all(e,", "true", ")", 300), "macros"},
  };
  for (const Row& row : rows) {
    const std::string got = Describe(row.source);
    EXPECT_NE(got.find("nested more than 64 levels deep"), std::string::npos)
        << row.reason << ": " << got;
  }
}

TEST(BoundsTest, TheDepthThatCelAsksForIsThere) {
  static constexpr ExpressionCase kCases[] = {
      {"3 - 3 + 3 - 3 + 3 - 3 + 3 - 3 + 3 - 3 + 3 - 3 + 3 - 3 + 3 - 3 + 3 - 3 + 3 - 3 + 3 - 3 + 3",
       "value: 3", "24 sums"},
      {"((((((((((((((((((((((((((((((((7))))))))))))))))))))))))))))))))", "value: 7", "32 pairs"},
      {"!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!true", "value: true", "32 negations"},
      {"--------------------------------19", "value: 19", "32 minus signs"},
      {"[[[[[[[[[[[[0]]]]]]]]]]]][0][0][0][0][0][0][0][0][0][0][0][0]", "value: 0", "12 lists"},
  };
  ExpectCases(kCases);
  EXPECT_EQ(Describe("false" + Repeat(" || false", 400) + " || true"), "value: true")
      << "a chain of || is one level";
}

TEST(BoundsTest, StepsAreSharedByTheWholeEvaluation) {
  const Json numbers = Numbers(400);
  Bindings bindings;
  bindings.Set("x", &numbers);
  EXPECT_EQ(Describe("x.all(a, x.exists(b, b > 1))", bindings), "value: true");
  const std::string over = "error: col 3: needs more than 100000 steps";
  for (const std::string_view source :
       {"x.all(a, x.all(b, a + b >= 0))", "x.map(a, x.map(b, b))", "x.filter(a, x == x)",
        "x.map(a, x)", "x.all(a, a in x && -1 in x || true)",
        "x.all(a, x.all(b, false || true))"}) {
    const std::string got = Describe(source, bindings);
    EXPECT_NE(got.find("needs more than 100000 steps"), std::string::npos) << source << got;
  }
  EXPECT_NE(Describe("x.all(a, x.all(b, a + b >= 0)) || true", bindings), "value: true")
      << "an exhausted budget is absorbed by nothing";
}

TEST(BoundsTest, TextCostsStepsByItsLength) {
  const Json text(std::string(std::size_t{1024} * 1024, 'a'));
  const Json numbers = Numbers(100);
  Bindings bindings;
  bindings.Set("x", &text).Set("y", &numbers);
  EXPECT_EQ(Describe("x.contains('b')", bindings), "value: false");
  for (const std::string_view source :
       {"y.all(i, !x.contains('b'))", "y.all(i, x == x)", "y.all(i, x.matches('a'))",
        "y.all(i, size(x) > 0)", "y.all(i, x >= x)", "y.all(i, x.startsWith('a'))"}) {
    const std::string got = Describe(source, bindings);
    EXPECT_NE(got.find("needs more than 100000 steps"), std::string::npos) << source << got;
  }
}

TEST(BoundsTest, OutputIsBounded) {
  const Json half(std::string(kMaxExpressionOutputBytes / 2, 'a'));
  Bindings bindings;
  bindings.Set("x", &half);
  EXPECT_TRUE(Describe("x", bindings).starts_with("value:"));
  for (const std::string_view source :
       {"x + x + x", "[x, x]", "[x, x].join('-')", "x.replace('a', 'bcd')", "x.replace('', 'bcd')",
        "{'a': x, 'b': x}", "[1, 2, 3].map(i, x)", "[x, x].map(a, [x, x])"}) {
    const std::string got = Describe(source, bindings);
    EXPECT_NE(got.find("makes more than 65536 bytes"), std::string::npos) << source << got;
  }
  EXPECT_EQ(Describe("size([x, x])", bindings), "value: 2") << "what stays inside may be larger";
}

TEST(BoundsTest, TheLastByteIsAllowedAndTheNextIsAnError) {
  // The quotes of a text count.
  const Json last(std::string(kMaxExpressionOutputBytes - 2, 'a'));
  const Json next(std::string(kMaxExpressionOutputBytes - 1, 'a'));
  Bindings bindings;
  EXPECT_TRUE(Describe("x", bindings.Set("x", &last)).starts_with("value:"));
  EXPECT_EQ(Describe("x", bindings.Set("x", &next)), "error: col 1: makes more than 65536 bytes");
  EXPECT_EQ(Describe("size(x + 'a')", bindings), "value: 65536");
  EXPECT_EQ(Describe("size(x + 'aa')", bindings), "error: col 8: makes more than 65536 bytes");
}

TEST(BoundsTest, AReplacementThatWouldExplodeStopsEarly) {
  const Json text(std::string(kMaxExpressionOutputBytes, 'a'));
  Bindings bindings;
  bindings.Set("x", &text);
  EXPECT_EQ(Describe("x.replace('', x)", bindings), "error: col 3: makes more than 65536 bytes");
}

TEST(BoundsTest, PatternsAreBounded) {
  const std::string fits(kMaxRegexBytes, 'a');
  EXPECT_EQ(Describe("'a'.matches('" + fits + "')"), "value: false");
  EXPECT_EQ(Describe("'a'.matches('" + fits + "a')"),
            "refused: col 13: pattern is longer than 1024 bytes");
  EXPECT_EQ(Describe("'a'.matches('" + fits + "' + 'a')"), "error: col 5: invalid pattern");
}

TEST(BoundsTest, ALargePatternCostsMoreStepsForEachByte) {
  const Json text(std::string(std::size_t{1024} * 1024, 'a'));
  Bindings bindings;
  bindings.Set("x", &text);
  EXPECT_EQ(Describe("x.matches('^[a-c]+b$')", bindings), "value: false");
  // RE2 follows thousands of instructions for each byte where the automaton outgrows its memory.
  EXPECT_EQ(Describe("x.matches('(a|ab|[a-d]{3}){300}[^a]{20}z')", bindings),
            "error: col 3: needs more than 100000 steps");
  EXPECT_EQ(Describe("x.matches('((a{1000}){1000}){1000}')").substr(0, 33),
            "refused: col 11: invalid pattern:");
}

TEST(BoundsTest, PatternsWithNestedRepetitionStayLinear) {
  const Json text(std::string(50000, 'a'));
  Bindings bindings;
  bindings.Set("x", &text);
  EXPECT_EQ(Describe("x.matches('^(a+)+$')", bindings), "value: true");
  EXPECT_EQ(Describe("x.matches('^(a+)+b$')", bindings), "value: false");
}

}  // namespace
}  // namespace asyncops::expr
