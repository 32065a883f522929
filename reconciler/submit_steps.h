// The steps of a submission: intent, answer, recovery. Pure functions of state and answer.
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
