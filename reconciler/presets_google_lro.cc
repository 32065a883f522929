// google.longrunning.Operation (AIP-151), and the operations of Compute Engine v1, which came
// before it: status PENDING, RUNNING or DONE, errors in a list, and a link to themselves.
#include "reconciler/presets.h"

namespace asyncops::reconciler {

void FillGoogleLro(Declaration* declaration) {
  OperationMapping& operation = declaration->operation;
  FillText(&operation.id, "/name");
  FillText(&operation.resource_id,
           "has(response.body.targetLink) ? response.body.targetLink"
           " : response.body.metadata.target");
  PollSpec& poll = declaration->poll;
  if (operation.poll_url.empty())
    FillText(&poll.path,
             "${has(submit.response.body) && has(submit.response.body.selfLink)"
             " && has(submit.response.body.status)"
             " ? submit.response.body.selfLink : '/' + operation.id}");
  FillText(&poll.progress,
           "has(response.body.progress) ? response.body.progress"
           " : response.body.metadata.progressPercent");
  if (!poll.error) poll.error.emplace();
  // ErrorInfo's reason says more than the canonical code; an HTTP error has the code's name in
  // status; the error of an operation has its number alone.
  FillText(&poll.error->code,
           "has(response.body.error.errors) ? response.body.error.errors[0].code"
           " : has(response.body.error.details)"
           " && response.body.error.details.exists(d, has(d.reason))"
           " ? response.body.error.details.filter(d, has(d.reason))[0].reason"
           " : has(response.body.error.status) ? response.body.error.status"
           " : ['OK', 'Canceled', 'Unknown', 'InvalidArgument', 'DeadlineExceeded', 'NotFound',"
           " 'AlreadyExists', 'PermissionDenied', 'ResourceExhausted', 'FailedPrecondition',"
           " 'Aborted', 'OutOfRange', 'Unimplemented', 'Internal', 'Unavailable', 'DataLoss',"
           " 'Unauthenticated'][response.body.error.code]");
  FillText(&poll.error->message,
           "has(response.body.error.errors) ? response.body.error.errors[0].message"
           " : response.body.error.message");
  if (!declaration->cancel) {
    declaration->cancel.emplace();
    declaration->cancel->path = "/${operation.id}:cancel";
  }
  FillText(&operation.immediate, "Judged");
  if (!poll.acceptors.empty()) return;
  poll.acceptors = {
      {"response.status < 300 && response.body.done && has(response.body.error)"
       " && response.body.error.code == 1",
       "Canceled"},
      {"response.status < 300 && response.body.done && has(response.body.error)", "Failed"},
      {"response.status < 300 && response.body.done", "Succeeded"},
      {"response.status < 300 && response.body.status == 'DONE' && has(response.body.error)",
       "Failed"},
      {"response.status < 300 && response.body.status == 'DONE'", "Succeeded"},
      {"response.status < 300 && has(response.body.name)", "Running"},
  };
}

}  // namespace asyncops::reconciler
