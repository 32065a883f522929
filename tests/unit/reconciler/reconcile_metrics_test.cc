#include "reconciler/reconcile_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace asyncops::reconciler {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

TEST(DurationHistogramTest, CountsUpToEachBound) {
  constexpr std::array<double, 2> kBounds = {0.1, 1};
  DurationHistogram histogram(kBounds);
  for (const auto duration : {milliseconds(100), milliseconds(101), milliseconds(5000)})
    histogram.Observe(duration);
  std::string text;
  histogram.AppendTo("x_seconds", "a=\"b\"", &text);
  EXPECT_EQ(text,
            "x_seconds_bucket{a=\"b\",le=\"0.1\"} 1\n"
            "x_seconds_bucket{a=\"b\",le=\"1\"} 2\n"
            "x_seconds_bucket{a=\"b\",le=\"+Inf\"} 3\n"
            "x_seconds_sum{a=\"b\"} 5.201\n"
            "x_seconds_count{a=\"b\"} 3\n");
}

TEST(ReconcileMetricsTest, HasTheNamesThatDashboardsKnow) {
  ReconcileMetrics metrics;
  metrics.CountAdd();
  metrics.CountAdd();
  metrics.CountRetry();
  metrics.ObserveWait(milliseconds(5));
  metrics.ObserveReconcile(WorkKey::Kind::kResource, ReconcileResult::kSuccess, milliseconds(20));
  metrics.ObserveReconcile(WorkKey::Kind::kOperation, ReconcileResult::kError, milliseconds(20));
  metrics.ObserveReconcile(WorkKey::Kind::kOperation, ReconcileResult::kRequeueAfter,
                           milliseconds(20));
  const std::string text = metrics.Text(7, 16);
  for (const std::string_view line :
       {"workqueue_depth{name=\"asyncops\",controller=\"asyncops\"} 7\n",
        "workqueue_adds_total{name=\"asyncops\",controller=\"asyncops\"} 2\n",
        "workqueue_retries_total{name=\"asyncops\",controller=\"asyncops\"} 1\n",
        "workqueue_queue_duration_seconds_bucket{name=\"asyncops\",controller=\"asyncops\","
        "le=\"0.01\"} 1\n",
        "workqueue_work_duration_seconds_count{name=\"asyncops\",controller=\"asyncops\"} 3\n",
        "controller_runtime_reconcile_total{controller=\"asyncresource\",result=\"success\"} 1\n",
        "controller_runtime_reconcile_total{controller=\"asyncoperation\",result=\"error\"} 1\n",
        "controller_runtime_reconcile_total{controller=\"asyncoperation\","
        "result=\"requeue_after\"} 1\n",
        "controller_runtime_reconcile_errors_total{controller=\"asyncoperation\"} 1\n",
        "controller_runtime_reconcile_time_seconds_count{controller=\"asyncoperation\"} 2\n",
        "controller_runtime_max_concurrent_reconciles{controller=\"asyncops\"} 16\n"})
    EXPECT_THAT(text, HasSubstr(std::string(line)));
}

}  // namespace
}  // namespace asyncops::reconciler
