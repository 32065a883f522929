// cel-spec's conformance area logic: absorption of errors.
#include "tests/unit/expr/expression_cases.h"

namespace asyncops::expr {
namespace {

constexpr std::string_view kDivision = "error: col";

TEST(LogicTest, ADecidingOperandAbsorbsErrorsOnEitherSide) {
  static constexpr ExpressionCase kCases[] = {
      {"false && 1 / 0 == 1", "value: false", "false first"},
      {"1 / 0 == 1 && false", "value: false", "false last"},
      {"true || 1 / 0 == 1", "value: true", "true first"},
      {"1 / 0 == 1 || true", "value: true", "true last"},
      {"true && 1 / 0 == 1", kDivision, "true decides nothing in &&"},
      {"1 / 0 == 1 && true", kDivision, "on either side"},
      {"false || 1 / 0 == 1", kDivision, "false decides nothing in ||"},
      {"1 / 0 == 1 || false", kDivision, "on either side"},
      {"false && 32", "value: false", "a wrong type is an error too"},
      {"'horses' && false", "value: false", "absorbed the same"},
      {"true || 32", "value: true", "in || as well"},
      {"'horses' || true", "value: true", "on either side"},
      {"'less' && 'great'", "error: col 8: no matching overload of && for (string)", "both wrong"},
      {"'less' || 'great'", "error: col 8: no matching overload of || for (string)", "both wrong"},
      {"1 / 0 == 1 || 2 / 0 == 1 || true", "value: true", "several errors in a chain"},
      {"x.a || true", "value: true", "missing is absorbed too"},
      {"x.a && false", "value: false", "in && as well"},
      {"x.a || 1 / 0 == 1", "missing: col 1", "the first of several reasons is told"},
      {"[0, 1].exists(e, 1 / e == 1)", "value: true", "exists is an ||"},
      {"[0, 2].exists(e, 1 / e == 1)", kDivision, "with nothing that decides"},
      {"[1, 2, 3].all(e, 6 / (2 - e) == 6)", "value: false", "all is an &&"},
      {"[1, 'foo', 3].all(e, e % 2 == 1)", kDivision, "with nothing that decides"},
  };
  ExpectCases(kCases);
}

TEST(LogicTest, ConditionalEvaluatesOneBranch) {
  static constexpr ExpressionCase kCases[] = {
      {"true ? 1 : 2", "value: 1", "yes"},
      {"false ? 'foo' : 'bar'", "value: \"bar\"", "no"},
      {"true ? 1 : 1 / 0", "value: 1", "the other branch is not evaluated"},
      {"false ? 1 : true ? 2 : 3", "value: 2", "nests to the right"},
      {"true || false ? 1 : 2", "value: 1", "binds last"},
      {"2 / 0 > 4 ? 'baz' : 'quux'", kDivision, "an error in the condition"},
      {"'cows' ? false : 17", "error: col 8: no matching overload of ?: for (string)", "no bool"},
      {"x.a ? 1 : 2", "missing: col 1: no field \"x\"", "a missing condition chooses nothing"},
  };
  ExpectCases(kCases);
}

TEST(LogicTest, NotTakesABoolean) {
  static constexpr ExpressionCase kCases[] = {
      {"!true", "value: false", "not"},
      {"!!true", "value: true", "twice"},
      {"!0", "error: col 1: no matching overload of ! for (int)", "no truth of numbers"},
      {"!false && true || false", "value: true", "precedence"},
      {"true || true && false", "value: true", "&& before ||"},
      {"1 < 2 == true", "value: true", "relations left to right"},
  };
  ExpectCases(kCases);
}

}  // namespace
}  // namespace asyncops::expr
