#include "tests/support/fake_clock.h"

namespace asyncops {

Time FakeClock::Now() const {
  const MutexLock lock(mutex_);
  return now_;
}

SteadyTime FakeClock::SteadyNow() const {
  const MutexLock lock(mutex_);
  return steady_now_;
}

void FakeClock::Advance(std::chrono::nanoseconds by) {
  const MutexLock lock(mutex_);
  steady_now_ += by;
  rest_ += by;
  const auto whole = std::chrono::floor<std::chrono::microseconds>(rest_);
  now_ += whole;
  rest_ -= whole;
}

void FakeClock::SetNow(Time now) {
  const MutexLock lock(mutex_);
  now_ = now;
  rest_ = std::chrono::nanoseconds(0);
}

void FakeClock::SetSteadyNow(SteadyTime now) {
  const MutexLock lock(mutex_);
  steady_now_ = now;
}

}  // namespace asyncops
