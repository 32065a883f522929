#include "reconciler/reconcile_metrics.h"

#include <algorithm>

#include "base/metric_text.h"

namespace asyncops::reconciler {
namespace {

// controller-runtime's and client-go's bounds; below a microsecond we do not measure.
constexpr std::array<double, 40> kReconcileBounds = {
    0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
    0.7,   0.8,  0.9,   1.0,  1.25, 1.5,  1.75, 2.0,  2.5, 3.0,  3.5, 4.0,  4.5, 5,
    6,     7,    8,     9,    10,   15,   20,   25,   30,  40,   50,  60};
constexpr std::array<double, 8> kQueueBounds = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10};
constexpr std::array<std::string_view, 3> kResults = {"success", "requeue_after", "error"};
// All shards are one queue to those who look from outside.
constexpr std::string_view kQueue = "name=\"asyncops\",controller=\"asyncops\"";

std::string ControllerLabel(std::string_view name) {
  return std::string("controller=\"").append(name).append("\"");
}

}  // namespace

ReconcileMetrics::Controller::Controller(std::string_view controller_name)
    : name(controller_name), seconds(kReconcileBounds) {}

ReconcileMetrics::ReconcileMetrics()
    : waits_(kQueueBounds),
      work_(kQueueBounds),
      resources_("asyncresource"),
      operations_("asyncoperation"),
      systems_("externalsystem") {}

ReconcileMetrics::Controller& ReconcileMetrics::ControllerOf(WorkKey::Kind kind) {
  if (kind == WorkKey::Kind::kResource) return resources_;
  return kind == WorkKey::Kind::kSystem ? systems_ : operations_;
}

void ReconcileMetrics::ObserveReconcile(WorkKey::Kind kind, ReconcileResult result, Duration took) {
  Controller& controller = ControllerOf(kind);
  controller.results[static_cast<std::size_t>(result)].fetch_add(1, std::memory_order_relaxed);
  controller.seconds.Observe(took);
  work_.Observe(took);
}

void ReconcileMetrics::AppendControllers(std::int64_t workers, std::string* out) const {
  const std::array<const Controller*, 3> all = {&resources_, &operations_, &systems_};
  AppendMetricHead("controller_runtime_reconcile_total", "counter", "Reconciles by their result.",
                   out);
  for (const Controller* one : all) {
    for (std::size_t i = 0; i < kResults.size(); ++i) {
      AppendMetricSample(
          "controller_runtime_reconcile_total",
          ControllerLabel(one->name).append(",result=\"").append(kResults[i]).append("\""),
          static_cast<double>(one->results[i].load(std::memory_order_relaxed)), out);
    }
  }
  AppendMetricHead("controller_runtime_reconcile_errors_total", "counter",
                   "Reconciles that failed for a reason of our own.", out);
  for (const Controller* one : all) {
    const auto error = static_cast<std::size_t>(ReconcileResult::kError);
    AppendMetricSample("controller_runtime_reconcile_errors_total", ControllerLabel(one->name),
                       static_cast<double>(one->results[error].load(std::memory_order_relaxed)),
                       out);
  }
  AppendMetricHead("controller_runtime_reconcile_time_seconds", "histogram", "Time of a reconcile.",
                   out);
  for (const Controller* one : all) {
    one->seconds.AppendTo("controller_runtime_reconcile_time_seconds", ControllerLabel(one->name),
                          out);
  }
  AppendMetricHead("controller_runtime_max_concurrent_reconciles", "gauge",
                   "Reconciles that may run at once, of all kinds together.", out);
  AppendMetricSample("controller_runtime_max_concurrent_reconciles", ControllerLabel("asyncops"),
                     static_cast<double>(workers), out);
}

std::string ReconcileMetrics::Text(std::int64_t due, std::int64_t workers) const {
  std::string out;
  const auto append = [&out](std::string_view name, std::string_view type, std::string_view help,
                             std::int64_t value) {
    AppendMetricHead(name, type, help, &out);
    AppendMetricSample(name, kQueue, static_cast<double>(value), &out);
  };
  append("workqueue_depth", "gauge", "Keys that are due and not yet worked on.", due);
  append("workqueue_adds_total", "counter", "Keys that were added.", adds_.load());
  append("workqueue_retries_total", "counter", "Keys that came again after a failure.",
         retries_.load());
  AppendMetricHead("workqueue_queue_duration_seconds", "histogram", "Wait of a due key.", &out);
  waits_.AppendTo("workqueue_queue_duration_seconds", kQueue, &out);
  AppendMetricHead("workqueue_work_duration_seconds", "histogram", "Work on a key.", &out);
  work_.AppendTo("workqueue_work_duration_seconds", kQueue, &out);
  AppendControllers(workers, &out);
  return out;
}

}  // namespace asyncops::reconciler
