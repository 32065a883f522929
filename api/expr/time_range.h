// The times and durations that expressions work with: those of google.protobuf.Timestamp (years
// 0001 to 9999) and google.protobuf.Duration (10,000 years either way), to the microsecond.
#ifndef ASYNCOPS_API_EXPR_TIME_RANGE_H_
#define ASYNCOPS_API_EXPR_TIME_RANGE_H_

#include "api/expr/value.h"

namespace asyncops::expr {

// An error where the time or duration is out of range.
Evaluated TimeInRange(Time time);
Evaluated DurationInRange(Duration duration);

// RFC 3339 in UTC, with as many digits of a fraction as are needed.
std::string TimeText(Time time);
// Seconds: "90s", "0.25s", "-1.5s".
std::string DurationText(Duration duration);

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_TIME_RANGE_H_
