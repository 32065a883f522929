// AWS Cloud Control API: JSON 1.0 calls to one URL, told apart by a header; ProgressEvents.
#include "reconciler/presets.h"

namespace asyncops::reconciler {
namespace {

constexpr std::string_view kContentType = "application/x-amz-json-1.0";
// How long the service remembers a ClientToken.
constexpr std::chrono::hours kTokenTtl{36};

std::string ActionOf(const std::string& type) {
  if (type == "Delete") return "CloudApiService.DeleteResource";
  if (type == "Update") return "CloudApiService.UpdateResource";
  return "CloudApiService.CreateResource";
}

void FillCall(std::string_view action, std::vector<HeaderSpec>* headers) {
  FillHeader(headers, "X-Amz-Target", action);
  FillHeader(headers, "Content-Type", kContentType);
}

Json TokenBody() { return Json::Of({{"RequestToken", "${operation.id}"}}); }

void FillPoll(PollSpec* poll) {
  FillText(&poll->method, "POST");
  FillText(&poll->path, "/");
  FillCall("CloudApiService.GetResourceRequestStatus", &poll->headers);
  if (poll->body.is_null()) poll->body = TokenBody();
  // A time, not a number of seconds.
  FillText(&poll->retry_after, "/ProgressEvent/RetryAfter");
  if (!poll->error) poll->error.emplace();
  // An error of the call has a type, at times with a namespace before it.
  FillText(&poll->error->code,
           "has(response.body.ProgressEvent) ? response.body.ProgressEvent.ErrorCode"
           " : response.body.__type.split('#')[size(response.body.__type.split('#')) - 1]");
  FillText(&poll->error->message,
           "has(response.body.ProgressEvent) ? response.body.ProgressEvent.StatusMessage"
           " : has(response.body.message) ? response.body.message : response.body.Message");
  if (!poll->acceptors.empty()) return;
  const std::string status = "response.status < 300 && response.body.ProgressEvent.OperationStatus";
  poll->acceptors = {
      {status + " == 'SUCCESS'", "Succeeded"},
      {status + " == 'FAILED'", "Failed"},
      {status + " == 'CANCEL_COMPLETE'", "Canceled"},
      // Also words that the service may learn.
      {"response.status < 300 && has(response.body.ProgressEvent)", "Running"},
      {"response.status == 400 && error.code.startsWith('RequestTokenNotFound')", "NotFound"},
      {"response.status < 300", "Unreadable"},
  };
}

}  // namespace

void FillAwsCloudControl(Declaration* declaration) {
  FillCall(ActionOf(declaration->type), &declaration->submit.headers);
  if (!declaration->idempotency) {
    declaration->idempotency.emplace();
    declaration->idempotency->in = "Body";
    declaration->idempotency->pointer = "/ClientToken";
    declaration->idempotency->ttl = kTokenTtl;
  }
  OperationMapping& operation = declaration->operation;
  FillText(&operation.id, "/ProgressEvent/RequestToken");
  // It may be there before the operation has succeeded: that it is says nothing.
  FillText(&operation.resource_id, "/ProgressEvent/Identifier");
  FillText(&operation.immediate, "Judged");
  FillPoll(&declaration->poll);
  if (!declaration->cancel) {
    CancelSpec& cancel = declaration->cancel.emplace();
    cancel.path = "/";
    FillCall("CloudApiService.CancelResourceRequest", &cancel.headers);
    cancel.body = TokenBody();
  }
  const std::vector<ErrorRule> rules = {
      {"error.code.startsWith('Throttling')", "Throttled", std::nullopt},
      // The token was used for another body: no repetition mends that.
      {"error.code.startsWith('ClientTokenConflict')", "Terminal", std::nullopt},
      {"error.code.startsWith('Concurrent') || error.code.startsWith('ResourceConflict')",
       "Recoverable", std::nullopt},
      // What CloudFormation retries itself.
      {"response.status < 300 && error.code in ['ServiceInternalError', 'NetworkFailure']",
       "Recoverable", std::nullopt},
      // A person can raise it meanwhile.
      {"error.code.startsWith('ServiceLimitExceeded')", "Recoverable",
       Duration(std::chrono::minutes(5))},
  };
  declaration->error_rules.insert(declaration->error_rules.end(), rules.begin(), rules.end());
}

}  // namespace asyncops::reconciler
