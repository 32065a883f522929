// cel-spec's conformance areas string, string_ext (the part in the subset), parse and basic
// (literals).
#include "tests/unit/expr/expression_cases.h"

namespace asyncops::expr {
namespace {

TEST(ConformanceTest, StringLiteralsKnowTheEscapesOfCel) {
  static constexpr ExpressionCase kCases[] = {
      {"'hello'", "value: \"hello\"", "single quotes"},
      {"\"hello\"", "value: \"hello\"", "double quotes"},
      {"'''hello'''", "value: \"hello\"", "triple single quotes"},
      {"\"\"\"hello\"\"\"", "value: \"hello\"", "triple double quotes"},
      {"''''''", "value: \"\"", "empty, tripled"},
      {"''' ? \" ' ` '''", "value: \" ? \\\" ' ` \"", "quotes within tripled ones"},
      {"'''a\nb'''", "value: \"a\\nb\"", "a line break within tripled ones"},
      {R"('\\ \? \" \' \`')", R"(value: "\\ ? \" ' `")", "escaped punctuation"},
      {R"('\a\b\f\n\r\t\v' == '\x07\x08\x0C\x0A\x0D\x09\x0B')", "value: true", "letters"},
      {R"('\X41\101\u0041\U00000041')", R"(value: "AAAA")", "the four numeric forms"},
      {R"("\u270c")", "value: \"\xE2\x9C\x8C\"", "three bytes of UTF-8"},
      {R"("\U0001f431")", "value: \"\xF0\x9F\x90\xB1\"", "four bytes of UTF-8"},
      {R"('\377' == 'ÿ')", "value: true", "octal is a code point"},
      {R"(r'\n' == '\\n')", "value: true", "raw keeps backslashes"},
      {R"(R"a\"c")", "refused: col 7: string has no closing", "a raw string ends at its quote"},
      {"r''''''", "value: \"\"", "raw and tripled"},
      {R"('\q')", "refused: col 2: unknown escape", "no such escape"},
      {R"('\u12')", "refused: col 2: an escape of this kind needs 4 digits", "too few digits"},
      {R"('\400')", "refused: col 2: unknown escape", "octal ends at 377"},
      {R"('\ud800')", "refused: col 2: no such character", "a surrogate is no character"},
      {R"('\U00110000')", "refused: col 2: no such character", "beyond Unicode"},
      {"'abc", "refused: col 1: string has no closing '", "no end"},
      {"'abc\ndef'", "refused: line 1, col 1: string has no closing '", "no end on the line"},
      {"b'abc'", "refused: col 1: bytes literals are not in the supported subset", "named"},
      {"rb'abc'", "refused: col 1: bytes literals are not in the supported subset", "both letters"},
  };
  ExpectCases(kCases);
}

TEST(ConformanceTest, StringFunctionsCountCharacters) {
  static constexpr ExpressionCase kCases[] = {
      {"size('')", "value: 0", "empty"},
      {"size('πέντε')", "value: 5", "characters, not bytes"},
      {"'πέντε'.size()", "value: 5", "as a method"},
      {"'foobar'.startsWith('foo') && !'foobar'.startsWith('bar')", "value: true", "prefix"},
      {"''.startsWith('') && 'a'.endsWith('')", "value: true", "empty text is everywhere"},
      {"'forté'.endsWith('té')", "value: true", "suffix"},
      {"''.endsWith('foo')", "value: false", "longer than the text"},
      {"'abababc'.contains('ababc')", "value: true", "inner text"},
      {"'hello'.contains('ol')", "value: false", "absent text"},
      {"'he' + 'llo'", "value: \"hello\"", "concatenation"},
      {"'r' + 'ô' + 'le' == 'rôle'", "value: true", "concatenation beyond ASCII"},
      {"'TacoCÆt Xii'.lowerAscii()", "value: \"tacocÆt xii\"", "ASCII alone changes"},
      {"'tacoCαt'.upperAscii()", "value: \"TACOCαT\"", "the other way"},
      {"'abc' < 'abcd' && 'Abc' < 'aBC' && 'f' < 'ế'", "value: true", "order by code point"},
      {"'a' < 'AB'", "value: false", "upper case comes first"},
      {"'é' == 'e\\u0301'", "value: false", "no normalization"},
      {"42.contains('4')", "error: col 4: no matching overload of contains for (int, string)",
       "a receiver of another type"},
      {"size(1)", "error: col 1: no matching overload of size for (int)", "no size of a number"},
      {"'a'.contains(1)", "error: col 5: no matching overload of contains for (string, int)",
       "an argument of another type"},
  };
  ExpectCases(kCases);
}

TEST(ConformanceTest, MatchesFindsAnRe2PatternAnywhere) {
  static constexpr ExpressionCase kCases[] = {
      {"'hubba'.matches('ubb')", "value: true", "anywhere"},
      {"'grey'.matches('^gr(a|e)y$')", "value: true", "anchored"},
      {"''.matches('foo|bar')", "value: false", "nothing there"},
      {"'cows'.matches('')", "value: true", "the empty pattern"},
      {"matches('banana', 'ba(na)*')", "value: true", "as a function"},
      {"'mañana'.matches('a+ñ+a+')", "value: true", "UTF-8"},
      {R"('job-17'.matches(r'^job-\d+$'))", "value: true", "classes, in a raw string"},
      {"'ab'.matches('a' + 'b')", "value: true", "a computed pattern"},
      {"'ab'.matches('(' + 'b')", "error: col 6: invalid pattern", "a bad computed one"},
      {"'ab'.matches('(b')", "refused: col 14: invalid pattern: missing ): (b",
       "a bad literal one is found at once"},
      {"'ab'.matches('(?=b)')", "refused: col 14: invalid pattern", "RE2 has no look-ahead"},
      {"'ab'.matches('((a{100}){100}){100}')", "refused: col 14: invalid pattern",
       "repetition that explodes"},
      {"'ab'.matches(1)", "error: col 6: no matching overload of matches", "no pattern at all"},
  };
  ExpectCases(kCases);
}

TEST(ConformanceTest, SplitJoinAndReplaceFollowTheStringsExtension) {
  static constexpr ExpressionCase kCases[] = {
      {"'hello world'.split(' ')", R"(value: ["hello","world"])", "two parts"},
      {"'a,,b,'.split(',')", R"(value: ["a","","b",""])", "empty parts stay"},
      {"'hello world events!'.split(' ', 0)", "value: []", "limit zero"},
      {"'hello world events!'.split(' ', 1)", R"(value: ["hello world events!"])", "limit one"},
      {"'hello world events!'.split(' ', 2)", R"(value: ["hello","world events!"])", "limit two"},
      {"'o©o©o'.split('©', -1)", R"(value: ["o","o","o"])", "negative is no limit"},
      {"'hé!'.split('')", R"(value: ["h","é","!"])", "into characters"},
      {"''.split('')", "value: []", "no characters"},
      {"''.split(',')", R"(value: [""])", "one empty part"},
      {"['x', 'y'].join()", "value: \"xy\"", "no separator"},
      {"['x', 'y'].join('-')", "value: \"x-y\"", "a separator"},
      {"[].join('-')", "value: \"\"", "nothing to join"},
      {"['x', 1].join('-')", "error: col 10: join needs a list of strings", "a number within"},
      {"'a'.join('-')", "error: col 5: no matching overload of join", "no list"},
      {"'12 days'.replace('{0}', '2')", "value: \"12 days\"", "absent"},
      {"'{0} days {0} hours'.replace('{0}', '2')", "value: \"2 days 2 hours\"", "all of them"},
      {"'{0} days {0} hours'.replace('{0}', '2', 1)", "value: \"2 days {0} hours\"", "the first"},
      {"'abc'.replace('b', '', 0)", "value: \"abc\"", "none of them"},
      {"'1 ©αT taco'.replace('αT', 'o©α')", "value: \"1 ©o©α taco\"", "beyond ASCII"},
      {"'hé'.replace('', '_')", "value: \"_h_é_\"", "between characters"},
      {"''.replace('', '_')", "value: \"_\"", "around nothing"},
      {"'42'.replace(2, 1)", "error: col 6: no matching overload of replace", "numbers"},
      {"'42'.replace('2', 1, 1)", "error: col 6: no matching overload of replace", "a number"},
      {"'42'.split('2', '1')", "error: col 6: no matching overload of split", "a text as limit"},
  };
  ExpectCases(kCases);
}

}  // namespace
}  // namespace asyncops::expr
