// What comes of a submission: its answer, recovery. Pure functions of state and answer.
#ifndef ASYNCOPS_RECONCILER_SUBMIT_STEPS_H_
#define ASYNCOPS_RECONCILER_SUBMIT_STEPS_H_

#include <optional>
#include <string>

#include "reconciler/external_client.h"
#include "reconciler/protocol.h"
#include "reconciler/rendered_request.h"
#include "reconciler/transition.h"

namespace asyncops::reconciler {

// How expressions and protocols know the submission that the row holds.
OperationIdentity IdentityOf(const OperationState& state);

// {status, headers, body} of the answer to the submit; null before there is one.
Json SubmitResponseOf(const storage::OperationRow& row);

// What came of the call. `outputs` are those of a verdict of kSucceeded.
Transition SubmitAnswerStep(const StepContext& context, const OperationState& before,
                            const ExternalAnswer& answer, const SubmitVerdict& verdict,
                            const Json& outputs);

// What the look-up by this request found. A miss that counts leaves the state Recovering and due at
// once, with *resend set: nothing of it can still be under way. Of what called back it does not
// count (IsCalledBack): the caller must not send it again.
Transition LookupStep(const StepContext& context, const OperationState& before,
                      const RenderedRequest& request, const ExternalAnswer& answer,
                      const LookupVerdict& verdict, bool* resend);

Transition ParkStep(const StepContext& context, const OperationState& before,
                    const std::string& why);

Transition AdoptStep(const StepContext& context, const OperationState& before,
                     const action::Adopt& what);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_SUBMIT_STEPS_H_
