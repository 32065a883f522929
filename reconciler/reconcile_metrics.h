// What the reconciler counts about its work, under the names of controller-runtime and of
// client-go's workqueue.
#ifndef ASYNCOPS_RECONCILER_RECONCILE_METRICS_H_
#define ASYNCOPS_RECONCILER_RECONCILE_METRICS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "reconciler/work_queue.h"

namespace asyncops::reconciler {

// Counts of durations, as Prometheus' histograms have them. Safe for use from several threads.
class DurationHistogram {
 public:
  // Upper bounds in seconds, rising.
  explicit DurationHistogram(std::span<const double> bounds);

  void Observe(Duration duration);
  // NAME_bucket, NAME_sum and NAME_count in Prometheus text; `labels` is `a="b"`.
  void AppendTo(std::string_view name, std::string_view labels, std::string* out) const;

 private:
  const std::span<const double> bounds_;
  std::vector<std::atomic<std::int64_t>> counts_;  // below each bound, and above all
  std::atomic<std::int64_t> microseconds_{0};
};

enum class ReconcileResult { kSuccess, kRequeueAfter, kError };

// Shared by all shards. Safe for use from several threads.
class ReconcileMetrics {
 public:
  ReconcileMetrics();

  void CountAdd() { adds_.fetch_add(1, std::memory_order_relaxed); }
  void CountRetry() { retries_.fetch_add(1, std::memory_order_relaxed); }
  // How long a key that became due waited for its thread.
  void ObserveWait(Duration wait) { waits_.Observe(wait); }
  void ObserveReconcile(WorkKey::Kind kind, ReconcileResult result, Duration took);

  // Prometheus text. `due` keys wait for a thread now, `workers` threads could take them.
  std::string Text(std::int64_t due, std::int64_t workers) const;

 private:
  // Of one kind of object.
  struct Controller {
    explicit Controller(std::string_view controller_name);
    const std::string name;
    std::array<std::atomic<std::int64_t>, 3> results = {};  // by ReconcileResult
    DurationHistogram seconds;
  };

  void AppendControllers(std::int64_t workers, std::string* out) const;

  std::atomic<std::int64_t> adds_{0};
  std::atomic<std::int64_t> retries_{0};
  DurationHistogram waits_;
  DurationHistogram work_;
  Controller resources_;
  Controller operations_;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_RECONCILE_METRICS_H_
