#include "api/expr/conversions.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "api/expr/number_text.h"
#include "api/expr/time_range.h"
#include "base/duration.h"
#include "base/rfc3339.h"

namespace asyncops::expr {
namespace {

template <class Number>
std::optional<Number> ParseNumber(std::string_view text) {
  // from_chars knows no plus sign.
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  Number number{};
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

Evaluated DoubleToInt(double number) {
  // The bounds themselves are refused: they are what a larger int64 rounds to.
  constexpr double kBound = 9223372036854775808.0;
  if (!(number > -kBound && number < kBound)) return ErrorFault("integer out of range");
  return Json(static_cast<std::int64_t>(number));
}

}  // namespace

Evaluated ToInt(std::span<const Value> args, const CallContext& /*context*/) {
  const Value& value = args[0];
  if (value.integer()) return Json(*value.integer());
  if (value.real()) return DoubleToInt(*value.real());
  if (value.time() != nullptr) {
    return Json(std::chrono::floor<std::chrono::seconds>(*value.time()).time_since_epoch().count());
  }
  if (value.string() == nullptr) return NoOverload("int", {&value});
  const auto number = ParseNumber<std::int64_t>(*value.string());
  if (!number) return ErrorFault("int: the string is no integer, or out of range");
  return Json(*number);
}

Evaluated ToDouble(std::span<const Value> args, const CallContext& /*context*/) {
  const Value& value = args[0];
  if (value.is_number()) return Json(value.json()->as_double());
  if (value.string() == nullptr) return NoOverload("double", {&value});
  const auto number = ParseNumber<double>(*value.string());
  if (!number) return ErrorFault("double: the string is no number, or out of range");
  return Json(*number);
}

Evaluated ToString(std::span<const Value> args, const CallContext& context) {
  const Value& value = args[0];
  if (const std::string* text = value.string()) {
    if (!context.budget->SpendBytes(text->size())) return TooManySteps();
    if (text->size() > kMaxExpressionOutputBytes) return TooLong();
    return Json(*text);
  }
  if (value.boolean()) return Json(*value.boolean() ? "true" : "false");
  if (value.integer()) return Json(std::to_string(*value.integer()));
  if (value.real()) return Json(DoubleText(*value.real()));
  if (value.time() != nullptr) return Json(TimeText(*value.time()));
  if (value.duration() != nullptr) return Json(DurationText(*value.duration()));
  return NoOverload("string", {&value});
}

Evaluated ToBool(std::span<const Value> args, const CallContext& /*context*/) {
  const Value& value = args[0];
  if (value.boolean()) return Json(*value.boolean());
  if (value.string() == nullptr) return NoOverload("bool", {&value});
  const std::string& text = *value.string();
  for (const std::string_view word : {"true", "TRUE", "True", "t", "1"}) {
    if (text == word) return Json(true);
  }
  for (const std::string_view word : {"false", "FALSE", "False", "f", "0"}) {
    if (text == word) return Json(false);
  }
  return ErrorFault("bool: the string is neither \"true\" nor \"false\"");
}

Evaluated ToTimestamp(std::span<const Value> args, const CallContext& /*context*/) {
  const Value& value = args[0];
  if (value.time() != nullptr) return Value(*value.time());
  if (value.integer()) {
    // Far inside what Time holds, far outside what is allowed: the sum cannot overflow.
    constexpr std::int64_t kFar = std::int64_t{1} << 40U;
    if (*value.integer() < -kFar || *value.integer() > kFar) {
      return ErrorFault("timestamp out of range");
    }
    return TimeInRange(Time(std::chrono::seconds(*value.integer())));
  }
  if (value.string() == nullptr) return NoOverload("timestamp", {&value});
  const auto time = ParseTime(*value.string());
  if (!time) return ErrorFault("timestamp: the string is no RFC 3339 time, or out of range");
  return TimeInRange(*time);
}

Evaluated ToDuration(std::span<const Value> args, const CallContext& /*context*/) {
  const Value& value = args[0];
  if (value.duration() != nullptr) return Value(*value.duration());
  if (value.string() == nullptr) return NoOverload("duration", {&value});
  const auto duration = ParseDuration(*value.string());
  if (!duration) return ErrorFault("duration: the string is no duration, or out of range");
  return DurationInRange(*duration);
}

}  // namespace asyncops::expr
