// AWS Cloud Control API: ProgressEvents.
#include "tests/simcloud/faces.h"

namespace asyncops::simcloud {
namespace {

std::string_view StatusName(const OperationView& view) {
  switch (view.operation.status) {
    case OperationStatus::kRunning:
      return view.progress && *view.progress == 0 ? "PENDING" : "IN_PROGRESS";
    case OperationStatus::kSucceeded: return "SUCCESS";
    case OperationStatus::kFailed: return "FAILED";
    case OperationStatus::kCanceled: break;
  }
  return "CANCEL_COMPLETE";
}

std::string_view KindOf(OperationKind kind) {
  if (kind == OperationKind::kCreate) return "CREATE";
  return kind == OperationKind::kDelete ? "DELETE" : "UPDATE";
}

double Epoch(Time time) {
  return static_cast<double>(
             std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch())
                 .count()) /
         1000;
}

}  // namespace

Json AwsProperties(const Volume& volume) {
  Json properties = Json::Of({{"VolumeId", volume.id}, {"Name", volume.spec.name}});
  if (!volume.spec.size.is_null()) properties.Set("Size", volume.spec.size);
  return properties;
}

Reply AwsEventReply(const OperationView& view) {
  // The identifier is known before the operation has succeeded.
  Json event = Json::Of({{"TypeName", "Sim::Storage::Volume"},
                         {"Identifier", view.volume.id},
                         {"RequestToken", view.operation.id},
                         {"Operation", KindOf(view.operation.kind)},
                         {"OperationStatus", StatusName(view)},
                         {"EventTime", Epoch(view.operation.create_time)}});
  const OperationStatus status = view.operation.status;
  if (status == OperationStatus::kFailed) {
    const Failure failure = FailureOf(view.operation);
    event.Set("ErrorCode", failure.code);
    event.Set("StatusMessage", failure.message);
  }
  if (status == OperationStatus::kSucceeded && view.operation.kind != OperationKind::kDelete)
    event.Set("ResourceModel", EncodeJson(AwsProperties(view.volume)));
  // A time, not a number of seconds.
  if (status == OperationStatus::kRunning)
    event.Set("RetryAfter", Epoch(view.now + std::chrono::milliseconds(300)));
  Reply reply = JsonReply(200, Json::Of({{"ProgressEvent", std::move(event)}}));
  reply.content_type = "application/x-amz-json-1.0";
  return reply;
}

Reply AwsErrorReply(int status, std::string_view code, std::string_view message) {
  Reply reply =
      JsonReply(status, Json::Of({{"__type", "com.amazonaws.cloudcontrol#" + std::string(code)},
                                  {"message", message}}));
  reply.content_type = "application/x-amz-json-1.0";
  reply.headers.emplace_back("x-amzn-ErrorType", std::string(code));
  return reply;
}

}  // namespace asyncops::simcloud
