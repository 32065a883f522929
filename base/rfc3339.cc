#include "base/rfc3339.h"

#include <array>
#include <chrono>

#include "base/ascii.h"

namespace asyncops {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
// From Sunday on, as std::chrono::weekday counts.
constexpr std::array<std::string_view, 7> kWeekdays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};
constexpr std::size_t kShortWeekday = 3;

struct CivilTime {
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
};

// Reads a text from its front; each step says whether it matched.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool Done() const { return rest_.empty(); }

  // Exactly `count` decimal digits.
  bool Digits(std::size_t count, int* value) {
    if (rest_.size() < count) return false;
    *value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!IsDigit(rest_[i])) return false;
      *value = *value * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(count);
    return true;
  }

  bool Literal(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  // The name's place in the list, counted from 1; each name cut to `length` where that is not 0.
  template <std::size_t N>
  bool OneOf(const std::array<std::string_view, N>& names, std::size_t length, int* place) {
    for (std::size_t i = 0; i < N; ++i) {
      if (!Literal(length == 0 ? names[i] : names[i].substr(0, length))) continue;
      *place = static_cast<int>(i) + 1;
      return true;
    }
    return false;
  }

  // A fraction of a second after the point, cut to the microsecond; at least one digit.
  bool Fraction(microseconds* value) {
    if (rest_.empty() || !IsDigit(rest_.front())) return false;
    *value = microseconds(0);
    for (int place = 100000; !rest_.empty() && IsDigit(rest_.front()); place /= 10) {
      *value += microseconds((rest_.front() - '0') * place);
      rest_.remove_prefix(1);
    }
    return true;
  }

  // "HH:MM:SS".
  bool TimeOfDay(CivilTime* out) {
    return Digits(2, &out->hour) && Literal(":") && Digits(2, &out->minute) && Literal(":") &&
           Digits(2, &out->second);
  }

 private:
  std::string_view rest_;
};

// Leap seconds are refused, as Go does: Unix time has none.
std::optional<Time> ToTime(const CivilTime& civil) {
  const std::chrono::year_month_day date{std::chrono::year(civil.year),
                                         std::chrono::month(static_cast<unsigned>(civil.month)),
                                         std::chrono::day(static_cast<unsigned>(civil.day))};
  if (civil.year < 1 || civil.year > 9999 || !date.ok()) return std::nullopt;
  if (civil.hour > 23 || civil.minute > 59 || civil.second > 59) return std::nullopt;
  return Time(sys_days(date)) + hours(civil.hour) + minutes(civil.minute) + seconds(civil.second);
}

CivilTime FromTime(Time time) {
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<seconds>(time - day));
  return {.year = static_cast<int>(date.year()),
          .month = static_cast<int>(static_cast<unsigned>(date.month())),
          .day = static_cast<int>(static_cast<unsigned>(date.day())),
          .hour = static_cast<int>(clock.hours().count()),
          .minute = static_cast<int>(clock.minutes().count()),
          .second = static_cast<int>(clock.seconds().count())};
}

// At least `width` digits.
void AppendPadded(std::int64_t value, std::size_t width, std::string* out) {
  const std::string digits = std::to_string(value);
  if (digits.size() < width) out->append(width - digits.size(), '0');
  out->append(digits);
}

void AppendTimeOfDay(const CivilTime& civil, std::string* out) {
  AppendPadded(civil.hour, 2, out);
  out->push_back(':');
  AppendPadded(civil.minute, 2, out);
  out->push_back(':');
  AppendPadded(civil.second, 2, out);
}

// "2026-11-29T16:47:53".
std::string FormatDateTime(const CivilTime& civil) {
  std::string out;
  AppendPadded(civil.year, 4, &out);
  out.push_back('-');
  AppendPadded(civil.month, 2, &out);
  out.push_back('-');
  AppendPadded(civil.day, 2, &out);
  out.push_back('T');
  AppendTimeOfDay(civil, &out);
  return out;
}

// "Z" or "+01:00": how far local time is ahead of UTC.
bool ScanOffset(Scanner* scanner, minutes* offset) {
  *offset = minutes(0);
  if (scanner->Literal("Z") || scanner->Literal("z")) return true;
  const bool east = scanner->Literal("+");
  if (!east && !scanner->Literal("-")) return false;
  int hour = 0;
  int minute = 0;
  if (!scanner->Digits(2, &hour) || !scanner->Literal(":") || !scanner->Digits(2, &minute))
    return false;
  if (hour > 23 || minute > 59) return false;
  *offset = (hours(hour) + minutes(minute)) * (east ? 1 : -1);
  return true;
}

