// Parts of timestamps (in UTC) and durations.
// Each takes the argument counts of its row in functions.cc and any types; wrong types are an
// error.
#ifndef ASYNCOPS_API_EXPR_TIME_FUNCTIONS_H_
#define ASYNCOPS_API_EXPR_TIME_FUNCTIONS_H_

#include "api/expr/functions.h"

namespace asyncops::expr {

Evaluated GetFullYear(std::span<const Value> args, const CallContext& context);
Evaluated GetMonth(std::span<const Value> args, const CallContext& context);
Evaluated GetDate(std::span<const Value> args, const CallContext& context);
Evaluated GetDayOfMonth(std::span<const Value> args, const CallContext& context);
Evaluated GetDayOfWeek(std::span<const Value> args, const CallContext& context);
Evaluated GetDayOfYear(std::span<const Value> args, const CallContext& context);
Evaluated GetHours(std::span<const Value> args, const CallContext& context);
Evaluated GetMinutes(std::span<const Value> args, const CallContext& context);
Evaluated GetSeconds(std::span<const Value> args, const CallContext& context);
Evaluated GetMilliseconds(std::span<const Value> args, const CallContext& context);

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_TIME_FUNCTIONS_H_
