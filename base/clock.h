// Time as a seam: nothing else in the project asks the operating system what time it is.
#ifndef ASYNCOPS_BASE_CLOCK_H_
#define ASYNCOPS_BASE_CLOCK_H_

#include <chrono>

namespace asyncops {

// A point of wall-clock time (UTC), to the microsecond: what is stored and shown.
using Time = std::chrono::sys_time<std::chrono::microseconds>;
using Duration = std::chrono::microseconds;
// A point on a clock that never jumps: what timeouts and rates are measured on.
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;

// Safe for use from several threads.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time Now() const = 0;
  virtual SteadyTime SteadyNow() const = 0;
};

// The operating system's clocks.
class SystemClock final : public Clock {
 public:
  Time Now() const override;
  SteadyTime SteadyNow() const override;
};

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_CLOCK_H_
