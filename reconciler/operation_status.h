// status of an AsyncOperation, made from what the engine knows.
#ifndef ASYNCOPS_RECONCILER_OPERATION_STATUS_H_
#define ASYNCOPS_RECONCILER_OPERATION_STATUS_H_

#include <optional>

#include "api/operations/v1alpha1/async_operation.h"
#include "reconciler/decide.h"
#include "reconciler/transition.h"

namespace asyncops::reconciler {

// The status that says where the operation stands; `state` is null before its first intent. Of the
// present status only the transition times are used.
AsyncOperationStatus ProjectStatus(const AsyncOperation& operation, const OperationState* state,
                                   const std::optional<Blocked>& blocked, Time now);

// "Pending", "Running", "Succeeded", "Failed" or "Canceled" for a state.
std::string_view PhaseOf(std::string_view state);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_OPERATION_STATUS_H_
