#include "reconciler/operation_metrics.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/metric_text.h"
#include "reconciler/operation_states.h"
#include "reconciler/operation_status.h"
#include "reconciler/retry.h"

namespace asyncops::reconciler {
namespace {

constexpr std::size_t kMaxPairs = 200;
constexpr std::string_view kOther = "other";
// From a call within the house to one that takes all of its time.
constexpr std::array<double, 12> kCallBounds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                                0.5,   1,    2.5,   5,    10,  30};
// From what is done at once to what takes days.
constexpr std::array<double, 12> kOperationBounds = {0.1, 1,   5,    15,   30,    60,
                                                     300, 900, 3600, 7200, 21600, 86400};

constexpr std::array<std::string_view, 9> kUnfinished = {
    state::kPending, state::kIntent,     state::kSubmitted,      state::kRunning,  state::kFetching,
    state::kBackoff, state::kRecovering, state::kOutcomeUnknown, state::kCanceling};

// "Text" as a label: the words of this program in lower case.
std::string Lower(std::string_view text) { return text.empty() ? "none" : LowerCase(text); }

std::string Label(std::string_view name, std::string_view value) {
  return std::string(name).append("=\"").append(value).append("\"");
}

// What a submit came to.
std::string ResultOf(const WrittenStep& step) {
  const std::string& state = step.next.row.state;
  if (state == state::kSubmitted) return "accepted";
  if (state == state::kSucceeded || state == state::kFetching) return "succeeded";
  return Lower(step.error_class);
}

}  // namespace

void LabelledCounter::Count(std::string_view first, std::string_view second) {
  std::pair<std::string, std::string> labels(first, second);
  const MutexLock lock(mutex_);
  if (counts_.size() >= kMaxPairs && !counts_.contains(labels))
    labels = {std::string(kOther), std::string(kOther)};
  ++counts_[std::move(labels)];
}

void LabelledCounter::AppendTo(std::string* out) const {
  AppendMetricHead(name_, "counter", help_, out);
  const MutexLock lock(mutex_);
  if (first_.empty() && counts_.empty()) AppendMetricSample(name_, "", 0, out);
  for (const auto& [values, count] : counts_) {
    std::string labels;
    if (!first_.empty()) labels = Label(first_, values.first);
    if (!second_.empty()) labels.append(",").append(Label(second_, values.second));
    AppendMetricSample(name_, labels, static_cast<double>(count), out);
  }
}

OperationMetrics::OperationMetrics()
    : submits_("async_submit_total", "Submits by what came of them.", "preset", "result"),
      ambiguous_("async_submit_ambiguous_total",
                 "Submits of which it was not known whether they took effect.", "", ""),
      recoveries_("async_recovery_total", "How such doubts ended.", "method", "result"),
      retries_("async_retry_total", "Attempts that failed and are made again.", "class", "tier"),
      polls_(kCallBounds),
      succeeded_(kOperationBounds),
      failed_(kOperationBounds),
      canceled_(kOperationBounds) {}

void OperationMetrics::Move(std::string_view from, std::string_view to) {
  for (std::size_t i = 0; i < kUnfinished.size(); ++i) {
    if (kUnfinished[i] == from) states_[i].fetch_sub(1, std::memory_order_relaxed);
    if (kUnfinished[i] == to) states_[i].fetch_add(1, std::memory_order_relaxed);
  }
}

void OperationMetrics::ObserveSubmit(const WrittenStep& step) {
  const std::string result = ResultOf(step);
  submits_.Count(step.preset, result);
  if (step.error_class == ErrorClassName(ErrorClass::kAmbiguous)) ambiguous_.Count("", "");
  // The same request with the same key.
  if (step.from == state::kRecovering) recoveries_.Count("key", result);
}

void OperationMetrics::ObserveStep(const WrittenStep& step, const RetryPolicy& retry, Time now) {
  const OperationState& next = step.next;
  if (step.action == "Submit") ObserveSubmit(step);
  if (step.action == "Lookup") {
    const bool found = next.row.state == state::kSubmitted;
    recoveries_.Count("lookup", found                      ? "found"
                                : step.error_class.empty() ? "missing"
                                                           : "unreadable");
  }
  if (step.action == "Park") recoveries_.Count("none", "parked");
  if (step.action == "Adopt") recoveries_.Count("user", "adopted");
  if (step.action == "Callback" && next.row.state == state::kSubmitted)
    recoveries_.Count("callback", "adopted");
  if (next.row.retry_count > step.retries) {
    const int tier = RetryTierOf(retry, static_cast<int>(next.row.retry_count)) + 1;
    retries_.Count(Lower(step.error_class), tier > 3 ? "4+" : std::to_string(tier));
  }
  if (!state::IsFinal(next.row.state) || !next.memo.start_time) return;
  DurationHistogram& histogram = next.row.state == state::kSucceeded  ? succeeded_
                                 : next.row.state == state::kCanceled ? canceled_
                                                                      : failed_;
  histogram.Observe(std::max(now - *next.memo.start_time, Duration::zero()));
}

void OperationMetrics::AppendStates(std::string* out) const {
  AppendMetricHead("async_operations", "gauge", "Operations that have not ended.", out);
  for (std::size_t i = 0; i < kUnfinished.size(); ++i) {
    AppendMetricSample(
        "async_operations",
        Label("phase", PhaseOf(kUnfinished[i])) + "," + Label("state", kUnfinished[i]),
        static_cast<double>(states_[i].load(std::memory_order_relaxed)), out);
  }
  AppendMetricHead("async_outcome_unknown", "gauge",
                   "Operations that wait for a person to say whether they took effect.", out);
  const auto parked = std::find(kUnfinished.begin(), kUnfinished.end(), state::kOutcomeUnknown);
  AppendMetricSample(
      "async_outcome_unknown", "",
      static_cast<double>(states_[static_cast<std::size_t>(parked - kUnfinished.begin())].load()),
      out);
}

std::string OperationMetrics::Text(const std::vector<GateState>& origins) const {
  std::string out;
  AppendStates(&out);
  for (const LabelledCounter* counter : {&submits_, &ambiguous_, &recoveries_, &retries_})
    counter->AppendTo(&out);
  AppendMetricHead("async_poll_seconds", "histogram", "Time of a poll's call.", &out);
  polls_.AppendTo("async_poll_seconds", "", &out);
  AppendMetricHead("async_operation_duration_seconds", "histogram",
                   "From an operation's first attempt to its end.", &out);
  succeeded_.AppendTo("async_operation_duration_seconds", "result=\"succeeded\"", &out);
  failed_.AppendTo("async_operation_duration_seconds", "result=\"failed\"", &out);
  canceled_.AppendTo("async_operation_duration_seconds", "result=\"canceled\"", &out);
  AppendMetricHead(
      "async_origin_circuit", "gauge",
      "0 closed, 1 half-open, 2 open; of 100 origins, those first that are not closed.", &out);
  for (const GateState& origin : origins) {
    AppendMetricSample("async_origin_circuit", Label("origin", origin.origin),
                       static_cast<double>(origin.circuit), &out);
  }
  return out;
}

}  // namespace asyncops::reconciler
