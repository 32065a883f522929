// The functions of the language, as one table.
#ifndef ASYNCOPS_API_EXPR_FUNCTIONS_H_
#define ASYNCOPS_API_EXPR_FUNCTIONS_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "api/expr/budget.h"
#include "api/expr/regex.h"
#include "api/expr/value.h"

namespace asyncops::expr {

struct CallContext {
  Budget* budget;
  // The compiled pattern of matches() where it is a literal, else null.
  const Regex* regex;
};

struct Function {
  enum class Style { kGlobal, kMember, kEither };

  std::string_view name;
  Style style;
  // Arguments, a receiver among them.
  std::size_t min_args;
  std::size_t max_args;
  // Called with that many arguments, of any types.
  Evaluated (*body)(std::span<const Value> args, const CallContext& context);
};

// The function of that name, or null. Refers to constants.
const Function* FindFunction(std::string_view name);

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_FUNCTIONS_H_
