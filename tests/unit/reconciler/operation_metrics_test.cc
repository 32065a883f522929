#include "reconciler/operation_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/operation_states.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

OperationState In(std::string_view state, int retries = 0) {
  OperationState next;
  next.row.state = state;
  next.row.retry_count = retries;
  return next;
}

TEST(OperationMetricsTest, CountsUnfinishedOperationsByTheirState) {
  OperationMetrics metrics;
  metrics.Move("", "Pending");
  metrics.Move("", "Pending");
  metrics.Move("Pending", "Running");
  metrics.Move("Running", "OutcomeUnknown");
  std::string text = metrics.Text({});
  EXPECT_THAT(text, HasSubstr("async_operations{phase=\"Pending\",state=\"Pending\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("async_operations{phase=\"Running\",state=\"Running\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("async_outcome_unknown 1\n"));
  metrics.Move("OutcomeUnknown", "");
  EXPECT_THAT(metrics.Text({}), HasSubstr("async_outcome_unknown 0\n"));
}

TEST(OperationMetricsTest, CountsStepsByWhatCameOfThem) {
  OperationMetrics metrics;
  const OperationState submitted = In(state::kSubmitted);
  const OperationState recovering = In(state::kRecovering, 1);
  const OperationState waiting = In(state::kBackoff, 12);
  const Time now{};
  const auto see = [&metrics, now](const WrittenStep& step) {
    metrics.ObserveStep(step, RetryPolicy(), now);
  };
  see({"JobStatus", "Submit", "", "Intent", 0, submitted});
  see({"JobStatus", "Submit", "Ambiguous", "Intent", 0, recovering});
  see({"JobStatus", "Submit", "", "Recovering", 1, submitted});
  see({"Custom", "Submit", "Recoverable", "Intent", 11, waiting});
  see({"Custom", "Lookup", "", "Recovering", 0, submitted});
  see({"Custom", "Lookup", "", "Recovering", 1, recovering});
  see({"Custom", "Park", "", "Recovering", 1, In(state::kOutcomeUnknown, 1)});
  see({"Custom", "Adopt", "", "OutcomeUnknown", 0, submitted});
  see({"Custom", "Callback", "", "OutcomeUnknown", 0, submitted});
  see({"Custom", "Callback", "", "Running", 0, In(state::kSucceeded)});
  const std::string text = metrics.Text({});
  for (const char* line : {"async_submit_total{preset=\"JobStatus\",result=\"accepted\"} 2\n",
                           "async_submit_total{preset=\"JobStatus\",result=\"ambiguous\"} 1\n",
                           "async_submit_total{preset=\"Custom\",result=\"recoverable\"} 1\n",
                           "async_submit_ambiguous_total 1\n",
                           "async_recovery_total{method=\"key\",result=\"accepted\"} 1\n",
                           "async_recovery_total{method=\"lookup\",result=\"found\"} 1\n",
                           "async_recovery_total{method=\"lookup\",result=\"missing\"} 1\n",
                           "async_recovery_total{method=\"none\",result=\"parked\"} 1\n",
                           "async_recovery_total{method=\"user\",result=\"adopted\"} 1\n",
                           "async_recovery_total{method=\"callback\",result=\"adopted\"} 1\n",
                           "async_retry_total{class=\"ambiguous\",tier=\"1\"} 1\n",
                           "async_retry_total{class=\"recoverable\",tier=\"3\"} 1\n"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(OperationMetricsTest, TimesPollsAndWholeOperations) {
  OperationMetrics metrics;
  metrics.ObservePoll(milliseconds(20));
  OperationState done = In(state::kSucceeded);
  done.memo.start_time = Time(seconds(100));
  metrics.ObserveStep({"Custom", "Poll", "", "Running", 0, done}, RetryPolicy(),
                      Time(seconds(112)));
  const std::string text = metrics.Text({});
  EXPECT_THAT(text, HasSubstr("async_poll_seconds_bucket{le=\"0.025\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("async_poll_seconds_bucket{le=\"0.01\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("async_operation_duration_seconds_bucket{result=\"succeeded\","
                              "le=\"15\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("async_operation_duration_seconds_sum{result=\"succeeded\"} 12\n"));
}

TEST(OperationMetricsTest, ShowsTheCircuitsOfOrigins) {
  GateState open;
  open.origin = "https://cloud.example";
  open.circuit = Circuit::kOpen;
  EXPECT_THAT(OperationMetrics().Text({open}),
              HasSubstr("async_origin_circuit{origin=\"https://cloud.example\"} 2\n"));
}

TEST(LabelledCounterTest, HasNoMoreLabelsThanItsBound) {
  LabelledCounter counter("x_total", "X.", "a", "b");
  for (int i = 0; i < 300; ++i) counter.Count(std::to_string(i), "y");
  std::string text;
  counter.AppendTo(&text);
  EXPECT_THAT(text, HasSubstr("x_total{a=\"199\",b=\"y\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("a=\"200\"")));
  EXPECT_THAT(text, HasSubstr("x_total{a=\"other\",b=\"other\"} 100\n"));
}

}  // namespace
}  // namespace asyncops::reconciler
