// What is counted about callbacks.
#ifndef ASYNCOPS_RECONCILER_CALLBACK_METRICS_H_
#define ASYNCOPS_RECONCILER_CALLBACK_METRICS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "reconciler/reconcile_metrics.h"

namespace asyncops::reconciler {

// Safe for use from several threads.
class CallbackMetrics {
 public:
  CallbackMetrics();

  // `scheme` as ExternalSystem writes it, "" where nobody could know it; both come from a small
  // set.
  void Count(std::string_view scheme, std::string_view result) ASYNCOPS_EXCLUDES(mutex_);
  // From the receipt of a callback to the record of what it led to.
  void ObserveLatency(Duration latency) { latency_.Observe(latency); }

  std::int64_t CountOf(std::string_view scheme, std::string_view result) const
      ASYNCOPS_EXCLUDES(mutex_);
  // Prometheus text.
  std::string Text() const ASYNCOPS_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::int64_t> counts_ ASYNCOPS_GUARDED_BY(mutex_);
  DurationHistogram latency_;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_CALLBACK_METRICS_H_
