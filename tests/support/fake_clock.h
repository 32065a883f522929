// A clock that stands still until a test moves it.
#ifndef ASYNCOPS_TESTS_SUPPORT_FAKE_CLOCK_H_
#define ASYNCOPS_TESTS_SUPPORT_FAKE_CLOCK_H_

#include "base/clock.h"
#include "base/mutex.h"

namespace asyncops {

// Starts at 2026-01-01T00:00:00Z and an hour of steady time. Safe for use from several threads.
class FakeClock final : public Clock {
 public:
  FakeClock() = default;
  // Starts at this wall-clock time.
  explicit FakeClock(Time now) : now_(now) {}

  Time Now() const override ASYNCOPS_EXCLUDES(mutex_);
  SteadyTime SteadyNow() const override ASYNCOPS_EXCLUDES(mutex_);

  // Moves both clocks on.
  void Advance(std::chrono::nanoseconds by) ASYNCOPS_EXCLUDES(mutex_);
  // Sets the wall clock alone, also back, as an administrator or NTP does.
  void SetNow(Time now) ASYNCOPS_EXCLUDES(mutex_);
  void SetSteadyNow(SteadyTime now) ASYNCOPS_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  Time now_ ASYNCOPS_GUARDED_BY(mutex_) = std::chrono::sys_days(std::chrono::year(2026) /
                                                                std::chrono::January / 1);
  // Of the wall clock, below its microsecond: what Advance has not shown yet.
  std::chrono::nanoseconds rest_ ASYNCOPS_GUARDED_BY(mutex_){0};
  SteadyTime steady_now_ ASYNCOPS_GUARDED_BY(mutex_){std::chrono::hours(1)};
};

}  // namespace asyncops

#endif  // ASYNCOPS_TESTS_SUPPORT_FAKE_CLOCK_H_
