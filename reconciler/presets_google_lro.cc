// google.longrunning.Operation (AIP-151).
#include "reconciler/presets.h"

namespace asyncops::reconciler {

void FillGoogleLro(Declaration* declaration) {
  OperationMapping& operation = declaration->operation;
  FillText(&operation.id, "/name");
  FillText(&operation.resource_id, "response.body.metadata.target");
  PollSpec& poll = declaration->poll;
  if (operation.poll_url.empty()) FillText(&poll.path, "/${operation.id}");
  FillText(&poll.progress, "response.body.metadata.progressPercent");
  if (!poll.error) poll.error.emplace();
  // ErrorInfo's reason says more than the canonical code; an HTTP error has the code's name in
  // status; the error of an operation has its number alone.
  FillText(&poll.error->code,
           "has(response.body.error.details)"
           " && response.body.error.details.exists(d, has(d.reason))"
           " ? response.body.error.details.filter(d, has(d.reason))[0].reason"
           " : has(response.body.error.status) ? response.body.error.status"
           " : ['OK', 'Canceled', 'Unknown', 'InvalidArgument', 'DeadlineExceeded', 'NotFound',"
           " 'AlreadyExists', 'PermissionDenied', 'ResourceExhausted', 'FailedPrecondition',"
           " 'Aborted', 'OutOfRange', 'Unimplemented', 'Internal', 'Unavailable', 'DataLoss',"
           " 'Unauthenticated'][response.body.error.code]");
  FillText(&poll.error->message, "/error/message");
  if (!declaration->cancel) {
    declaration->cancel =
        CancelSpec{.method = "POST", .path = "/${operation.id}:cancel", .accept = {}};
  }
  if (!poll.acceptors.empty()) return;
  declaration->submit_answers_status = true;
  poll.acceptors = {
      {"response.status < 300 && response.body.done && has(response.body.error)"
       " && response.body.error.code == 1",
       "Canceled"},
      {"response.status < 300 && response.body.done && has(response.body.error)", "Failed"},
      {"response.status < 300 && response.body.done", "Succeeded"},
      {"response.status < 300 && has(response.body.name)", "Running"},
  };
}

}  // namespace asyncops::reconciler
