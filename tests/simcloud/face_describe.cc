// A thing without operations of its own: it is described until it is ready, as OpenStack's are.
#include "base/rfc3339.h"
#include "tests/simcloud/faces.h"

namespace asyncops::simcloud {
namespace {

std::string_view WordOf(VolumeStatus status) {
  switch (status) {
    case VolumeStatus::kCreating: return "BUILD";
    case VolumeStatus::kAvailable: return "ACTIVE";
    case VolumeStatus::kDeleting: return "DELETING";
    case VolumeStatus::kUpdating: return "RESIZE";
    default: return "ERROR";
  }
}

}  // namespace

Json DescribedJson(const Volume& volume, const OperationView& view) {
  Json json = Json::Of({{"id", volume.id},
                        {"name", volume.spec.name},
                        {"status", WordOf(volume.status)},
                        {"created", FormatTime(volume.create_time)},
                        {"metadata", Json::Of({{"correlation", volume.origin.correlation_id}})}});
  if (!volume.spec.size.is_null()) json.Set("size", volume.spec.size);
  if (view.progress) json.Set("progress", *view.progress);
  if (volume.status == VolumeStatus::kFailed || volume.status == VolumeStatus::kCanceled) {
    Json fault = ErrorJson(FailureOf(view.operation));
    fault.Set("created", FormatTime(view.operation.create_time));
    json.Set("fault", std::move(fault));
  }
  return json;
}

Reply DescribeStartedReply(const OperationView& view) {
  if (view.operation.kind != OperationKind::kDelete) {
    return JsonReply(202, DescribedJson(view.volume, view));
  }
  Reply reply;
  reply.status = 204;
  return reply;
}

}  // namespace asyncops::simcloud
