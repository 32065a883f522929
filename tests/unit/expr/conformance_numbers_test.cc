// cel-spec's conformance areas integer_math, fp_math, conversions and the numbers of comparisons.
#include "tests/unit/expr/expression_cases.h"

namespace asyncops::expr {
namespace {

TEST(ConformanceTest, IntegerArithmeticIsInt64AndOverflowIsAnError) {
  static constexpr ExpressionCase kCases[] = {
      {"40 + 2", "value: 42", "sum"},
      {"42 + (-7)", "value: 35", "a negative operand"},
      {"42 - (-22)", "value: 64", "difference with a negative"},
      {"42-7", "value: 35", "a minus without spaces is the operator"},
      {"-30 * (-2)", "value: 60", "product of negatives"},
      {"-20 / 3", "value: -6", "division truncates toward zero"},
      {"43 % (-5)", "value: 3", "the remainder has the sign of the dividend"},
      {"-42 % (-5)", "value: -2", "the same, negative"},
      {"-3 % 5", "value: -3", "the same, positive divisor"},
      {"-(42)", "value: -42", "negation"},
      {"--42", "value: 42", "negation twice"},
      {"5 * 15 + 5 * 25 == 5 * (15 + 25)", "value: true", "precedence and distribution"},
      {"2 + 3 * 4 - 10 / 5", "value: 12", "products before sums"},
      {"10 - 4 - 3", "value: 3", "left to right"},
      {"34 % 0", "error: col 4: modulus by zero", "modulus by zero"},
      {"15 / 0", "error: col 4: division by zero", "division by zero"},
      {"9223372036854775807 + 1", "error: col 21: integer overflow", "largest plus one"},
      {"-9223372036854775808 - 1", "error: col 22: integer overflow", "smallest minus one"},
      {"1 - (-9223372036854775807)", "error: col 3: integer overflow", "difference overflows"},
      {"-(-9223372036854775808)", "error: col 1: integer overflow", "smallest has no negation"},
      {"(-9223372036854775808) * -1", "error: col 24: integer overflow", "nor by product"},
      {"(-9223372036854775808) / -1", "error: col 24: integer overflow", "nor by division"},
      {"(-9223372036854775808) % -1", "error: col 24: integer overflow", "nor by remainder"},
      {"5000000000 * 5000000000", "error: col 12: integer overflow", "product overflows"},
      {"(-5000000000) * 5000000000", "error: col 15: integer overflow", "and below"},
      {"-false", "error: col 1: no matching overload of - for (bool)", "no negation of a bool"},
      {"1 + 1.0", "error: col 3: no matching overload of + for (int, double)",
       "arithmetic does not mix int and double"},
      {"1 + '1'", "error: col 3: no matching overload of + for (int, string)", "nor with text"},
      {"null + null", "error: col 6: no matching overload", "null has no arithmetic"},
  };
  ExpectCases(kCases);
}

TEST(ConformanceTest, IntegerLiteralsCoverInt64) {
  static constexpr ExpressionCase kCases[] = {
      {"0", "value: 0", "zero"},
      {"-9223372036854775808", "value: -9223372036854775808", "the smallest"},
      {"9223372036854775807", "value: 9223372036854775807", "the largest"},
      {"0x55555555", "value: 1431655765", "hexadecimal"},
      {"-0x55555555", "value: -1431655765", "hexadecimal, negative"},
      {"9223372036854775808", "refused: col 1: number out of range", "one too many"},
      {"-9223372036854775809", "refused: col 2: number out of range", "one too few"},
      {"-(9223372036854775808)", "refused: col 3: number out of range",
       "the sign must belong to the literal"},
      {"1u", "refused: col 1: uint literals are not in the supported subset", "named, not guessed"},
      {"0x1U", "refused: col 1: uint literals", "the other letter"},
      {"12ab", "refused: col 3: unexpected character in a number", "a name glued to a number"},
  };
  ExpectCases(kCases);
}

TEST(ConformanceTest, DoubleArithmeticIsIeee754) {
  static constexpr ExpressionCase kCases[] = {
      {"4.25 + 15.25", "value: 19.5", "sum"},
      {"42.875 - (-22.0)", "value: 64.875", "difference"},
      {"40.75 * (-2.25)", "value: -91.6875", "product"},
      {"-8.875 / (-0.0625) == 142.0", "value: true", "quotient"},
      {"-(4.5)", "value: -4.5", "negation"},
      {"-2.3e+1", "value: -23", "exponent"},
      {".5 + 0.25", "value: 0.75", "no digit before the point"},
      {"15.75 / 0.0 > 1e300", "value: true", "division by zero is infinite"},
      {"15.75 / 0.0", "error: col 7: not a finite number", "which JSON cannot hold"},
      {"[0.0 / 0.0]", "error: col 1: not a finite number", "nor within a list"},
      {"0.0 / 0.0 == 0.0 / 0.0", "value: false", "NaN equals nothing"},
      {"0.0 / 0.0 != 0.0 / 0.0", "value: true", "not even itself"},
      {"47.5 % 5.5", "error: col 6: no matching overload of % for (double, double)",
       "no remainder of doubles"},
      {"1e999", "refused: col 1: number out of range", "beyond double"},
  };
  ExpectCases(kCases);
}

TEST(ConformanceTest, NumbersCompareByValueAcrossTypes) {
  static constexpr ExpressionCase kCases[] = {
      {"1 == 1.0", "value: true", "int and double"},
      {"2.0 == 1", "value: false", "and unequal"},
      {"1 != 1.0", "value: false", "inequality agrees"},
      {"[1] == [1.0]", "value: true", "within lists"},
      {"{'k': 1} == {'k': 1.0}", "value: true", "within maps"},
      {"1 < 2.0", "value: true", "order, int first"},
      {"1.0 < 2", "value: true", "order, double first"},
      {"1.0 < 1", "value: false", "order of equals"},
      {"-1 < 0", "value: true", "sign"},
      {"-0.0 < 0.0", "value: false", "zeros are equal"},
      {"1.0 < 1.0000001", "value: true", "close doubles"},
      {".99 > 9.9e-1", "value: false", "one value, two spellings"},
      {"9223372036854775807 < 9223372036854775808.0", "value: false", "beyond 2^53 as a double"},
      {"9223372036854775807 < 9223372036854777857.0", "value: true", "and clearly apart"},
      {"-9223372036854775808 > -9223372036854777857.0", "value: true", "and below"},
      {"999 >= 1000", "value: false", "ints"},
      {"3.0 in [1, 2, 3]", "value: true", "`in` uses the same equality"},
      {"'foo' < 1024", "error: col 7: no matching overload of < for (string, int)",
       "no order across types"},
      {"null < null", "error: col 6: no matching overload", "null has no order"},
      {"[0] < [1]", "error: col 5: no matching overload", "lists have no order"},
      {"{} >= {}", "error: col 4: no matching overload", "maps have no order"},
  };
  ExpectCases(kCases);
}

TEST(ConformanceTest, ConversionsCheckRangeAndForm) {
  static constexpr ExpressionCase kCases[] = {
      {"int(-7.9)", "value: -7", "toward zero"},
      {"int(double(36028797018963969)) == 36028797018963968", "value: true", "through a double"},
      {"int(9223372036854775807.0)", "error: col 1: integer out of range", "rounds to 2^63"},
      {"int(-9223372036854775808.0)", "error: col 1: integer out of range", "cel-spec's range"},
      {"int(1e99)", "error: col 1: integer out of range", "far outside"},
      {"int(0.0 / 0.0)", "error: col 1: integer out of range", "NaN"},
      {"int('987')", "value: 987", "text"},
      {"int('-987')", "value: -987", "negative text"},
      {"int('98.7')", "error: col 1: int: the string is no integer", "a fraction in text"},
      {"int('')", "error: col 1: int: the string is no integer", "no digits"},
      {"int('9223372036854775808')", "error: col 1: int: the string is no integer", "range"},
      {"int(true)", "error: col 1: no matching overload of int for (bool)", "not from bool"},
      {"double(1000000000000)", "value: 1e+12", "from int"},
      {"double('-987.654')", "value: -987.654", "from text"},
      {"double('6.02214e23') == 6.02214e23", "value: true", "exponent in text"},
      {"double('1,5')", "error: col 1: double: the string is no number", "no comma"},
      {"string(123)", "value: \"123\"", "int to text"},
      {"string(-456)", "value: \"-456\"", "negative int to text"},
      {"string(-4.5e-3)", "value: \"-0.0045\"", "double to text"},
      {"string(123.456)", "value: \"123.456\"", "double to text"},
      {"string(6.02214e23)", "value: \"6.02214e+23\"", "large double to text"},
      {"string(1000000.0)", "value: \"1000000\"", "no exponent where digits do"},
      {"string(true)", "value: \"true\"", "bool to text"},
      {"string('hello')", "value: \"hello\"", "text to text"},
      {"string(null)", "error: col 1: no matching overload of string for (null)", "not null"},
      {"string([1])", "error: col 1: no matching overload of string for (list)", "not lists"},
      {"bool('t') && bool('True') && bool('1') && bool('TRUE')", "value: true", "spellings"},
      {"bool('f') || bool('False') || bool('0')", "value: false", "spellings of false"},
      {"bool('TrUe')", "error: col 1: bool: the string is neither", "mixed case is none"},
      {"bool(true)", "value: true", "identity"},
      {"bool(1)", "error: col 1: no matching overload of bool for (int)", "not from int"},
      {"double(5.5)", "value: 5.5", "identity"},
      {"int(1)", "value: 1", "identity"},
  };
  ExpectCases(kCases);
}

}  // namespace
}  // namespace asyncops::expr