// "Sun, 06 Nov 1994 08:49:37 GMT".
bool ScanImfFixdate(Scanner scanner, CivilTime* out) {
  int weekday = 0;
  return scanner.OneOf(kWeekdays, kShortWeekday, &weekday) && scanner.Literal(", ") &&
         scanner.Digits(2, &out->day) && scanner.Literal(" ") &&
         scanner.OneOf(kMonths, 0, &out->month) && scanner.Literal(" ") &&
         scanner.Digits(4, &out->year) && scanner.Literal(" ") && scanner.TimeOfDay(out) &&
         scanner.Literal(" GMT") && scanner.Done();
}

// "Sunday, 06-Nov-94 08:49:37 GMT", as RFC 850 had it.
bool ScanRfc850Date(Scanner scanner, CivilTime* out) {
  int weekday = 0;
  if (!scanner.OneOf(kWeekdays, 0, &weekday) || !scanner.Literal(", ") ||
      !scanner.Digits(2, &out->day) || !scanner.Literal("-") ||
      !scanner.OneOf(kMonths, 0, &out->month) || !scanner.Literal("-") ||
      !scanner.Digits(2, &out->year) || !scanner.Literal(" ") || !scanner.TimeOfDay(out) ||
      !scanner.Literal(" GMT") || !scanner.Done())
    return false;
  // POSIX's window for two-digit years: 1969 to 2068.
  out->year += out->year >= 69 ? 1900 : 2000;
  return true;
}

// "Sun Nov  6 08:49:37 1994", as C's asctime prints.
bool ScanAsctimeDate(Scanner scanner, CivilTime* out) {
  int weekday = 0;
  if (!scanner.OneOf(kWeekdays, kShortWeekday, &weekday) || !scanner.Literal(" ") ||
      !scanner.OneOf(kMonths, 0, &out->month) || !scanner.Literal(" "))
    return false;
  const std::size_t day_digits = scanner.Literal(" ") ? 1 : 2;
  return scanner.Digits(day_digits, &out->day) && scanner.Literal(" ") && scanner.TimeOfDay(out) &&
         scanner.Literal(" ") && scanner.Digits(4, &out->year) && scanner.Done();
}

}  // namespace

std::string FormatTime(Time time) { return FormatDateTime(FromTime(time)) + "Z"; }

std::string FormatMicroTime(Time time) {
  std::string out = FormatDateTime(FromTime(time));
  out.push_back('.');
  AppendPadded((time - std::chrono::floor<seconds>(time)).count(), 6, &out);
  out.push_back('Z');
  return out;
}

std::optional<Time> ParseTime(std::string_view text) {
  Scanner scanner(text);
  CivilTime civil;
  if (!scanner.Digits(4, &civil.year) || !scanner.Literal("-") ||
      !scanner.Digits(2, &civil.month) || !scanner.Literal("-") || !scanner.Digits(2, &civil.day))
    return std::nullopt;
  if (!scanner.Literal("T") && !scanner.Literal("t")) return std::nullopt;
  if (!scanner.TimeOfDay(&civil)) return std::nullopt;
  microseconds fraction(0);
  if (scanner.Literal(".") && !scanner.Fraction(&fraction)) return std::nullopt;
  minutes offset(0);
  if (!ScanOffset(&scanner, &offset) || !scanner.Done()) return std::nullopt;
  const std::optional<Time> local = ToTime(civil);
  if (!local) return std::nullopt;
  const Time time = *local + fraction - offset;
  const int year = FromTime(time).year;
  if (year < 1 || year > 9999) return std::nullopt;
  return time;
}

std::optional<Time> ParseHttpDate(std::string_view text) {
  const Scanner scanner(text);
  CivilTime civil;
  if (ScanImfFixdate(scanner, &civil) || ScanRfc850Date(scanner, &civil) ||
      ScanAsctimeDate(scanner, &civil))
    return ToTime(civil);
  return std::nullopt;
}

std::string FormatHttpDate(Time time) {
  const CivilTime civil = FromTime(time);
  const std::chrono::weekday weekday(std::chrono::floor<days>(time));
  std::string out(kWeekdays[weekday.c_encoding()].substr(0, kShortWeekday));
  out.append(", ");
  AppendPadded(civil.day, 2, &out);
  out.push_back(' ');
  out.append(kMonths[static_cast<std::size_t>(civil.month) - 1]);
  out.push_back(' ');
  AppendPadded(civil.year, 4, &out);
  out.push_back(' ');
  AppendTimeOfDay(civil, &out);
  out.append(" GMT");
  return out;
}

}  // namespace asyncops
