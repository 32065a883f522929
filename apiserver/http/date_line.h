// The Date header, made once a second.
#ifndef ASYNCOPS_APISERVER_HTTP_DATE_LINE_H_
#define ASYNCOPS_APISERVER_HTTP_DATE_LINE_H_

#include <string>

#include "base/clock.h"
#include "base/mutex.h"

namespace asyncops::http {

// Safe for use from several threads.
class DateLine {
 public:
  explicit DateLine(const Clock& clock) : clock_(clock) {}
  DateLine(const DateLine&) = delete;
  DateLine& operator=(const DateLine&) = delete;

  // Appends "Date: Sun, 29 Nov 2026 16:47:53 GMT" and CRLF.
  void AppendTo(std::string* out);

 private:
  const Clock& clock_;
  Mutex mutex_;
  std::chrono::sys_seconds second_ ASYNCOPS_GUARDED_BY(mutex_){};
  std::string line_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::http

#endif  // ASYNCOPS_APISERVER_HTTP_DATE_LINE_H_
