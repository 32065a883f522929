// Compute Engine v1: operations from before google.longrunning.
#include "base/rfc3339.h"
#include "tests/simcloud/faces.h"

namespace asyncops::simcloud {
namespace {

constexpr std::string_view kBase = "/compute/v1/";

std::string_view StateName(const OperationView& view) {
  if (view.operation.status != OperationStatus::kRunning) return "DONE";
  return view.progress && *view.progress == 0 ? "PENDING" : "RUNNING";
}

std::string_view TypeName(OperationKind kind) {
  if (kind == OperationKind::kCreate) return "insert";
  return kind == OperationKind::kDelete ? "delete" : "update";
}

}  // namespace

Reply ComputeOperationReply(const OperationView& view) {
  const std::string base = view.base_url + std::string(kBase);
  const OperationStatus status = view.operation.status;
  Json body = Json::Of({{"kind", "compute#operation"},
                        {"id", view.operation.id},
                        {"name", "operation-" + view.operation.id},
                        {"operationType", TypeName(view.operation.kind)},
                        {"status", StateName(view)},
                        {"targetLink", base + "volumes/" + view.volume.id},
                        {"targetId", view.volume.id},
                        {"selfLink", base + "operations/operation-" + view.operation.id},
                        {"insertTime", FormatTime(view.operation.create_time)}});
  if (view.progress) body.Set("progress", *view.progress);
  if (status == OperationStatus::kFailed || status == OperationStatus::kCanceled) {
    body.Set("error", Json::Of({{"errors", JsonArray{ErrorJson(FailureOf(view.operation))}}}));
    body.Set("httpErrorStatusCode", 400);
    body.Set("httpErrorMessage", "BAD REQUEST");
  }
  return JsonReply(200, body);
}

}  // namespace asyncops::simcloud
