// How long a server asks us to wait.
#ifndef ASYNCOPS_RECONCILER_RETRY_AFTER_H_
#define ASYNCOPS_RECONCILER_RETRY_AFTER_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"

namespace asyncops::reconciler {

// A server that asks for more is taken to mean this: an operation must not sleep for ever.
inline constexpr std::chrono::hours kMaxRetryAfter{24};

// From the headers retry-after-ms and x-ms-retry-after-ms (milliseconds) and Retry-After (seconds
// or an HTTP-date; one that has passed is 0), in this order. Nothing where none is there, or its
// value is no such thing (a negative number is none).
// For polls PollDelay sets a floor: "at once" is no pace to poll at.
std::optional<Duration> ParseRetryAfter(
    const std::vector<std::pair<std::string, std::string>>& headers, Time now);

// The same from a value that a body tells: a number (or its digits) of seconds, or of seconds since
// 1970 where it is 10^9 or more; a duration ("1m30s"); a time (RFC 3339 or an HTTP-date). What has
// passed is 0; nothing where it is no such thing.
std::optional<Duration> ReadRetryAfter(const Json& value, Time now);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_RETRY_AFTER_H_
