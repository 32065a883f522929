// A histogram of durations for Prometheus.
#ifndef ASYNCOPS_RECONCILER_DURATION_HISTOGRAM_H_
#define ASYNCOPS_RECONCILER_DURATION_HISTOGRAM_H_

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace asyncops::reconciler {

// Counts of durations, as Prometheus' histograms have them. Safe for use from several threads.
class DurationHistogram {
 public:
  // Upper bounds in seconds, rising.
  explicit DurationHistogram(std::span<const double> bounds);

  void Observe(Duration duration);
  // NAME_bucket, NAME_sum and NAME_count in Prometheus text; `labels` is `a="b"`, or "".
  void AppendTo(std::string_view name, std::string_view labels, std::string* out) const;

 private:
  const std::span<const double> bounds_;
  std::vector<std::atomic<std::int64_t>> counts_;  // below each bound, and above all
  std::atomic<std::int64_t> microseconds_{0};
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_DURATION_HISTOGRAM_H_
