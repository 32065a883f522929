// OData: respond-async with a status monitor. 4.01 tells the outcome in the header AsyncResult, 4.0
// (and whoever asks for application/http) in a whole HTTP message within the body.
#include "tests/simcloud/faces.h"

namespace asyncops::simcloud {
namespace {

// The final answer, as it would have come at once.
Reply FinalReply(const OperationView& view) {
  const Failure failure = FailureOf(view.operation);
  switch (view.operation.status) {
    case OperationStatus::kFailed: return ErrorReply(422, failure.code, failure.message);
    case OperationStatus::kCanceled: return ErrorReply(409, failure.code, failure.message);
    default: break;
  }
  if (view.operation.kind == OperationKind::kDelete) {
    Reply reply;
    reply.status = 204;
    return reply;
  }
  Json body = VolumeJson(view.volume);
  body.Set("@odata.context", view.base_url + "/odata/v4/$metadata#Volumes/$entity");
  Reply reply = JsonReply(view.operation.kind == OperationKind::kCreate ? 201 : 200, body);
  reply.headers.emplace_back("OData-EntityId",
                             view.base_url + "/odata/v4/Volumes('" + view.volume.id + "')");
  return reply;
}

}  // namespace

Reply ODataStartedReply(const OperationView& view) {
  if (!view.responds_async) return FinalReply(view);
  Reply reply;
  reply.status = 202;
  // Relative, as the protocol allows.
  reply.headers.emplace_back(
      "Location",
      (view.embeds ? "/odata/v4/$status/" : "/odata/v401/$status/") + view.operation.id);
  reply.headers.emplace_back("Preference-Applied", "respond-async");
  AddRetryAfter(view, &reply);
  return reply;
}

Reply ODataMonitorReply(const OperationView& view) {
  if (view.operation.status == OperationStatus::kRunning) {
    Reply reply;
    reply.status = 202;
    AddRetryAfter(view, &reply);
    return reply;
  }
  Reply inner = FinalReply(view);
  if (!view.embeds) {
    inner.headers.emplace_back("AsyncResult", std::to_string(inner.status));
    inner.status = inner.body.empty() ? 204 : 200;
    return inner;
  }
  Reply reply;
  reply.content_type = "application/http";
  reply.headers.emplace_back("Content-Transfer-Encoding", "binary");
  reply.body = "HTTP/1.1 " + std::to_string(inner.status) + " Done\r\n";
  for (const auto& [name, value] : inner.headers) reply.body += name + ": " + value + "\r\n";
  if (!inner.body.empty()) reply.body += "Content-Type: application/json\r\n";
  reply.body += "\r\n" + inner.body;
  return reply;
}

}  // namespace asyncops::simcloud
