#include "reconciler/operation_conditions.h"

#include <utility>

#include "base/ascii.h"
#include "reconciler/operation_states.h"
#include "reconciler/secret_outputs.h"

namespace asyncops::reconciler {
namespace {

struct Cell {
  std::string_view status;
  std::string reason;
};

// One column of the table.
struct Column {
  Cell ready;
  Cell operation;
  Cell pending;
  Cell completed;
  Cell terminal_error;
};

constexpr std::string_view kYes = kConditionTrue;
constexpr std::string_view kNo = kConditionFalse;

Column InFlight(std::string ready_reason) {
  return {.ready = {kNo, std::move(ready_reason)},
          .operation = {kNo, "InProgress"},
          .pending = {kYes, "InProgress"},
          .completed = {kNo, "InProgress"},
          .terminal_error = {kNo, "NoError"}};
}

Column Ended(const ConditionFacts& facts) {
  if (facts.state == state::kSucceeded) {
    return {.ready = {kYes, "Available"},
            .operation = {kYes, "Completed"},
            .pending = {kNo, "Completed"},
            .completed = {kYes, "Succeeded"},
            .terminal_error = {kNo, "NoError"}};
  }
  if (facts.state == state::kCanceled) {
    return {.ready = {kNo, "Canceled"},
            .operation = {kNo, "Canceled"},
            .pending = {kNo, "Completed"},
            .completed = {kYes, "Canceled"},
            .terminal_error = {kNo, "NoError"}};
  }
  const std::string code = ReasonOf(facts.code);
  const bool late = facts.code == "DeadlineExceeded";
  return {.ready = {kNo, code},
          .operation = {kNo, "Failed"},
          .pending = {kNo, "Completed"},
          .completed = {kYes, late ? "DeadlineExceeded" : "Failed"},
          .terminal_error = {kYes, code}};
}

Column ColumnOf(const ConditionFacts& facts) {
  if (state::IsFinal(facts.state)) return Ended(facts);
  if (facts.state == state::kOutcomeUnknown) {
    return {.ready = {kConditionUnknown, "OutcomeUnknown"},
            .operation = {kConditionUnknown, "OutcomeUnknown"},
            .pending = {kYes, "OutcomeUnknown"},
            .completed = {kConditionUnknown, "OutcomeUnknown"},
            .terminal_error = {kNo, "NoError"}};
  }
  if (facts.state == state::kBackoff || facts.state == state::kRecovering)
    return InFlight("Retrying");
  if (facts.state != state::kPending && !facts.state.empty())
    return InFlight("StatusCheckInProgress");
  return {.ready = {kNo, "Pending"},
          .operation = {kNo, "Pending"},
          .pending = {kYes, "Pending"},
          .completed = {kNo, "Pending"},
          .terminal_error = {kNo, "NoError"}};
}

std::string DefaultMessage(const ConditionFacts& facts) {
  if (facts.state == state::kSucceeded) return "the operation succeeded";
  if (facts.state == state::kRecovering) return "finding out whether the submit took effect";
  if (facts.state == state::kCanceling) return "the operation is being cancelled";
  if (facts.state == state::kFetching) return "the operation succeeded; reading its result";
  if (facts.state == state::kIntent) return "the operation is being submitted";
  if (facts.state == state::kSubmitted || facts.state == state::kRunning)
    return "the operation is running";
  return "the operation has not been submitted yet";
}

void Set(std::string_view type, Cell cell, const std::string& message, const ConditionFacts& facts,
         Time now, Conditions* conditions) {
  SetCondition(conditions,
               {.type = std::string(type),
                .status = std::string(cell.status),
                .observed_generation = facts.generation,
                .last_transition_time = now,
                .reason = std::move(cell.reason),
                .message = message},
               now);
}

}  // namespace

std::string ReasonOf(std::string_view code) {
  std::string reason;
  for (const char c : code) {
    const bool letter = IsLetter(c);
    const bool digit = IsDigit(c);
    if (letter || (!reason.empty() && (digit || c == '_'))) reason.push_back(c);
  }
  while (!reason.empty() && reason.back() == '_') reason.pop_back();
  constexpr std::size_t kMaxReason = 128;
  if (reason.size() > kMaxReason) reason.resize(kMaxReason);
  return reason.empty() ? "Failed" : reason;
}

void SetOperationConditions(const ConditionFacts& facts, Time now, Conditions* conditions) {
  Column column = ColumnOf(facts);
  std::string message = facts.message.empty() ? DefaultMessage(facts) : facts.message;
  const bool unfinished = !state::IsFinal(facts.state) && facts.state != state::kOutcomeUnknown;
  if (facts.blocked) {
    if (unfinished) column.ready.reason = facts.blocked->reason;
    message = facts.blocked->message;
  } else if (unfinished && (facts.code == kCredentialsMissing || facts.code == kSecretNotWritten)) {
    // Both wait for somebody to act, so they are told from what passes by itself.
    column.ready.reason = facts.code;
  } else if (facts.deleting && unfinished) {
    column.ready.reason = "Deleting";
  }
  std::string ready = facts.explanation.empty() ? message : facts.explanation;
  const bool waits = facts.waits && unfinished;
  if (waits) ready += "; it waits for its turn to call, see condition Throttled";
  Set(kReadyCondition, column.ready, ready, facts, now, conditions);
  Set(kOperationCondition, column.operation, message, facts, now, conditions);
  Set(kPendingCondition, column.pending, "", facts, now, conditions);
  Set(kCompletedCondition, column.completed, "", facts, now, conditions);
  Set(kTerminalErrorCondition, column.terminal_error,
      column.terminal_error.status == kYes ? message : "", facts, now, conditions);
  if (waits) {
    Set(kThrottledCondition, {kYes, facts.waits->reason}, facts.waits->message, facts, now,
        conditions);
  } else if (facts.throttled && unfinished) {
    Set(kThrottledCondition, {kYes, "RetryAfter"},
        "the external system asked for fewer requests" + facts.throttled_until, facts, now,
        conditions);
  } else {
    RemoveCondition(conditions, kThrottledCondition);
  }
  if (facts.deletion_blocked) {
    Set(kDeletionBlockedCondition, {kYes, facts.deletion_blocked->reason},
        facts.deletion_blocked->message, facts, now, conditions);
  } else {
    RemoveCondition(conditions, kDeletionBlockedCondition);
  }
  if (facts.shared_with.empty()) return RemoveCondition(conditions, kSharedCondition);
  Set(kSharedCondition, {kYes, "SameOperationID"},
      "AsyncOperation " + facts.shared_with +
          " claims the same operation of the external system: check which of the two it belongs to",
      facts, now, conditions);
}

}  // namespace asyncops::reconciler
