#include "reconciler/request_steps.h"

#include <algorithm>
#include <utility>

#include "reconciler/annotations.h"
#include "reconciler/operation_states.h"

namespace asyncops::reconciler {
namespace {

std::string_view WordFor(std::string_view annotation) {
  if (annotation == kCancelRequestedAt) return "cancel";
  return annotation == kRetryRequestedAt ? "retry" : "resolve";
}

}  // namespace

EventDraft RefusalEvent(const AsyncOperation& operation, const action::Refuse& refuse) {
  const bool cancel = refuse.annotation == kCancelRequestedAt;
  return {.warning = true,
          .reason = cancel ? "CancelRefused" : "RequestRefused",
          .message = std::string(WordFor(refuse.annotation)) + " asked for" + ByWhom(operation) +
                     " is refused: " + refuse.why};
}

Transition RefuseStep(const StepContext& context, const OperationState& before,
                      const action::Refuse& refuse) {
  Transition transition = StartTransition(context, before, "Refuse");
  OperationMemo& memo = transition.next.memo;
  if (refuse.annotation == kResolve) {
    transition.drop_annotation = kResolve;
  } else if (refuse.annotation == kRetryRequestedAt) {
    memo.handled_retry = AnnotationOf(context.operation.metadata, kRetryRequestedAt);
  } else {
    memo.handled_cancel = AnnotationOf(context.operation.metadata, kCancelRequestedAt);
    const std::string& state = before.row.state;
    memo.cancel_refused = state == state::kSubmitted || state == state::kRunning;
  }
  EventDraft told = RefusalEvent(context.operation, refuse);
  transition.attempt->message = told.message;
  transition.events.push_back(std::move(told));
  return Seal(context, std::move(transition));
}

Transition TellForeignStep(const StepContext& context, const OperationState& before,
                           const std::string& operation_id, const std::string& other) {
  Transition transition = StartTransition(context, before, "Callback");
  // Until the next one says so, too.
  transition.next.row.hints_answered = before.row.hints;
  transition.attempt->message = "a callback says that it was started as operation " + operation_id +
                                ", which is that of AsyncOperation " + other +
                                ": it is not adopted";
  transition.events.push_back(
      {.warning = true, .reason = "OperationShared", .message = transition.attempt->message});
  return Seal(context, std::move(transition));
}

EventDraft SuspendEvent(const AsyncOperation& operation, bool suspended) {
  const std::string who = ByWhom(operation);
  if (!suspended) {
    return {
        .warning = false, .reason = "Resumed", .message = "spec.suspend was set to false" + who};
  }
  return {.warning = false,
          .reason = "Suspended",
          .message = "spec.suspend was set to true" + who +
                     ": nothing new is sent; what runs outside is followed"};
}

Transition SuspendStep(const StepContext& context, const OperationState& before) {
  const bool suspended = context.operation.spec.suspend;
  Transition transition = StartTransition(context, before, suspended ? "Suspend" : "Resume");
  transition.next.memo.suspended = suspended;
  // What waited because nothing was to be sent is looked at again.
  storage::OperationRow& row = transition.next.row;
  if (!suspended && row.state == state::kRecovering)
    row.next_attempt_at = std::max(context.now, before.memo.resend_at.value_or(context.now));
  EventDraft told = SuspendEvent(context.operation, suspended);
  transition.attempt->message = told.message;
  transition.events.push_back(std::move(told));
  return Seal(context, std::move(transition));
}

void TellShared(const std::string& other, Transition* transition) {
  transition->next.memo.shared_with = other;
  transition->events.push_back({.warning = true,
                                .reason = "OperationShared",
                                .message = "operation " + transition->next.row.operation_id +
                                           " of the external system is claimed by AsyncOperation " +
                                           other + " too: check which of the two it belongs to"});
}

}  // namespace asyncops::reconciler
