// What status says of an operation to somebody who sees asyncops for the first time: why it waits,
// what comes next and when, and the command that changes that. Pure functions.
#ifndef ASYNCOPS_RECONCILER_EXPLAIN_H_
#define ASYNCOPS_RECONCILER_EXPLAIN_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "api/operations/v1alpha1/async_operation.h"
#include "reconciler/decide.h"
#include "reconciler/transition.h"

namespace asyncops::reconciler {

// "kubectl -n team annotate --overwrite asyncoperation/op ANNOTATION".
std::string AnnotateCommand(const AsyncOperation& operation, std::string_view annotation);

// The message of its Ready condition, at most kMaxMessageBytes; "" where the state says all. It
// changes only where the state does: no time in it is the present one.
std::string Explain(const AsyncOperation& operation, const OperationState* state,
                    const std::optional<Blocked>& blocked);

// The same for OutcomeUnknown, of a row that says so.
std::string HowToResolve(const AsyncOperation& operation, const OperationState& state);

// A deletion that takes longer than this is called blocked.
inline constexpr Duration kDeletionPatience = std::chrono::minutes(5);

// What holds up the deletion of an operation that has not ended, and the ways out; nothing where it
// is not under deletion, or only just. `reason` is the condition's.
std::optional<Blocked> DeletionBlockOf(const AsyncOperation& operation, const OperationState* state,
                                       const std::optional<Blocked>& blocked, Time now);

// The Event of it, where the status does not say so yet.
std::optional<EventDraft> DeletionBlockEvent(const AsyncOperation& operation,
                                             const OperationState* state,
                                             const std::optional<Blocked>& blocked, Time now);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_EXPLAIN_H_
