#include "reconciler/retry_after.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "base/ascii.h"
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

}  // namespace

std::optional<Duration> ParseRetryAfter(const Headers& headers, Time now) {
  for (const std::string_view name : {"retry-after-ms", "x-ms-retry-after-ms"}) {
    if (const auto wait = Count(Find(headers, name), std::chrono::milliseconds(1))) return wait;
  }
  const std::string_view value = Find(headers, "retry-after");
  if (const auto wait = Count(value, std::chrono::seconds(1))) return wait;
  const std::optional<Time> date = ParseHttpDate(TrimBlanks(value));
  if (!date) return std::nullopt;
  return std::clamp(Duration(*date - now), Duration::zero(), Duration(kMaxRetryAfter));
}

}  // namespace asyncops::reconciler
