// cel-spec's conformance areas fields, lists, macros and the structures of comparisons.
#include "tests/unit/expr/expression_cases.h"

namespace asyncops::expr {
namespace {

TEST(ConformanceTest, ListsConcatenateIndexAndContain) {
  static constexpr ExpressionCase kCases[] = {
      {"[]", "value: []", "empty"},
      {"[1, 'two', null, [true],]", "value: [1,\"two\",null,[true]]", "mixed, a comma at the end"},
      {"[0, 1] + [] + [2]", "value: [0,1,2]", "concatenation"},
      {"[7, 8, 9][0]", "value: 7", "first"},
      {"[7, 8, 9][2]", "value: 9", "last"},
      {"[7, 8, 9][1.0]", "value: 8", "a double that is an integer"},
      {"[7, 8, 9][0.1]", "error: col 10: the index of a list is an integer", "a fraction"},
      {"[7, 8, 9]['0']", "error: col 10: no matching overload of [] for (list, string)", "text"},
      {"[7, 8, 9][3]", "missing: col 10: no such index", "after the end"},
      {"[7, 8, 9][-1]", "missing: col 10: no such index", "before the start"},
      {"[[['foo']]][0][0][0]", "value: \"foo\"", "nested"},
      {"'elem' in ['elem', 'elemA']", "value: true", "present"},
      {"'elem' in [1, 'elem', 2]", "value: true", "present among other types"},
      {"'empty' in []", "value: false", "in nothing"},
      {"'a' in 'abc'", "error: col 5: no matching overload of in for (string, string)", "no text"},
      {"size([1, 2, 3]) == 3 && [1].size() == 1", "value: true", "size"},
      {"['1', '2', null] == ['1', '2', '3']", "value: false", "equality with null within"},
      {"[1, 2, 3] == [1, 3, 2]", "value: false", "order matters"},
      {"[[]] != [[]]", "value: false", "nested inequality"},
      {"[1] == 1", "value: false", "different types are unequal"},
  };
  ExpectCases(kCases);
}

TEST(ConformanceTest, MapsHaveStringKeysAsInJson) {
  static constexpr ExpressionCase kCases[] = {
      {"{}", "value: {}", "empty"},
      {"{'k': 'v', 'n': 1,}", R"(value: {"k":"v","n":1})", "two, a comma at the end"},
      {"{'name': 100}['name']", "value: 100", "index"},
      {"{'name': 100}.name", "value: 100", "field"},
      {"{'map': {'k': 'v'}}.map.k", "value: \"v\"", "nested"},
      {"{'a': 1}['b']", "missing: col 9: no such key", "absent key"},
      {"{'a': 1}.b", "missing: col 10: no field \"b\"", "absent field"},
      {"has({'a': 1}.a)", "value: true", "present"},
      {"has({'a': 1}.b)", "value: false", "absent"},
      {"has({}.a)", "value: false", "in nothing"},
      {"has({'a': null}.a)", "value: true", "null is present"},
      {"'k' in {'k': 1}", "value: true", "key"},
      {"1 in {'1': 1}", "value: false", "a number is no key"},
      {"{'k1': 1, 'k2': 2} == {'k2': 2, 'k1': 1}", "value: true", "order does not matter"},
      {"{'k': 1, 'j': 2} == {'k': 1, 'j': null}", "value: false", "one value differs"},
      {"{'k': 'v', 'k1': 'v1'} == {'k': 'v'}", "value: false", "one more key"},
      {"size({'a': 1, 'b': 2})", "value: 2", "size"},
      {"{1: 2}", "refused: col 2: a key of a map is a string literal here", "an int key"},
      {"{'a': 1, 'a': 2}", "refused: col 10: the map has this key twice", "a repeated key"},
      {"{null: 1}", "refused: col 2: a key of a map is a string literal here", "null"},
      {"{'a': 1", "refused: col 8: expected '}', found the end", "no end"},
      {"null == false || null == 0 || null == '' || null == []", "value: false",
       "null equals null alone"},
      {"null == null", "value: true", "and that it does"},
  };
  ExpectCases(kCases);
}

TEST(ConformanceTest, MacrosWalkListsAndTheKeysOfMaps) {
  static constexpr ExpressionCase kCases[] = {
      {"[1, 2, 3].exists(e, e > 2)", "value: true", "one of them"},
      {"[1, 2, 3].exists(e, e > 3)", "value: false", "none of them"},
      {"[].exists(e, e == 2)", "value: false", "none to ask"},
      {"[1, 'foo', 3].exists(e, e == '10')", "value: false", "mixed types"},
      {"{'key1': 1, 'key2': 2}.exists(k, k == 'key2')", "value: true", "keys"},
      {"[1, 2, 3].all(e, e > 0)", "value: true", "all of them"},
      {"[1, 2, 3].all(e, e == 2)", "value: false", "not all of them"},
      {"[].all(e, e > 0)", "value: true", "none that fails"},
      {"{'key1': 1, 'key2': 2}.all(k, k == 'key2')", "value: false", "not all keys"},
      {"[6, 7, 8].exists_one(foo, foo % 5 == 2)", "value: true", "exactly one"},
      {"[0, 1, 2, 3, 4].exists_one(n, n % 2 == 1)", "value: false", "two"},
      {"[].exists_one(a, a == 7)", "value: false", "none"},
      {"[3, 2, 1, 0].exists_one(n, 12 / n > 1)", "error: col 31: division by zero",
       "no absorption"},
      {"[2, 4, 6].map(n, n / 2)", "value: [1,2,3]", "map"},
      {"[1, 2, 3, 4].map(n, n % 2 == 0, n * n)", "value: [4,16]", "map with a filter"},
      {"[2, 1, 0].map(n, 4 / n)", "error: col 20: division by zero", "an error in one"},
      {"{'John': 'smart'}.map(key, key)", "value: [\"John\"]", "keys"},
      {"[0, 1, 2, 3, 4].filter(x, x % 2 == 1)", "value: [1,3]", "filter"},
      {"[3, 2, 1, 0].filter(n, 12 / n > 4)", "error: col 27: division by zero", "an error in one"},
      {"{'a': 1, 'b': 2}.filter(k, k != 'a')", "value: [\"b\"]", "keys that pass"},
      {"['signer'].filter(signer, ['artifact'].all(artifact, true))", "value: [\"signer\"]",
       "one within another"},
      {"[[1, 2], [3]].map(l, l.map(n, n + size(l)))", "value: [[3,4],[4]]", "both variables"},
      {"[1, 2].map(a, [10, 20].map(a, a + 1))", "value: [[11,21],[11,21]]", "the inner one hides"},
      {"[1, 2].map(x, x + 1)", "value: [2,3]", "a variable hides a root"},
      {"[1].exists(e, [2].exists(f, f == 2) && e == 1)", "value: true",
       "the outer one is there after the inner ended"},
      {"[1].all(e, e)", "error: col 5: no matching overload of all for (int)", "no predicate"},
      {"(1).all(e, true)", "error: col 5: no matching overload of all for (int)", "no list"},
  };
  ExpectCases(kCases);
}

}  // namespace
}  // namespace asyncops::expr
