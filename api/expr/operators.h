// The operators that always evaluate both operands.
#ifndef ASYNCOPS_API_EXPR_OPERATORS_H_
#define ASYNCOPS_API_EXPR_OPERATORS_H_

#include "api/expr/budget.h"
#include "api/expr/program.h"
#include "api/expr/value.h"

namespace asyncops::expr {

// Errors: operand types without that operator, overflow, division by zero, a bound reached.
Evaluated ApplyOperator(Operator op, Value left, Value right, Budget* budget);
Evaluated Negate(const Value& value);

// "+" of kAdd, and so on.
std::string_view OperatorName(Operator op);

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_OPERATORS_H_
