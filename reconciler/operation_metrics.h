// What the engine counts about operations and the calls for them. Labels are words of this program,
// never names of users' things, but for the origins that they call, of which some are shown.
#ifndef ASYNCOPS_RECONCILER_OPERATION_METRICS_H_
#define ASYNCOPS_RECONCILER_OPERATION_METRICS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "reconciler/duration_histogram.h"
#include "reconciler/origin_gate.h"
#include "reconciler/transition.h"

namespace asyncops::reconciler {

// Counts by the values of two labels. Safe for use from several threads.
class LabelledCounter {
 public:
  // A label without a name is left out.
  LabelledCounter(std::string_view name, std::string_view help, std::string_view first,
                  std::string_view second)
      : name_(name), help_(help), first_(first), second_(second) {}

  // Both values need no escape. Beyond 200 pairs all are counted under "other".
  void Count(std::string_view first, std::string_view second) ASYNCOPS_EXCLUDES(mutex_);
  void AppendTo(std::string* out) const ASYNCOPS_EXCLUDES(mutex_);

 private:
  const std::string_view name_;
  const std::string_view help_;
  const std::string_view first_;
  const std::string_view second_;
  mutable Mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::int64_t> counts_ ASYNCOPS_GUARDED_BY(mutex_);
};

// A step that was written, for one statement.
struct WrittenStep {
  std::string_view preset;
  std::string_view action;       // of its line of history; "" for none
  std::string_view error_class;  // of the same
  std::string_view from;         // the row's state before
  std::int64_t retries = 0;      // the row's count before
  const OperationState& next;
};

// Shared by all shards. Safe for use from several threads.
class OperationMetrics {
 public:
  OperationMetrics();

  void ObserveStep(const WrittenStep& step, const RetryPolicy& retry, Time now);
  void ObservePoll(Duration took) { polls_.Observe(took); }

  // An unfinished operation went from one state to another; "" where there was none, or is none.
  void Move(std::string_view from, std::string_view to);

  // Prometheus text.
  std::string Text(const std::vector<GateState>& origins) const;

 private:
  static constexpr std::size_t kStates = 9;

  void ObserveSubmit(const WrittenStep& step);
  void AppendStates(std::string* out) const;

  std::array<std::atomic<std::int64_t>, kStates> states_ = {};
  LabelledCounter submits_;
  LabelledCounter ambiguous_;
  LabelledCounter recoveries_;
  LabelledCounter retries_;
  DurationHistogram polls_;
  DurationHistogram succeeded_;
  DurationHistogram failed_;
  DurationHistogram canceled_;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_OPERATION_METRICS_H_
