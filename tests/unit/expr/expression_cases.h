// Tables of expressions and what they come to.
#ifndef ASYNCOPS_TESTS_UNIT_EXPR_EXPRESSION_CASES_H_
#define ASYNCOPS_TESTS_UNIT_EXPR_EXPRESSION_CASES_H_

#include <array>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <string_view>

#include "api/expr/expression.h"

namespace asyncops::expr {

// The root `x` holds any value: what tests of the language bind.
inline constexpr std::array kTestRoots = {Shape{"x"}, Shape{"y"}};
inline constexpr Environment kTestEnvironment{kTestRoots, "x"};

// "value: JSON", "missing: MESSAGE", "error: MESSAGE", or "refused: MESSAGE" from the compiler.
inline std::string Describe(std::string_view source, const Bindings& bindings = {},
                            const Environment& environment = kTestEnvironment) {
  const Result<Expression> expression = Expression::Compile(source, environment);
  if (!expression.ok()) return "refused: " + expression.status().message();
  const Outcome outcome = expression->Evaluate(bindings);
  switch (outcome.kind) {
    case Outcome::Kind::kValue: return "value: " + EncodeJson(outcome.value);
    case Outcome::Kind::kMissing: return "missing: " + outcome.message;
    case Outcome::Kind::kError: return "error: " + outcome.message;
  }
  return "";
}

struct ExpressionCase {
  std::string_view source;
  std::string_view want;  // as Describe() says it; an "error:" or "refused:" may be cut short
  std::string_view reason;
};

// Expects each case to come to what it wants.
inline void ExpectCases(std::span<const ExpressionCase> cases, const Bindings& bindings = {},
                        const Environment& environment = kTestEnvironment) {
  for (const ExpressionCase& row : cases) {
    const std::string got = Describe(row.source, bindings, environment);
    const bool whole = row.want.starts_with("value:");
    EXPECT_EQ(whole ? got : got.substr(0, row.want.size()), row.want)
        << row.source << "\n"
        << row.reason << "\nwhole answer: " << got;
  }
}

}  // namespace asyncops::expr

#endif  // ASYNCOPS_TESTS_UNIT_EXPR_EXPRESSION_CASES_H_
