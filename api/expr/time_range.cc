#include "api/expr/time_range.h"

#include "base/rfc3339.h"

namespace asyncops::expr {
namespace {

using std::chrono::seconds;

constexpr Time kFirstTime{seconds{-62135596800}};  // 0001-01-01T00:00:00Z
constexpr Time kLastTime{seconds{253402300800} - std::chrono::microseconds{1}};  // end of year 9999
constexpr Duration kLongest = seconds{315576000000};

// Drops the zeros at the end of a fraction, and the point with nothing after it.
void TrimFraction(std::string* text) {
  text->erase(text->find_last_not_of('0') + 1);
  if (text->back() == '.') text->pop_back();
}

}  // namespace

Evaluated TimeInRange(Time time) {
  if (time < kFirstTime || time > kLastTime) return ErrorFault("timestamp out of range");
  return Value(time);
}

Evaluated DurationInRange(Duration duration) {
  if (duration < -kLongest || duration > kLongest) return ErrorFault("duration out of range");
  return Value(duration);
}

std::string TimeText(Time time) {
  std::string text = FormatMicroTime(time);
  text.pop_back();  // the Z
  TrimFraction(&text);
  return text + "Z";
}

std::string DurationText(Duration duration) {
  const bool negative = duration < Duration::zero();
  const Duration length = negative ? -duration : duration;
  const auto whole = std::chrono::floor<seconds>(length);
  std::string fraction = std::to_string((length - whole).count());
  fraction.insert(0, 6 - fraction.size(), '0');
  std::string text = std::to_string(whole.count()) + "." + fraction;
  TrimFraction(&text);
  return (negative ? "-" : "") + text + "s";
}

}  // namespace asyncops::expr
