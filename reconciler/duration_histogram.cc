#include "reconciler/duration_histogram.h"

#include <algorithm>
#include <chrono>

#include "base/metric_text.h"

namespace asyncops::reconciler {

DurationHistogram::DurationHistogram(std::span<const double> bounds)
    : bounds_(bounds), counts_(bounds.size() + 1) {}

void DurationHistogram::Observe(Duration duration) {
  const double seconds = std::chrono::duration<double>(duration).count();
  const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), seconds) - bounds_.begin();
  counts_[static_cast<std::size_t>(at)].fetch_add(1, std::memory_order_relaxed);
  microseconds_.fetch_add(duration.count(), std::memory_order_relaxed);
}

void DurationHistogram::AppendTo(std::string_view name, std::string_view labels,
                                 std::string* out) const {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    sum += counts_[i].load(std::memory_order_relaxed);
    const std::string bound = i < bounds_.size() ? MetricNumber(bounds_[i]) : "+Inf";
    AppendMetricSample(
        std::string(name).append("_bucket"),
        std::string(labels).append(labels.empty() ? "le=\"" : ",le=\"").append(bound).append("\""),
        static_cast<double>(sum), out);
  }
  const auto total = static_cast<double>(microseconds_.load(std::memory_order_relaxed));
  AppendMetricSample(std::string(name).append("_sum"), labels, total / 1e6, out);
  AppendMetricSample(std::string(name).append("_count"), labels, static_cast<double>(sum), out);
}

}  // namespace asyncops::reconciler
