// Jumps of the wall clock, seen against the steady one.
#ifndef ASYNCOPS_RECONCILER_CLOCK_WATCH_H_
#define ASYNCOPS_RECONCILER_CLOCK_WATCH_H_

#include <chrono>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"

namespace asyncops::reconciler {

// Less than this is how a clock is set right while it runs, not a jump.
inline constexpr Duration kClockJump = std::chrono::seconds(5);

// What rows hold are wall-clock times: they outlive the process. Within it, durations are true to
// the steady clock: when the wall clock jumps, stored times are moved along. A jump while no
// process runs cannot be seen. Safe for use from several threads.
class ClockWatch {
 public:
  // The clock outlives it.
  explicit ClockWatch(const Clock& clock);

  // Looks at the clocks. How far the wall clock has jumped since the start, in all: ahead is
  // positive.
  Duration Look() ASYNCOPS_EXCLUDES(mutex_);

  // A time that was written in this process, or before it, moved along with the jumps ahead that
  // came after it. What was written before a jump back cannot be told from what came after it, and
  // stays.
  Time Moved(Time written) const ASYNCOPS_EXCLUDES(mutex_);

 private:
  struct Jump {
    Time before{};  // what the wall clock would have shown
    Duration by{};
  };

  const Clock& clock_;
  mutable Mutex mutex_;
  Time wall_ ASYNCOPS_GUARDED_BY(mutex_);
  SteadyTime steady_ ASYNCOPS_GUARDED_BY(mutex_);
  Duration total_ ASYNCOPS_GUARDED_BY(mutex_){};
  std::vector<Jump> ahead_ ASYNCOPS_GUARDED_BY(mutex_);  // bounded: the oldest are forgotten
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_CLOCK_WATCH_H_
