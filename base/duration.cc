#include "base/duration.h"

#include <array>
#include <cstdint>
#include <limits>

#include "base/ascii.h"

namespace asyncops {
namespace {

constexpr std::uint64_t kNanosecond = 1;
constexpr std::uint64_t kMicrosecond = 1000 * kNanosecond;
constexpr std::uint64_t kMillisecond = 1000 * kMicrosecond;
constexpr std::uint64_t kSecond = 1000 * kMillisecond;
constexpr std::uint64_t kMinute = 60 * kSecond;
constexpr std::uint64_t kHour = 60 * kMinute;
// Go's durations are an int64 of nanoseconds; what does not fit there is no duration.
constexpr std::uint64_t kMaxNanoseconds = std::numeric_limits<std::int64_t>::max();

struct Unit {
  std::string_view name;
  std::uint64_t nanoseconds;
};

// Both forms of the micro sign: U+00B5 and the Greek letter U+03BC. Longer names first where one
// starts with another.
constexpr std::array<Unit, 8> kUnits = {{{"ns", kNanosecond},
                                         {"us", kMicrosecond},
                                         {"\xC2\xB5s", kMicrosecond},
                                         {"\xCE\xBCs", kMicrosecond},
                                         {"ms", kMillisecond},
                                         {"s", kSecond},
                                         {"m", kMinute},
                                         {"h", kHour}}};

// Takes a whole number from the front; false where it is over Go's range.
bool TakeWhole(std::string_view* text, std::uint64_t* value) {
  *value = 0;
  for (; !text->empty() && IsDigit(text->front()); text->remove_prefix(1)) {
    const auto digit = static_cast<std::uint64_t>(text->front() - '0');
    if (*value > (kMaxNanoseconds + 1 - digit) / 10) return false;
    *value = *value * 10 + digit;
  }
  return true;
}

// The digits after a point: digits / scale, in [0, 1).
struct DecimalFraction {
  double digits = 0;
  double scale = 1;
};

DecimalFraction TakeFraction(std::string_view* text) {
  DecimalFraction out;
  for (; !text->empty() && IsDigit(text->front()); text->remove_prefix(1)) {
    // Digits past a double's precision change nothing, and the number must not grow to infinity.
    if (out.scale > 1e17) continue;
    out.digits = out.digits * 10 + (text->front() - '0');
    out.scale *= 10;
  }
  return out;
}

// Takes one number and its unit, as "1.5h", and adds it to `total`.
bool TakeTerm(std::string_view* text, std::uint64_t* total) {
  const std::size_t before = text->size();
  std::uint64_t whole = 0;
  if (!TakeWhole(text, &whole)) return false;
  bool digits = text->size() != before;
  DecimalFraction fraction;
  if (text->starts_with('.')) {
    text->remove_prefix(1);
    digits = digits || (!text->empty() && IsDigit(text->front()));
    fraction = TakeFraction(text);
  }
  if (!digits) return false;
  for (const Unit& unit : kUnits) {
    if (!text->starts_with(unit.name)) continue;
    text->remove_prefix(unit.name.size());
    // "1m" is the start of "1ms", but what follows a unit is a digit or a point.
    if (!text->empty() && !IsDigit(text->front()) && text->front() != '.') return false;
    if (whole > (kMaxNanoseconds + 1) / unit.nanoseconds) return false;
    // In this order, as Go has it: 0.3h is then a whole number of nanoseconds.
    const double part = fraction.digits * (static_cast<double>(unit.nanoseconds) / fraction.scale);
    const std::uint64_t term = whole * unit.nanoseconds + static_cast<std::uint64_t>(part);
    if (term > kMaxNanoseconds + 1 - *total) return false;
    *total += term;
    return true;
  }
  return false;
}

// `value` parts of 10^-digits as ".5", without the zeros at the end; "" for 0.
std::string Fraction(std::uint64_t value, std::size_t digits) {
  if (value == 0) return "";
  std::string out = std::to_string(value);
  out.insert(0, digits - out.size(), '0');
  out.erase(out.find_last_not_of('0') + 1);
  return "." + out;
}

// "2d4h", or "2d" where the second part is 0.
std::string TwoParts(std::int64_t first, char first_unit, std::int64_t second, char second_unit) {
  std::string out = std::to_string(first) + first_unit;
  if (second != 0) out += std::to_string(second) + second_unit;
  return out;
}

}  // namespace

std::optional<Duration> ParseDuration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return Duration(0);
  if (text.empty()) return std::nullopt;
  std::uint64_t total = 0;
  while (!text.empty())
    if (!TakeTerm(&text, &total)) return std::nullopt;
  // The most negative value has no positive twin.
  if (total > kMaxNanoseconds && !negative) return std::nullopt;
  const auto microseconds = static_cast<std::int64_t>(total / kMicrosecond);
  return Duration(negative ? -microseconds : microseconds);
}

std::string FormatDuration(Duration duration) {
  const std::int64_t count = duration.count();
  if (count == 0) return "0s";
  const auto raw = static_cast<std::uint64_t>(count);
  const std::uint64_t us = count < 0 ? 0 - raw : raw;
  std::string out = count < 0 ? "-" : "";
  if (us < 1000) return out + std::to_string(us) + "\xC2\xB5s";
  if (us < 1000000) return out + std::to_string(us / 1000) + Fraction(us % 1000, 3) + "ms";
  const std::uint64_t seconds = us / 1000000;
  if (seconds >= 3600) out += std::to_string(seconds / 3600) + "h";
  if (seconds >= 60) out += std::to_string(seconds / 60 % 60) + "m";
  return out + std::to_string(seconds % 60) + Fraction(us % 1000000, 6) + "s";
}

std::string HumanDuration(Duration duration) {
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  // Clocks of two machines differ; less than two seconds in the future counts as now.
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return std::to_string(seconds) + "s";
  const std::int64_t minutes = seconds / 60;
  if (minutes < 10) return TwoParts(minutes, 'm', seconds % 60, 's');
  if (minutes < 3 * 60) return std::to_string(minutes) + "m";
  const std::int64_t hours = minutes / 60;
  if (hours < 8) return TwoParts(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return std::to_string(hours) + "h";
  const std::int64_t days = hours / 24;
  if (days < 8) return TwoParts(days, 'd', hours % 24, 'h');
  if (days < 2 * 365) return std::to_string(days) + "d";
  const std::int64_t years = days / 365;
  return years < 8 ? TwoParts(years, 'y', days % 365, 'd') : std::to_string(years) + "y";
}

}  // namespace asyncops
