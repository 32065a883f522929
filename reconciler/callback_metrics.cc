#include "reconciler/callback_metrics.h"

#include <array>

#include "base/metric_text.h"

namespace asyncops::reconciler {
namespace {

constexpr std::array<double, 11> kLatencyBounds = {0.001, 0.005, 0.01, 0.05, 0.1, 0.5,
                                                   1,     5,     10,   60,   600};

}  // namespace

CallbackMetrics::CallbackMetrics() : latency_(kLatencyBounds) {}

void CallbackMetrics::Count(std::string_view scheme, std::string_view result) {
  const MutexLock lock(mutex_);
  ++counts_[{std::string(scheme), std::string(result)}];
}

std::int64_t CallbackMetrics::CountOf(std::string_view scheme, std::string_view result) const {
  const MutexLock lock(mutex_);
  const auto found = counts_.find({std::string(scheme), std::string(result)});
  return found == counts_.end() ? 0 : found->second;
}

std::string CallbackMetrics::Text() const {
  std::string out;
  AppendMetricHead("async_callback_total", "counter",
                   "Callbacks by their scheme and what became of them.", &out);
  {
    const MutexLock lock(mutex_);
    for (const auto& [labels, count] : counts_) {
      AppendMetricSample("async_callback_total",
                         "scheme=\"" + labels.first + "\",result=\"" + labels.second + "\"",
                         static_cast<double>(count), &out);
    }
  }
  AppendMetricHead("async_event_latency_seconds", "histogram",
                   "From the receipt of an event to the record of what it led to.", &out);
  latency_.AppendTo("async_event_latency_seconds", "source=\"callback\"", &out);
  return out;
}

}  // namespace asyncops::reconciler
