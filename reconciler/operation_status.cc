#include "reconciler/operation_status.h"

#include "base/rfc3339.h"
#include "reconciler/explain.h"
#include "reconciler/operation_conditions.h"
#include "reconciler/operation_states.h"

namespace asyncops::reconciler {

std::string_view PhaseOf(std::string_view state) {
  if (state == state::kSucceeded) return phase::kSucceeded;
  if (state == state::kFailed) return phase::kFailed;
  if (state == state::kCanceled) return phase::kCanceled;
  return state == state::kPending || state.empty() ? phase::kPending : phase::kRunning;
}

AsyncOperationStatus ProjectStatus(const AsyncOperation& operation, const OperationState* state,
                                   const std::optional<Blocked>& why, Time now) {
  const bool waits = why && why->throttled_until;
  const std::optional<Blocked> blocked = waits ? std::nullopt : why;
  AsyncOperationStatus status;
  status.observed_generation = operation.metadata.generation;
  status.state = state == nullptr ? state::kPending : state->row.state;
  status.phase = PhaseOf(status.state);
  status.conditions = operation.status.conditions;
  ConditionFacts facts{.state = status.state,
                       .code = {},
                       .message = {},
                       .throttled = false,
                       .deleting = operation.metadata.deletion_timestamp.has_value(),
                       .blocked = blocked,
                       .waits = waits ? why : std::nullopt,
                       .generation = operation.metadata.generation};
  if (state != nullptr) {
    const storage::OperationRow& row = state->row;
    const OperationMemo& memo = state->memo;
    status.operation_id = row.operation_id;
    status.external_system_url = row.console_url;
    status.poll_url = row.poll_url;
    status.correlation_id = row.correlation_id;
    status.submission = row.submission;
    status.attempt = row.attempt;
    status.retry_count = row.retry_count;
    status.next_attempt_time = row.next_attempt_at;
    status.start_time = memo.start_time;
    status.last_poll_time = row.last_poll_at;
    status.completion_time = row.completed_at;
    status.progress = memo.progress;
    status.outputs = memo.outputs;
    status.failure_details = memo.failures;
    facts.code = memo.code;
    facts.message = memo.message;
    facts.throttled = memo.throttled_until.has_value();
    if (facts.throttled)
      facts.throttled_until = ": none is sent before " + FormatTime(*memo.throttled_until);
    facts.shared_with = memo.shared_with;
  }
  if (waits) status.next_attempt_time = why->throttled_until;
  facts.explanation = Explain(operation, state, blocked);
  facts.deletion_blocked = DeletionBlockOf(operation, state, blocked, now);
  SetOperationConditions(facts, now, &status.conditions);
  return status;
}

}  // namespace asyncops::reconciler
