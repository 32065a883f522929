// 202 with a Location to ask: RFC 9110's status monitor.
#include "reconciler/presets.h"

namespace asyncops::reconciler {

void FillAcceptedLocation(Declaration* declaration) {
  OperationMapping& operation = declaration->operation;
  // The monitor's URL ends with the operation's ID more often than the body of a 202 tells it.
  FillText(&operation.id, "has(response.headers.location) ? " + std::string(kLastOfLocation) +
                              " : string(response.body.id)");
  // The Location of a 201 names the thing that was made, not a monitor.
  FillText(&operation.poll_url, "response.status == 202 ? response.headers.location : ''");
  FillText(&operation.resource_id,
           "response.status in [200, 201] ? string(response.body.id)"
           " : string(response.body.resourceId)");
  PollSpec& poll = declaration->poll;
  FillText(&poll.progress,
           "has(response.body.percentComplete) ? response.body.percentComplete"
           " : response.body.progress");
  if (!poll.acceptors.empty()) return;
  poll.acceptors = {
      {"response.status == 202", "Running"},
      {"response.status in [200, 201, 204, 303]", "Succeeded"},
      {"response.status in [400, 409, 410, 422]"
       " && error.code.lowerAscii() in ['canceled', 'cancelled']",
       "Canceled"},
      // 401 and 403 speak of our credentials and 404 of the monitor, not of the operation.
      {"response.status >= 400 && response.status < 500"
       " && !(response.status in [401, 403, 404, 408, 410, 425, 429])",
       "Failed"},
  };
}

}  // namespace asyncops::reconciler
