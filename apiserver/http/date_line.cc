#include "apiserver/http/date_line.h"

#include "base/rfc3339.h"

namespace asyncops::http {

void DateLine::AppendTo(std::string* out) {
  const auto now = std::chrono::floor<std::chrono::seconds>(clock_.Now());
  const MutexLock lock(mutex_);
  if (now != second_ || line_.empty()) {
    second_ = now;
    line_ = "Date: " + FormatHttpDate(now) + "\r\n";
  }
  out->append(line_);
}

}  // namespace asyncops::http
