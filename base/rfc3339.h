// Times as Kubernetes writes them.
#ifndef ASYNCOPS_BASE_RFC3339_H_
#define ASYNCOPS_BASE_RFC3339_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace asyncops {

// "2026-11-29T16:47:53Z": metav1.Time, cut to the second.
std::string FormatTime(Time time);
// "2026-11-29T16:47:53.000123Z": metav1.MicroTime.
std::string FormatMicroTime(Time time);
// RFC 3339 with any fraction and offset, years 0001 to 9999; nothing where the text is no such
// time.
std::optional<Time> ParseTime(std::string_view text);
// The three forms of an HTTP-date (RFC 9110 5.6.7); nothing where the text is none of them.
std::optional<Time> ParseHttpDate(std::string_view text);
// "Sun, 29 Nov 2026 16:47:53 GMT".
std::string FormatHttpDate(Time time);

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_RFC3339_H_
