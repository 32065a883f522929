// Conversions between types.
// Each takes the argument counts of its row in functions.cc and any types; wrong types are an
// error.
#ifndef ASYNCOPS_API_EXPR_CONVERSIONS_H_
#define ASYNCOPS_API_EXPR_CONVERSIONS_H_

#include "api/expr/functions.h"

namespace asyncops::expr {

Evaluated ToInt(std::span<const Value> args, const CallContext& context);
Evaluated ToDouble(std::span<const Value> args, const CallContext& context);
Evaluated ToString(std::span<const Value> args, const CallContext& context);
Evaluated ToBool(std::span<const Value> args, const CallContext& context);
Evaluated ToTimestamp(std::span<const Value> args, const CallContext& context);
Evaluated ToDuration(std::span<const Value> args, const CallContext& context);

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_CONVERSIONS_H_
