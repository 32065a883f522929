// OData 4.01, 11.6: respond-async, a status monitor, and the final answer within its answer.
#include "reconciler/presets.h"

namespace asyncops::reconciler {

void FillODataAsync(Declaration* declaration) {
  FillHeader(&declaration->submit.headers, "Prefer", "respond-async");
  OperationMapping& operation = declaration->operation;
  FillText(&operation.id, "has(response.headers.location) ? " + std::string(kLastOfLocation) +
                              " : string(response.body.id)");
  // The Location of a 201 names the entity that was made, not a monitor.
  FillText(&operation.poll_url, "response.status == 202 ? response.headers.location : ''");
  FillText(&operation.resource_id,
           "response.status == 202 ? ''"
           " : has(response.body.id) ? string(response.body.id)"
           " : response.headers['odata-entityid']");
  PollSpec& poll = declaration->poll;
  FillText(&poll.envelope, "HTTP");
  if (!declaration->cancel) {
    // A service that cannot cancel answers 405; a monitor that is gone has nothing to cancel.
    declaration->cancel.emplace();
    declaration->cancel->method = "DELETE";
    declaration->cancel->path = "${operation.pollURL}";
    declaration->cancel->accept = {404, 405, 410};
  }
  if (!poll.acceptors.empty()) return;
  poll.acceptors = {
      {"response.status == 202", "Running"},
      {"response.status < 300 && 'asyncresult' in response.headers"
       " && int(response.headers.asyncresult) >= 400",
       "Failed"},
      {"response.status in [200, 201, 204, 303]", "Succeeded"},
      // The outcome comes in an answer of 200: an error here is of the monitor.
      {"response.status >= 400 && response.status < 500"
       " && !(response.status in [401, 403, 404, 408, 410, 425, 429])",
       "Unreadable"},
  };
}

}  // namespace asyncops::reconciler
