// Equality of CEL: structural, numbers by value (1 == 1.0), different types unequal, NaN unequal.
#ifndef ASYNCOPS_API_EXPR_EQUALITY_H_
#define ASYNCOPS_API_EXPR_EQUALITY_H_

#include "api/expr/budget.h"
#include "api/expr/value.h"

namespace asyncops::expr {

// A comparison that runs out of budget is false; ask the budget.
bool JsonEqual(const Json& left, const Json& right, Budget* budget);
bool ValueEqual(const Value& left, const Value& right, Budget* budget);

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_EQUALITY_H_
