// A job that tells its status in one word.
#include "reconciler/presets.h"

namespace asyncops::reconciler {
namespace {

// The word where most APIs have it, in lower case.
constexpr std::string_view kWord =
    "(has(response.body.status) ? response.body.status"
    " : has(response.body.state) ? response.body.state"
    " : response.body.phase).lowerAscii()";

std::string WordIn(std::string_view list) {
  std::string when = "response.status < 300 && ";
  when.append(kWord).append(" in ").append(list);
  return when;
}

}  // namespace

void FillJobStatus(Declaration* declaration) {
  OperationMapping& operation = declaration->operation;
  FillText(&operation.id,
           "has(response.body.jobId) ? string(response.body.jobId)"
           " : has(response.body.job_id) ? string(response.body.job_id)"
           " : string(response.body.id)");
  // Relative to the submit: POST /v1/volumes leads to /v1/jobs/ID.
  if (declaration->poll.path.empty()) {
    FillText(&operation.poll_url,
             "has(response.headers.location) ? response.headers.location"
             " : has(response.body.jobId) ? 'jobs/' + string(response.body.jobId)"
             " : 'jobs/' + string(response.body.job_id)");
  }
  FillText(&operation.resource_id,
           "has(response.body.resourceId) ? string(response.body.resourceId)"
           " : string(response.body.result.id)");
  FillText(&operation.immediate, "Judged");
  if (declaration->lookup && declaration->poll.path.empty())
    FillText(&declaration->lookup->poll_url, "'jobs/' + operation.id");
  PollSpec& poll = declaration->poll;
  FillText(&poll.progress,
           "has(response.body.progress) ? response.body.progress : response.body.percentComplete");
  if (!poll.acceptors.empty()) return;
  poll.acceptors = {
      {WordIn("['succeeded', 'success', 'completed', 'complete', 'done', 'finished', 'ok']"),
       "Succeeded"},
      {WordIn("['failed', 'failure', 'error', 'errored', 'aborted', 'rejected', 'expired',"
              " 'timedout']"),
       "Failed"},
      {WordIn("['canceled', 'cancelled']"), "Canceled"},
  };
}

}  // namespace asyncops::reconciler
