// Tells those who send much that is refused.
#ifndef ASYNCOPS_CALLBACKS_SOURCE_LIMITER_H_
#define ASYNCOPS_CALLBACKS_SOURCE_LIMITER_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"

namespace asyncops::callbacks {

// A bucket of refusals for each address (each /64 of IPv6), refilled with time. What is accepted
// costs nothing. Safe for use from several threads.
class SourceLimiter {
 public:
  // Refusals in a row that an address has, and the time in which one of them is forgiven.
  static constexpr int kBurst = 20;
  static constexpr std::chrono::seconds kForgiven{1};
  // Addresses that are remembered; beyond them all others share one bucket.
  static constexpr std::size_t kMaxSources = 4096;

  // `address` is "127.0.0.1:51234" or "[::1]:51234". Nothing where it may go on; else for how long
  // it may not.
  std::optional<Duration> Blocked(std::string_view address, SteadyTime now)
      ASYNCOPS_EXCLUDES(mutex_);
  void CountRefusal(std::string_view address, SteadyTime now) ASYNCOPS_EXCLUDES(mutex_);

 private:
  // Refusals are counted as the time at which the last of them is forgiven.
  SteadyTime& BucketOf(const std::string& source, SteadyTime now) ASYNCOPS_REQUIRES(mutex_);

  Mutex mutex_;
  std::map<std::string, SteadyTime, std::less<>> buckets_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::callbacks

#endif  // ASYNCOPS_CALLBACKS_SOURCE_LIMITER_H_
