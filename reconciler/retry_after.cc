#include "reconciler/retry_after.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "base/ascii.h"
#include "base/duration.h"
#include "base/rfc3339.h"

namespace asyncops::reconciler {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

std::string_view Find(const Headers& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (EqualsIgnoreCase(key, name)) return value;
  }
  return {};
}

// Digits as a count of units; more than fits is the bound.
std::optional<Duration> Count(std::string_view text, Duration unit) {
  text = TrimBlanks(text);
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
  if (!digits) return std::nullopt;
  const Duration most = kMaxRetryAfter;
  std::int64_t count = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), count);
  if (parsed.ec != std::errc() || count > most / unit) return most;
  return count * unit;
}

Duration Until(Time time, Time now) {
  // Compared before they are subtracted: years far apart do not fit a Duration.
  if (time <= now) return Duration::zero();
  if (time >= now + Duration(kMaxRetryAfter)) return kMaxRetryAfter;
  return time - now;
}

// Seconds, or the time that is that many seconds after 1970.
std::optional<Duration> FromNumber(double number, Time now) {
  constexpr double kLeastTimestamp = 1e9;
  // The end of year 9999.
  constexpr double kMostTimestamp = 253402300799.0;
  if (!(number >= 0) || number > kMostTimestamp) return std::nullopt;
  const auto whole = std::chrono::milliseconds(static_cast<std::int64_t>(number * 1000));
  if (number >= kLeastTimestamp) return Until(Time(whole), now);
  return std::min(Duration(whole), Duration(kMaxRetryAfter));
}

}  // namespace

std::optional<Duration> ReadRetryAfter(const Json& value, Time now) {
  if (value.is_number()) return FromNumber(value.as_double(), now);
  if (!value.is_string()) return std::nullopt;
  const std::string_view text = TrimBlanks(value.as_string());
  // Eleven digits are beyond every time that is meant.
  if (!text.empty() && text.size() <= 11 && std::all_of(text.begin(), text.end(), IsDigit)) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return FromNumber(static_cast<double>(number), now);
  }
  if (const std::optional<Duration> wait = ParseDuration(text)) {
    if (*wait < Duration::zero()) return std::nullopt;
    return std::min(*wait, Duration(kMaxRetryAfter));
  }
  if (const std::optional<Time> time = ParseTime(text)) return Until(*time, now);
  if (const std::optional<Time> date = ParseHttpDate(text)) return Until(*date, now);
  return std::nullopt;
}

std::optional<Duration> ParseRetryAfter(const Headers& headers, Time now) {
  for (const std::string_view name : {"retry-after-ms", "x-ms-retry-after-ms"}) {
    if (const auto wait = Count(Find(headers, name), std::chrono::milliseconds(1))) return wait;
  }
  const std::string_view value = Find(headers, "retry-after");
  if (const auto wait = Count(value, std::chrono::seconds(1))) return wait;
  const std::optional<Time> date = ParseHttpDate(TrimBlanks(value));
  if (!date) return std::nullopt;
  return Until(*date, now);
}

}  // namespace asyncops::reconciler
