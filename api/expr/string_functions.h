// Functions of strings.
// Each takes the argument counts of its row in functions.cc and any types; wrong types are an
// error.
#ifndef ASYNCOPS_API_EXPR_STRING_FUNCTIONS_H_
#define ASYNCOPS_API_EXPR_STRING_FUNCTIONS_H_

#include "api/expr/functions.h"

namespace asyncops::expr {

Evaluated StartsWith(std::span<const Value> args, const CallContext& context);
Evaluated EndsWith(std::span<const Value> args, const CallContext& context);
Evaluated Contains(std::span<const Value> args, const CallContext& context);
Evaluated Matches(std::span<const Value> args, const CallContext& context);
Evaluated LowerAscii(std::span<const Value> args, const CallContext& context);
Evaluated UpperAscii(std::span<const Value> args, const CallContext& context);
Evaluated Split(std::span<const Value> args, const CallContext& context);
Evaluated Join(std::span<const Value> args, const CallContext& context);
Evaluated Replace(std::span<const Value> args, const CallContext& context);

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_STRING_FUNCTIONS_H_
