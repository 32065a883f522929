#include "api/expr/time_functions.h"

namespace asyncops::expr {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::year_month_day;

// Calls `part` with the time, or names the function in the error.
Evaluated OfTime(std::string_view name, const Value& value, std::int64_t (*part)(Time)) {
  if (value.time() == nullptr) return NoOverload(name, {&value});
  return Json(part(*value.time()));
}

year_month_day Date(Time time) { return year_month_day(floor<days>(time)); }

// The unit within the next larger one of a time of day, or the whole number of units of a duration.
template <class Unit, class Larger>
Evaluated OfTimeOrDuration(std::string_view name, const Value& value) {
  if (value.time() != nullptr) {
    const auto within =
        value.time()->time_since_epoch() - floor<Larger>(value.time()->time_since_epoch());
    return Json(floor<Unit>(within).count());
  }
  if (value.duration() != nullptr) {
    return Json(std::chrono::duration_cast<Unit>(*value.duration()).count());
  }
  return NoOverload(name, {&value});
}

}  // namespace

Evaluated GetFullYear(std::span<const Value> args, const CallContext& /*context*/) {
  return OfTime("getFullYear", args[0],
                [](Time time) -> std::int64_t { return static_cast<int>(Date(time).year()); });
}

Evaluated GetMonth(std::span<const Value> args, const CallContext& /*context*/) {
  return OfTime("getMonth", args[0], [](Time time) -> std::int64_t {
    return static_cast<unsigned>(Date(time).month()) - 1;
  });
}

Evaluated GetDate(std::span<const Value> args, const CallContext& /*context*/) {
  return OfTime("getDate", args[0],
                [](Time time) -> std::int64_t { return static_cast<unsigned>(Date(time).day()); });
}

Evaluated GetDayOfMonth(std::span<const Value> args, const CallContext& /*context*/) {
  return OfTime("getDayOfMonth", args[0], [](Time time) -> std::int64_t {
    return static_cast<unsigned>(Date(time).day()) - 1;
  });
}

Evaluated GetDayOfWeek(std::span<const Value> args, const CallContext& /*context*/) {
  return OfTime("getDayOfWeek", args[0], [](Time time) -> std::int64_t {
    return std::chrono::weekday(floor<days>(time)).c_encoding();
  });
}

Evaluated GetDayOfYear(std::span<const Value> args, const CallContext& /*context*/) {
  return OfTime("getDayOfYear", args[0], [](Time time) -> std::int64_t {
    const std::chrono::sys_days first = Date(time).year() / std::chrono::January / 1;
    return (floor<days>(time) - first).count();
  });
}

Evaluated GetHours(std::span<const Value> args, const CallContext& /*context*/) {
  return OfTimeOrDuration<std::chrono::hours, days>("getHours", args[0]);
}

Evaluated GetMinutes(std::span<const Value> args, const CallContext& /*context*/) {
  return OfTimeOrDuration<std::chrono::minutes, std::chrono::hours>("getMinutes", args[0]);
}

Evaluated GetSeconds(std::span<const Value> args, const CallContext& /*context*/) {
  return OfTimeOrDuration<std::chrono::seconds, std::chrono::minutes>("getSeconds", args[0]);
}

Evaluated GetMilliseconds(std::span<const Value> args, const CallContext& /*context*/) {
  using std::chrono::milliseconds;
  // Of a duration too, the part within the second (cel-spec, unlike its other getters).
  const Value& value = args[0];
  if (value.duration() != nullptr) {
    return Json(std::chrono::duration_cast<milliseconds>(*value.duration()).count() % 1000);
  }
  return OfTimeOrDuration<milliseconds, std::chrono::seconds>("getMilliseconds", value);
}

}  // namespace asyncops::expr
