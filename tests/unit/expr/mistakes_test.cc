// Where the compiler says a mistake is, and in which words.
#include "tests/unit/expr/expression_cases.h"

namespace asyncops::expr {
namespace {

TEST(MistakesTest, ThePlaceOfASyntaxErrorIsNamed) {
  static constexpr ExpressionCase kCases[] = {
      {"(1 + 2", "refused: col 7: expected ')', found the end", "no closing parenthesis"},
      {"1 + ", "refused: col 5: expected an operand, found the end", "no operand"},
      {"1 + * 2", "refused: col 5: expected an operand, found '*'", "two operators"},
      {"x.", "refused: col 3: expected a field name, found the end", "no field"},
      {"x.1", "refused: col 2: expected the end of the expression, found '.1'",
       "a number as field"},
      {"x['a'", "refused: col 6: expected ']', found the end", "no closing bracket"},
      {"x y", "refused: col 3: expected the end of the expression, found 'y'", "two values"},
      {"x 'y'", "refused: col 3: expected the end of the expression, found a string", "two values"},
      {"x = 1", "refused: col 3: unexpected '='; equality is '=='", "an assignment"},
      {"x & y", "refused: col 3: unexpected '&'; write it twice", "one ampersand"},
      {"x | y", "refused: col 3: unexpected '|'; write it twice", "one bar"},
      {"x ? 1", "refused: col 6: expected ':', found the end", "half a conditional"},
      {"x.`a", "refused: col 3: a name in ` holds letters, digits and", "no closing backquote"},
      {"x.``", "refused: col 3: a name in ` holds letters, digits and", "an empty name"},
      {"x.`a'b`", "refused: col 3: a name in ` holds letters, digits and", "other characters"},
      {"`a`", "refused: col 1: a name in ` follows a '.'", "a variable in backquotes"},
      {"x.`a`(1)", "refused: col 6: expected the end of the expression, found '('", "a method"},
      {"x.in", "refused: col 3: expected a field name, found 'in'", "a word of the language"},
      {"size(x,)", "refused: col 8: expected an operand, found ')'", "a comma ends no call"},
      {"[,]", "refused: col 2: expected an operand, found ','", "a comma alone"},
      {"[1,,]", "refused: col 4: expected an operand, found ','", "two commas"},
      {"x # y", "refused: col 3: unexpected character '#'", "a foreign character"},
      {"x + é", "refused: col 5: unexpected character 'é'", "a letter beyond ASCII"},
      {"x + \x01", "refused: col 5: unexpected control character", "a control character"},
      {"'é' + ", "refused: col 7: expected an operand", "columns count characters, not bytes"},
      {"x ==\n  == 1", "refused: line 2, col 3: expected an operand, found '=='", "second line"},
      {"x // why\n + ", "refused: line 2, col 4: expected an operand", "a comment is skipped"},
      {"if", "refused: col 1: 'if' is a reserved word", "a reserved word"},
      {"'é\n", "refused: line 1, col 1: string has no closing", "the line of the mistake"},
      {"'''é\nü''' + ]", "refused: line 2, col 8: expected an operand, found ']'",
       "a text of several lines, characters beyond ASCII before the place"},
      {"x ==\r\nü", "refused: line 2, col 1: unexpected character", "lines of Windows"},
      {"x{a: 1}", "refused: col 2: expected the end of the expression, found '{'", "a message"},
      {"[1 2]", "refused: col 4: expected ']', found '2'", "no comma"},
      {"{'a' 1}", "refused: col 6: expected ':', found '1'", "no colon"},
      {"{'a': 1 'b': 2}", "refused: col 9: expected '}', found a string", "no comma"},
      {"  ", "refused: col 1: expected an expression", "white space alone"},
  };
  ExpectCases(kCases);
}

TEST(MistakesTest, FunctionsOutsideTheSubsetAreRefusedByName) {
  static constexpr ExpressionCase kCases[] = {
      {"foo(1)",
       "refused: col 1: function \"foo\" is not in the supported subset (docs/expressions.md lists "
       "it)",
       "unknown"},
      {"x.reverse()", "refused: col 3: function \"reverse\" is not in the supported subset",
       "a method"},
      {"math.greatest(1, 2)",
       "refused: col 1: function \"math.greatest\" is not in the supported subset", "qualified"},
      {"optional.of(x)", "refused: col 1: function \"optional.of\" is not in", "optionals"},
      {"x.?a", "refused: col 3: optional fields (.?) are not in the supported subset", "optionals"},
      {"x[?0]", "refused: col 3: optional elements ([?]) are not in the supported", "optionals"},
      {"[?x]", "refused: col 2: optional elements ([?]) are not in the supported", "optionals"},
      {"{?'a': x}", "refused: col 2: optional entries ({?}) are not in the supported", "optionals"},
      {"Type{a: 1}", "refused: col 1: messages are not in the supported subset", "a message"},
      {"a.b.Type{a: 1}", "refused: col 1: messages are not in the supported subset", "qualified"},
      {"x.all(i, v, v > i)", "refused: col 10: macros with two variables are not in the supported",
       "of CEL"},
      {".x", "refused: col 1: names that start with '.' are not in the supported subset",
       "a leading dot"},
      {"dyn(x)", "refused: col 1: function \"dyn\" is not in the supported subset", "of CEL"},
      {"type(x)", "refused: col 1: function \"type\" is not in the supported subset", "of CEL"},
      {"x.format(['a'])", "refused: col 3: function \"format\" is not", "of an extension"},
      {"x.int()", "refused: col 3: \"int\" is no method: write int(x)", "function as a method"},
      {"contains('a', 'b')", "refused: col 1: \"contains\" is a method: write x.contains(...)",
       "method as a function"},
      {"all(x, true)", "refused: col 1: \"all\" is called on a list or map: list.all(x, ...)",
       "macro as a function"},
      {"size()", "refused: col 1: \"size\" takes 1 argument", "too few"},
      {"size(x, y)", "refused: col 1: \"size\" takes 1 argument", "too many"},
      {"x.size(y)", "refused: col 3: \"size\" takes 0 arguments", "a receiver is one already"},
      {"x.split()", "refused: col 3: \"split\" takes 1 or 2 arguments", "a range"},
      {"x.getHours('UTC')", "refused: col 3: \"getHours\" takes 0 arguments", "no time zones"},
      {"has(x)", "refused: col 1: has() takes a field", "no field"},
      {"has(x['a'])", "refused: col 1: has() takes a field", "an index"},
      {"has(x.a, x.b)", "refused: col 8: expected ')', found ','", "two"},
      {"x.all(e)", "refused: col 8: expected ',', found ')'", "no predicate"},
      {"x.all(1, true)", "refused: col 7: \"all\" takes the name of a variable first", "no name"},
      {"x.all(true, true)", "refused: col 7: \"all\" takes the name of a variable first", "true"},
      {"x.all(e, 1, e)", "refused: col 3: \"all\" takes a variable and one expression", "too many"},
      {"x.map(e, e, e, e)", "refused: col 3: \"map\" takes a variable and one or two", "too many"},
      {"timestamp('yesterday')", "refused: col 11: timestamp: the string is no RFC 3339 time",
       "a literal that can never be a time"},
      {"duration('5 min')", "refused: col 10: duration: the string is no duration",
       "a literal that can never be a duration"},
  };
  ExpectCases(kCases);
}

TEST(MistakesTest, AMacroVariableEndsWithItsMacro) {
  static constexpr ExpressionCase kCases[] = {
      {"[1].all(e, e > 0) && e > 0", "refused: col 22: unknown name \"e\": use x or y", "after"},
      {"e.all(e, e > 0)", "refused: col 1: unknown name \"e\": use x or y", "before"},
  };
  ExpectCases(kCases);
}

TEST(MistakesTest, MessagesNeverShowWhatWasEvaluated) {
  const Json secret = Json::Of({{"token", "hunter2"}, {"bad", "(hunter2"}});
  Bindings bindings;
  bindings.Set("x", &secret);
  for (const std::string_view source :
       {"int(x.token)", "timestamp(x.token)", "duration(x.token)", "bool(x.token)", "x[x.token]",
        "x.token + 1", "'a'.matches(x.bad)", "double(x.token)", "x.token.map(c, c)", "-x.token",
        "!x.token"}) {
    const std::string got = Describe(source, bindings);
    EXPECT_FALSE(got.starts_with("value:")) << source << ": " << got;
    EXPECT_EQ(got.find("hunter2"), std::string::npos) << source << ": " << got;
  }
}

}  // namespace
}  // namespace asyncops::expr
