// How long a list or a watch that ended waits for its successor.
#ifndef ASYNCOPS_KUBE_WATCH_BACKOFF_H_
#define ASYNCOPS_KUBE_WATCH_BACKOFF_H_

#include <algorithm>

#include "base/clock.h"
#include "base/status.h"

namespace asyncops::kube {

// Used by one thread.
class WatchBackoff {
 public:
  // A watch that lived for this long was one.
  static constexpr std::chrono::seconds kLived{1};

  WatchBackoff(Duration least, Duration most) : least_(least), most_(most), next_(least) {}

  // After a watch that lived for so long, or a list that failed (0). `fraction` in [0, 1) is
  // jitter, half of the wait either way. What the server asks for is the least of it.
  Duration After(const Status& end, Duration lived, double fraction) {
    const Duration asked = std::chrono::seconds(end.details().retry_after_seconds);
    if (lived >= kLived) {
      next_ = least_;
      return asked;
    }
    const auto wait = std::chrono::duration_cast<Duration>(next_ * (0.5 + fraction));
    next_ = std::min(next_ * 2, most_);
    return std::max(asked, std::min(wait, most_));
  }

 private:
  const Duration least_;
  const Duration most_;
  Duration next_;
};

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_WATCH_BACKOFF_H_
