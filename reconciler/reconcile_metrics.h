// What the reconciler counts about its work, under the names of controller-runtime and of
// client-go's workqueue.
#ifndef ASYNCOPS_RECONCILER_RECONCILE_METRICS_H_
#define ASYNCOPS_RECONCILER_RECONCILE_METRICS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "reconciler/duration_histogram.h"
#include "reconciler/work_queue.h"

namespace asyncops::reconciler {

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

  Controller& ControllerOf(WorkKey::Kind kind);
  void AppendControllers(std::int64_t workers, std::string* out) const;

  std::atomic<std::int64_t> adds_{0};
  std::atomic<std::int64_t> retries_{0};
  DurationHistogram waits_;
  DurationHistogram work_;
  Controller resources_;
  Controller operations_;
  Controller systems_;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_RECONCILE_METRICS_H_
