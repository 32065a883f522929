// The conditions of an AsyncOperation: the table of the design as a function of its state.
#ifndef ASYNCOPS_RECONCILER_OPERATION_CONDITIONS_H_
#define ASYNCOPS_RECONCILER_OPERATION_CONDITIONS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "api/meta/condition.h"
#include "reconciler/decide.h"

namespace asyncops::reconciler {

inline constexpr std::string_view kReadyCondition = "Ready";
inline constexpr std::string_view kOperationCondition = "AsyncOperation";
inline constexpr std::string_view kPendingCondition = "AsyncOperationPending";
inline constexpr std::string_view kCompletedCondition = "AsyncOperationCompleted";
inline constexpr std::string_view kTerminalErrorCondition = "TerminalError";
inline constexpr std::string_view kThrottledCondition = "Throttled";
inline constexpr std::string_view kDeletionBlockedCondition = "DeletionBlocked";
inline constexpr std::string_view kSharedCondition = "OperationShared";

// What the conditions depend on.
struct ConditionFacts {
  std::string state;  // as status.state
  std::string code;   // why; "" where there is nothing to say
  std::string message;
  bool throttled = false;
  std::string throttled_until = {};  // ": none is sent before TIME"
  bool deleting = false;
  std::optional<Blocked> blocked;     // why it does not go on
  std::optional<Blocked> waits = {};  // for its turn to call
  std::string explanation = {};       // for Ready; "" where the message says it
  std::optional<Blocked> deletion_blocked = {};
  std::string shared_with = {};  // the AsyncOperation that claims the same operation outside
  std::int64_t generation = 0;
};

// Brings the conditions up to these facts; a transition time moves only where a status does.
void SetOperationConditions(const ConditionFacts& facts, Time now, Conditions* conditions);

// A code as a condition's reason: its letters, digits and underscores; "Failed" where none is left.
std::string ReasonOf(std::string_view code);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_OPERATION_CONDITIONS_H_
