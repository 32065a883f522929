// One step of an operation, to be written as one transaction.
#ifndef ASYNCOPS_RECONCILER_TRANSITION_H_
#define ASYNCOPS_RECONCILER_TRANSITION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/operations/v1alpha1/async_operation.h"
#include "reconciler/decide.h"
#include "reconciler/operation_memo.h"
#include "reconciler/protocol.h"
#include "storage/operation_row.h"

namespace asyncops::reconciler {

// An Event that is to be told of the operation, and of the resource that it is for.
struct EventDraft {
  bool warning = false;
  std::string reason;
  std::string message;

  bool operator==(const EventDraft&) const = default;
};

// Where an operation stands: its latest row, the memo decoded.
struct OperationState {
  storage::OperationRow row;
  OperationMemo memo;

  bool operator==(const OperationState&) const = default;
};

struct Transition {
  OperationState next;
  std::string expected_state;               // of the row before; "" where the row is new
  std::optional<storage::Attempt> attempt;  // the line of history
  std::vector<EventDraft> events;
  std::string drop_annotation;  // an answered request of a user; "" for none
};

// What each step may know beside the state and the answer.
struct StepContext {
  const AsyncOperation& operation;
  const Protocol::Policy& policy;
  Time now{};
  double fraction = 0.5;  // for jitter
  double pressure = 1;    // by how much polls are stretched, from 1 to 10
  std::int64_t epoch = 0;
  int shard = 0;
};

// A transition that starts as "nothing changes", with a line of history for this action.
Transition StartTransition(const StepContext& context, const OperationState& before,
                           std::string_view action);

// Puts the state after the step into its line of history. Last call on a transition.
Transition Seal(const StepContext& context, Transition transition);

// What the line says of the next step, and when it is.
void SetNextStep(const OperationState& state, std::optional<Time> at, storage::Attempt* attempt);

// Ends it. Events: Succeeded or Deleted, Canceled, DeadlineExceeded, or `failed_reason`.
void Complete(const StepContext& context, std::string_view state, std::string_view code,
              std::string_view message, std::string_view failed_reason, Transition* transition);

// " by NAME" of the user who asked last; "" where nobody is known.
std::string ByWhom(const AsyncOperation& operation);

// The failure as status keeps it.
FailureDetail DetailOf(const Failure& failure, int attempt, Time now);

// A message for people, cut at kMaxMessageBytes on a character's border.
std::string BoundMessage(std::string_view message);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_TRANSITION_H_
