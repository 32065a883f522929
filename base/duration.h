// Durations as people write and read them.
#ifndef ASYNCOPS_BASE_DURATION_H_
#define ASYNCOPS_BASE_DURATION_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace asyncops {

// Go's time.ParseDuration: "30s", "1h30m", "1.5h", "300ms", "-2s", "0"; units ns us ms s m h.
// Nothing where the text is no duration or does not fit.
std::optional<Duration> ParseDuration(std::string_view text);
// Go's time.Duration.String: "1h30m0s", "10s", "1.5s", "300ms", "0s".
std::string FormatDuration(Duration duration);
// What an AGE column shows: apimachinery's duration.HumanDuration ("47s", "3m12s", "2d4h",
// "<invalid>").
std::string HumanDuration(Duration duration);

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_DURATION_H_
