// Functions that write a value in another notation.
#include "base/limits.h"
#include "tests/unit/expr/expression_cases.h"

namespace asyncops::expr {
namespace {

TEST(EncodingFunctionsTest, UrlEncodeMakesOneSegmentOrParameter) {
  static constexpr ExpressionCase kCases[] = {
      {"url.encode('a/b c?d&e=f%')", "value: \"a%2Fb%20c%3Fd%26e%3Df%25\"", "what a URL reads"},
      {"url.encode('Az09-._~')", "value: \"Az09-._~\"", "unreserved characters stay"},
      {"url.encode('é')", "value: \"%C3%A9\"", "bytes of UTF-8"},
      {"url.encode('../..')", "value: \"..%2F..\"", "no step up"},
      {"url.encode('')", "value: \"\"", "nothing"},
      {"url.encode(42) + url.encode(-1.5) + url.encode(true)", "value: \"42-1.5true\"",
       "what a template puts in as text"},
      {"url.encode(null)", "error: col 1: no matching overload of url.encode for (null)",
       "no text"},
      {"url.encode([1])", "error: col 1: no matching overload of url.encode for (list)", "no text"},
      {"url.encode(x.a)", "missing: col 12: no field \"x\"", "missing stays missing"},
      {"url.encode()", "refused: col 1: \"url.encode\" takes 1 argument", "counted"},
      {"url.decode('a')", "refused: col 1: function \"url.decode\" is not in the supported subset",
       "by its whole name"},
  };
  ExpectCases(kCases);
}

TEST(EncodingFunctionsTest, Base64IsThatOfText) {
  static constexpr ExpressionCase kCases[] = {
      {"base64.encode('hello')", "value: \"aGVsbG8=\"", "with padding"},
      {"base64.encode('é')", "value: \"w6k=\"", "bytes of UTF-8"},
      {"base64.encode('')", "value: \"\"", "nothing"},
      {"base64.decode('aGVsbG8=')", "value: \"hello\"", "back"},
      {"base64.decode('aGVsbG8')", "value: \"hello\"", "padding may be missing"},
      {"base64.decode('')", "value: \"\"", "nothing"},
      {"base64.decode('a')", "error: col 1: base64.decode: the string is no base64", "one letter"},
      {"base64.decode('$$$$')", "error: col 1: base64.decode: the string is no base64", "alphabet"},
      {"base64.decode('/w==')", "error: col 1: base64.decode: the bytes are no UTF-8", "bytes"},
      {"base64.encode(1)", "error: col 1: no matching overload of base64.encode for (int)", "type"},
      {"base64.decode(null)", "error: col 1: no matching overload of base64.decode for (null)",
       "type"},
  };
  ExpectCases(kCases);
}

TEST(EncodingFunctionsTest, JsonIsWrittenAndReadWithinText) {
  static constexpr ExpressionCase kCases[] = {
      {"json.encode({'b': [1, 2.5, null], 'a': 'x'})",
       R"(value: "{\"a\":\"x\",\"b\":[1,2.5,null]}")", "canonical"},
      {"json.encode('a')", R"(value: "\"a\"")", "a text is quoted"},
      {"json.decode('{\"a\": [1, true]}').a[1]", "value: true", "back"},
      {"json.decode('7') + 1", "value: 8", "integers stay integers"},
      {"json.decode('[').a", "error: col 1: json.decode: the string is no JSON", "broken"},
      {"json.decode('{\"a\":1}').b", "missing: col 24: no field \"b\"", "missing as elsewhere"},
      {"json.encode(timestamp(0))", "error: col 1: no matching overload of json.encode", "no JSON"},
      {"json.encode(1.0 / 0.0)", "error: col 1: not a finite number", "which JSON cannot hold"},
      {"json.decode(1)", "error: col 1: no matching overload of json.decode for (int)", "type"},
  };
  ExpectCases(kCases);
}

TEST(EncodingFunctionsTest, WhatTheyMakeIsBounded) {
  const Json text(std::string(kMaxExpressionOutputBytes / 3 + 1, ' '));
  const Json longer(std::string(kMaxExpressionOutputBytes * 3 / 4 + 1, 'a'));
  const Json control(std::string(kMaxExpressionOutputBytes / 6 + 1, '\1'));
  const Json large(std::string(std::size_t{8} * 1024 * 1024, ' '));
  Bindings bindings;
  const std::string too_long = "error: col 1: makes more than 65536 bytes";
  EXPECT_EQ(Describe("url.encode(x)", bindings.Set("x", &text)), too_long);
  EXPECT_EQ(Describe("base64.encode(x)", bindings.Set("x", &longer)), too_long);
  EXPECT_EQ(Describe("json.encode(x)", bindings.Set("x", &control)), too_long);
  bindings.Set("x", &large);
  for (const std::string_view source : {"url.encode(x)", "base64.encode(x)", "base64.decode(x)",
                                        "json.encode(x)", "json.decode(x)", "x.trim()"}) {
    EXPECT_EQ(Describe(source, bindings).substr(0, 6), "error:") << source;
  }
}

TEST(EncodingFunctionsTest, ANameBeforeADotIsAVariableWhereThereIsOne) {
  static constexpr std::array kRoots = {Shape{"url"}, Shape{"spec"}};
  constexpr Environment kEnvironment{kRoots, ""};
  EXPECT_EQ(Describe("url.encode", {}, kEnvironment), "missing: col 1: no field \"url\"");
  EXPECT_EQ(Describe("[{'encode': 1}].map(base64, base64.encode)"), "value: [1]");
  EXPECT_EQ(Describe("spce.exists(a, true)", {}, kEnvironment),
            "refused: col 1: unknown name \"spce\": use url or spec");
  EXPECT_EQ(Describe("spce.x.exists(a, true)", {}, kEnvironment),
            "refused: col 1: unknown name \"spce\": use url or spec");
}

}  // namespace
}  // namespace asyncops::expr
