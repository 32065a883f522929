// The steps by which the engine takes notice of what users ask for without a call outside. Pure
// functions.
#ifndef ASYNCOPS_RECONCILER_REQUEST_STEPS_H_
#define ASYNCOPS_RECONCILER_REQUEST_STEPS_H_

#include "reconciler/transition.h"

namespace asyncops::reconciler {

// The Event of a request that is refused.
EventDraft RefusalEvent(const AsyncOperation& operation, const action::Refuse& refuse);

// What was asked for cannot be done; the state stays.
Transition RefuseStep(const StepContext& context, const OperationState& before,
                      const action::Refuse& refuse);

// A callback names an operation that is another AsyncOperation's; the state stays.
Transition TellForeignStep(const StepContext& context, const OperationState& before,
                           const std::string& operation_id, const std::string& other);

// spec.suspend has changed; the state stays.
Transition SuspendStep(const StepContext& context, const OperationState& before);

// The Event that tells of spec.suspend.
EventDraft SuspendEvent(const AsyncOperation& operation, bool suspended);

// Notes that another AsyncOperation claims the same operation outside.
void TellShared(const std::string& other, Transition* transition);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_REQUEST_STEPS_H_
