// Azure Resource Manager: volumes are named by their path, and PUT makes or changes them.
#include "base/rfc3339.h"
#include "tests/simcloud/faces.h"

namespace asyncops::simcloud {
namespace {

std::string_view StateName(OperationStatus status) {
  switch (status) {
    case OperationStatus::kRunning: return "InProgress";
    case OperationStatus::kSucceeded: return "Succeeded";
    case OperationStatus::kFailed: return "Failed";
    case OperationStatus::kCanceled: break;
  }
  return "Canceled";
}

std::string_view ProvisioningState(const Volume& volume, const Operation& newest) {
  switch (volume.status) {
    case VolumeStatus::kCreating: return "Creating";
    case VolumeStatus::kUpdating: return "Updating";
    case VolumeStatus::kDeleting: return "Deleting";
    default: return StateName(newest.status);
  }
}

std::string UrlOf(const OperationView& view, std::string_view collection) {
  return view.base_url + "/arm/v1/" + std::string(collection) + "/" + view.operation.id;
}

void AddMonitor(const OperationView& view, Reply* reply) {
  if (view.via.empty() || view.via == "async")
    reply->headers.emplace_back("Azure-AsyncOperation", UrlOf(view, "operationStatuses"));
  if (view.via == "operation")
    reply->headers.emplace_back("Operation-Location", UrlOf(view, "operationStatuses"));
  if (view.via == "location")
    reply->headers.emplace_back("Location", UrlOf(view, "operationResults"));
  AddRetryAfter(view, reply);
}

}  // namespace

Json AzureVolumeJson(const Volume& volume, const Operation& newest) {
  const Json properties = Json::Of({{"provisioningState", ProvisioningState(volume, newest)},
                                    {"size", volume.spec.size},
                                    {"volumeId", volume.id}});
  return Json::Of({{"id", "/arm/v1/volumes/" + volume.spec.name},
                   {"name", volume.spec.name},
                   {"type", "Sim.Storage/volumes"},
                   {"properties", properties}});
}

Reply AzureStartedReply(const OperationView& view) {
  const OperationKind kind = view.operation.kind;
  Reply reply;
  if (kind == OperationKind::kDelete) {
    reply.status = 202;
  } else {
    const int status = view.via == "location" ? 202 : kind == OperationKind::kCreate ? 201 : 200;
    reply = JsonReply(status, AzureVolumeJson(view.volume, view.operation));
  }
  AddMonitor(view, &reply);
  return reply;
}

Reply AzureStatusReply(const OperationView& view) {
  const OperationStatus status = view.operation.status;
  Json body = Json::Of({{"id", "/arm/v1/operationStatuses/" + view.operation.id},
                        {"name", view.operation.id},
                        {"status", StateName(status)},
                        {"startTime", FormatTime(view.operation.create_time)}});
  if (view.progress) body.Set("percentComplete", *view.progress);
  if (status == OperationStatus::kFailed || status == OperationStatus::kCanceled)
    body.Set("error", ErrorJson(FailureOf(view.operation)));
  Reply reply = JsonReply(200, body);
  if (status == OperationStatus::kRunning) AddRetryAfter(view, &reply);
  return reply;
}

Reply AzureResultReply(const OperationView& view) {
  const Failure failure = FailureOf(view.operation);
  switch (view.operation.status) {
    case OperationStatus::kRunning: {
      Reply reply;
      reply.status = 202;
      reply.headers.emplace_back("Location", UrlOf(view, "operationResults"));
      AddRetryAfter(view, &reply);
      return reply;
    }
    case OperationStatus::kFailed:
    case OperationStatus::kCanceled: return ErrorReply(409, failure.code, failure.message);
    case OperationStatus::kSucceeded: break;
  }
  if (view.operation.kind == OperationKind::kDelete) {
    Reply reply;
    reply.status = 204;
    return reply;
  }
  return JsonReply(200, AzureVolumeJson(view.volume, view.operation));
}

}  // namespace asyncops::simcloud
