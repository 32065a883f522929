#include "apiserver/http/date_line.h"

#include <array>
#include <cstdio>

namespace asyncops::http {
namespace {

// RFC 9110 5.6.7, IMF-fixdate.
std::string MakeLine(std::chrono::sys_seconds now) {
  constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(now - day);
  std::array<char, 64> text{};
  const int size = std::snprintf(
      text.data(), text.size(), "Date: %s, %02u %s %04d %02d:%02d:%02d GMT\r\n",
      kDays[std::chrono::weekday(day).c_encoding()], static_cast<unsigned>(date.day()),
      kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
      static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
      static_cast<int>(time.seconds().count()));
  return std::string(text.data(), static_cast<std::size_t>(size));
}

}  // namespace

void DateLine::AppendTo(std::string* out) {
  const auto now = std::chrono::floor<std::chrono::seconds>(clock_.Now());
  const MutexLock lock(mutex_);
  if (now != second_ || line_.empty()) {
    second_ = now;
    line_ = MakeLine(now);
  }
  out->append(line_);
}

}  // namespace asyncops::http
