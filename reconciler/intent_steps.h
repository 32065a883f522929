// The steps before a submit is sent. Pure functions of state.
#ifndef ASYNCOPS_RECONCILER_INTENT_STEPS_H_
#define ASYNCOPS_RECONCILER_INTENT_STEPS_H_

#include <string>

#include "reconciler/rendered_request.h"
#include "reconciler/transition.h"

namespace asyncops::reconciler {

// The state of a submission that begins: a new one after `previous` (null for the first), named by
// the operation's uid. It has no request yet.
OperationState NewSubmission(const StepContext& context, const OperationState* previous,
                             std::string idempotency_key, bool reset);

// The state of a submission that begins again because nothing of it was sent. The key is taken
// where it has none.
OperationState SameSubmission(const StepContext& context, const OperationState& before,
                              std::string idempotency_key, bool reset);

// The intent of it: the request goes on disk.
Transition IntentStep(const StepContext& context, OperationState begun,
                      const RenderedRequest& request);

// About to send the row's bytes again, after a call whose end is unknown.
Transition ResendStep(const StepContext& context, const OperationState& before);

// The same of one whose answer ended the operation and is lost: its outputs are to be read again,
// and the state stays.
Transition RepeatStep(const StepContext& context, const OperationState& before);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_INTENT_STEPS_H_
