#include "reconciler/intent_steps.h"

#include <utility>

#include "base/crypto.h"
#include "base/encoding.h"
#include "reconciler/annotations.h"
#include "reconciler/operation_conditions.h"
#include "reconciler/operation_states.h"
#include "reconciler/request_steps.h"

namespace asyncops::reconciler {
namespace {

void ResetRetries(const StepContext& context, OperationState* state) {
  state->row.retry_count = 0;
  state->memo.conflicts = 0;
  state->memo.start_time = context.now;
}

bool WasSuspended(const AsyncOperation& operation) {
  const Condition* ready = FindCondition(operation.status.conditions, kReadyCondition);
  return ready != nullptr && ready->reason == "Suspended";
}

// What both kinds of intent write.
Transition Intend(const StepContext& context, OperationState begun, std::string expected_state) {
  Transition transition = StartTransition(context, begun, "Intent");
  transition.expected_state = std::move(expected_state);
  storage::OperationRow& row = transition.next.row;
  OperationMemo& memo = transition.next.memo;
  row.state = state::kIntent;
  row.intent_at = context.now;
  row.sent_at = context.now;
  row.next_attempt_at.reset();
  ++row.attempt;
  if (!memo.start_time) memo.start_time = context.now;
  memo.not_sent = false;
  memo.suspended = context.operation.spec.suspend;
  memo.code.clear();
  memo.message.clear();
  // It was parked, and a user said that nothing was created.
  const bool resolved = !AnnotationOf(context.operation.metadata, kResolve).empty();
  if (resolved) transition.drop_annotation = kResolve;
  const std::string_view retry = AnnotationOf(context.operation.metadata, kRetryRequestedAt);
  const bool retried = !retry.empty() && retry != memo.handled_retry;
  if (retried && (row.submission > 1 || row.attempt > 1)) {
    transition.events.push_back({.warning = false,
                                 .reason = "RetryRequested",
                                 .message = "retried on request" + ByWhom(context.operation)});
  }
  memo.handled_retry = retry;
  if (resolved || retried)
    transition.attempt->message =
        (resolved ? "resolved as Retry" : "retry requested") + ByWhom(context.operation);
  // Of one that is new nobody has told yet.
  if (row.submission == 1 && row.attempt == 1 && WasSuspended(context.operation))
    transition.events.push_back(SuspendEvent(context.operation, false));
  transition.attempt->method = row.method;
  transition.attempt->url = row.url;
  return transition;
}

}  // namespace

OperationState NewSubmission(const StepContext& context, const OperationState* previous,
                             std::string idempotency_key, bool reset) {
  OperationState begun;
  const ObjectMeta& meta = context.operation.metadata;
  begun.row.uid = meta.uid;
  begun.row.namespace_name = meta.namespace_name;
  begun.row.name = meta.name;
  begun.row.owner_epoch = context.epoch;
  if (previous != nullptr) {
    begun.row.submission = previous->row.submission + 1;
    begun.row.retry_count = previous->row.retry_count;
    begun.memo = previous->memo;
    begun.memo.progress.clear();
    begun.memo.cancel_reason.clear();
    begun.memo.cancel_sent_at.reset();
    begun.memo.cancel_failures = 0;
    begun.memo.exists = false;
    begun.memo.rejected = false;
    begun.memo.resend_at.reset();
    begun.memo.fetch.reset();
    begun.memo.fetch_failures = 0;
    begun.memo.lookups = 0;
    begun.memo.cancel_refused = false;
    begun.memo.progress_told = 0;
    begun.memo.shared_with.clear();
  }
  begun.row.idempotency_key = std::move(idempotency_key);
  begun.row.correlation_id = meta.uid + "-" + std::to_string(begun.row.submission);
  if (reset || !begun.memo.start_time) begun.memo.start_time = context.now;
  if (reset) ResetRetries(context, &begun);
  return begun;
}

OperationState SameSubmission(const StepContext& context, const OperationState& before,
                              std::string idempotency_key, bool reset) {
  OperationState begun = before;
  // A row with a key promises that its bytes hold it.
  if (!context.policy.sends_key) begun.row.idempotency_key.clear();
  if (begun.row.idempotency_key.empty()) begun.row.idempotency_key = std::move(idempotency_key);
  if (reset) ResetRetries(context, &begun);
  return begun;
}

Transition IntentStep(const StepContext& context, OperationState begun,
                      const RenderedRequest& request) {
  begun.row.method = request.method;
  begun.row.url = request.url;
  begun.row.headers = EncodeHeaders(request.headers);
  begun.row.body = request.body;
  begun.row.body_sha256 = HexEncode(Sha256(request.body));
  std::string expected_state = begun.row.state;
  return Seal(context, Intend(context, std::move(begun), std::move(expected_state)));
}

Transition ResendStep(const StepContext& context, const OperationState& before) {
  Transition transition = StartTransition(context, before, "Resend");
  storage::OperationRow& row = transition.next.row;
  row.state = state::kRecovering;
  row.sent_at = context.now;
  row.next_attempt_at.reset();
  ++row.attempt;
  transition.next.memo.maybe_started = true;
  transition.next.memo.resend_at.reset();
  transition.next.memo.code.clear();
  transition.attempt->method = row.method;
  transition.attempt->url = row.url;
  return Seal(context, std::move(transition));
}

Transition RepeatStep(const StepContext& context, const OperationState& before) {
  Transition transition = StartTransition(context, before, "Repeat");
  storage::OperationRow& row = transition.next.row;
  row.sent_at = context.now;
  ++row.attempt;
  transition.attempt->method = row.method;
  transition.attempt->url = row.url;
  transition.attempt->message = "its outputs for Secrets are to be read again";
  return Seal(context, std::move(transition));
}

}  // namespace asyncops::reconciler
