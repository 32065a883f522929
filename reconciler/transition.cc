#include "reconciler/transition.h"

#include <utility>

#include "base/limits.h"
#include "base/rfc3339.h"
#include "reconciler/annotations.h"
#include "reconciler/operation_states.h"

namespace asyncops::reconciler {
namespace {

std::string NextStepOf(const OperationState& state) {
  const std::string& name = state.row.state;
  std::string step;
  if (name == state::kIntent) step = "send it";
  if (name == state::kSubmitted || name == state::kRunning) step = "poll";
  if (name == state::kFetching) step = "read the result";
  if (name == state::kBackoff) step = state.memo.not_sent ? "send it again" : "submit anew";
  if (name == state::kRecovering) step = "find out whether it took effect";
  if (name == state::kOutcomeUnknown) step = "wait for a person to resolve it";
  if (name == state::kCanceling) step = state.memo.cancel_sent_at ? "poll" : "cancel";
  if (state::IsFinal(name)) step = "none";
  return step;
}

EventDraft EndEvent(const StepContext& context, std::string_view state, std::string_view code,
                    std::string_view message, std::string_view failed_reason) {
  if (state == state::kSucceeded) {
    const bool deleted = context.operation.spec.type == "Delete";
    return {.warning = false,
            .reason = deleted ? "Deleted" : "Succeeded",
            .message = message.empty() ? "the operation succeeded" : std::string(message)};
  }
  if (state == state::kCanceled)
    return {.warning = false, .reason = "Canceled", .message = std::string(message)};
  std::string text(code);
  if (!message.empty()) text.append(": ").append(message);
  const std::string_view reason = code == "DeadlineExceeded" ? code : failed_reason;
  return {.warning = true, .reason = std::string(reason), .message = BoundMessage(text)};
}

}  // namespace

std::string BoundMessage(std::string_view message) {
  if (message.size() <= kMaxMessageBytes) return std::string(message);
  std::size_t end = kMaxMessageBytes - 3;
  const auto continues = [&message](std::size_t at) {
    return (static_cast<unsigned char>(message[at]) & 0xC0U) == 0x80U;
  };
  while (end > 0 && continues(end)) --end;
  return std::string(message.substr(0, end)) + "...";
}

std::string ByWhom(const AsyncOperation& operation) {
  const std::string_view user = AnnotationOf(operation.metadata, kRequestedBy);
  return user.empty() ? std::string() : " by " + std::string(user);
}

FailureDetail DetailOf(const Failure& failure, int attempt, Time now) {
  return {.code = failure.code,
          .message = BoundMessage(failure.message),
          .class_name = std::string(ErrorClassName(failure.error_class)),
          .http_status = failure.http_status,
          .attempt = attempt,
          .timestamp = now};
}

Transition StartTransition(const StepContext& context, const OperationState& before,
                           std::string_view action) {
  Transition transition;
  transition.next = before;
  transition.next.row.owner_epoch = context.epoch;
  transition.expected_state = before.row.state;
  storage::Attempt attempt;
  attempt.uid = before.row.uid;
  attempt.submission = before.row.submission;
  attempt.at = context.now;
  attempt.action = action;
  transition.attempt = std::move(attempt);
  return transition;
}

void SetNextStep(const OperationState& state, std::optional<Time> at, storage::Attempt* attempt) {
  attempt->next_attempt_at = at;
  attempt->next_step = NextStepOf(state);
  if (at) attempt->next_step += " at " + FormatTime(*at);
}

Transition Seal(const StepContext& context, Transition transition) {
  transition.next.row.owner_epoch = context.epoch;
  if (!transition.attempt) return transition;
  storage::Attempt& attempt = *transition.attempt;
  attempt.uid = transition.next.row.uid;
  attempt.submission = transition.next.row.submission;
  attempt.state = transition.next.row.state;
  SetNextStep(transition.next, transition.next.row.next_attempt_at, &attempt);
  attempt.shard = context.shard;
  attempt.owner_epoch = context.epoch;
  attempt.message = BoundMessage(attempt.message);
  return transition;
}

void Complete(const StepContext& context, std::string_view state, std::string_view code,
              std::string_view message, std::string_view failed_reason, Transition* transition) {
  storage::OperationRow& row = transition->next.row;
  OperationMemo& memo = transition->next.memo;
  row.state = state;
  row.completed_at = context.now;
  row.next_attempt_at.reset();
  row.hints_answered = row.hints;
  memo.code = code;
  memo.message = BoundMessage(message);
  memo.throttled_until.reset();
  memo.fetch.reset();
  memo.not_sent = false;
  // The last poll that told of progress was some time before the end.
  if (state == state::kSucceeded && !memo.progress.empty()) memo.progress = "100%";
  if (transition->attempt && transition->attempt->message.empty())
    transition->attempt->message = message;
  transition->events.push_back(EndEvent(context, state, code, message, failed_reason));
}

}  // namespace asyncops::reconciler
