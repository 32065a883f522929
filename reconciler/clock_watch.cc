#include "reconciler/clock_watch.h"

namespace asyncops::reconciler {
namespace {

constexpr std::size_t kMaxJumps = 64;

}  // namespace

ClockWatch::ClockWatch(const Clock& clock)
    : clock_(clock), wall_(clock.Now()), steady_(clock.SteadyNow()) {}

Duration ClockWatch::Look() {
  const MutexLock lock(mutex_);
  const Time wall = clock_.Now();
  const SteadyTime steady = clock_.SteadyNow();
  const Time expected = wall_ + std::chrono::duration_cast<Duration>(steady - steady_);
  const Duration jump = wall - expected;
  // Small differences add up until they count.
  if (jump < kClockJump && jump > -kClockJump) return total_;
  if (jump > Duration::zero()) {
    if (ahead_.size() == kMaxJumps) ahead_.erase(ahead_.begin());
    ahead_.push_back({.before = expected, .by = jump});
  }
  wall_ = wall;
  steady_ = steady;
  total_ += jump;
  return total_;
}

Time ClockWatch::Moved(Time written) const {
  const MutexLock lock(mutex_);
  for (const Jump& jump : ahead_) {
    if (written <= jump.before) written += jump.by;
  }
  return written;
}

}  // namespace asyncops::reconciler
