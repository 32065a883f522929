#include "tests/simcloud/protocol.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/rfc3339.h"
#include "tests/simcloud/faces.h"

namespace asyncops::simcloud {
namespace {

struct Face {
  Protocol protocol;
  std::string_view prefix;
  std::string_view operations;  // name of the collection; "" where there is none
  std::string_view cancel;      // what a POST to cancel appends; "" where DELETE cancels
};

constexpr std::array<Face, 9> kFaces = {{
    {Protocol::kAcceptedLocation, "/v1/", "operations", ""},
    {Protocol::kLongRunning, "/lro/v1/", "operations", ":cancel"},
    {Protocol::kJobs, "/jobs/v1/", "jobs", "/cancel"},
    {Protocol::kSync, "/sync/v1/", "", ""},
    {Protocol::kCompute, "/compute/v1/", "operations", ""},
    {Protocol::kAzure, "/arm/v1/", "operationStatuses", ""},
    {Protocol::kOData, "/odata/v4/", "$status", ""},
    {Protocol::kAws, "/aws/", "", ""},
    {Protocol::kDescribe, "/describe/v1/", "", ""},
}};
constexpr std::string_view kOData401 = "/odata/v401/";
constexpr std::string_view kComputeOperation = "operation-";

const Face& FaceOf(Protocol protocol) { return kFaces.at(static_cast<std::size_t>(protocol)); }

// google.rpc.Code by number.
constexpr std::array<std::string_view, 17> kRpcCodes = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};
constexpr int kRpcCancelled = 1;
constexpr int kRpcInternal = 13;

int RpcCode(std::string_view code) {
  int number = 0;
  const auto [end, error] = std::from_chars(code.data(), code.data() + code.size(), number);
  if (error == std::errc() && end == code.data() + code.size() && number > 0) return number;
  const auto* const found = std::find(kRpcCodes.begin() + 1, kRpcCodes.end(), code);
  return found == kRpcCodes.end() ? kRpcInternal : static_cast<int>(found - kRpcCodes.begin());
}

}  // namespace

Failure FailureOf(const Operation& operation) {
  if (operation.status == OperationStatus::kCanceled) {
    return {"Canceled", "the operation was cancelled"};
  }
  return operation.failure.value_or(Failure{});
}

Json ErrorJson(const Failure& failure) {
  return Json::Of({{"code", failure.code}, {"message", failure.message}});
}

Json ResultJson(const OperationView& view) {
  if (view.operation.kind == OperationKind::kDelete) return Json::Of({});
  return VolumeJson(view.volume);
}

void AddRetryAfter(const OperationView& view, Reply* reply) {
  if (!view.retry_after.empty()) reply->headers.emplace_back("Retry-After", view.retry_after);
}

namespace {

// --- 202 and Location ---

Reply AcceptedReply(const OperationView& view) {
  Json body = Json::Of({{"id", view.operation.id}, {"status", "running"}});
  if (view.progress) body.Set("percentComplete", *view.progress);
  Reply reply = JsonReply(202, body);
  reply.headers.emplace_back("Location", "/v1/operations/" + view.operation.id);
  AddRetryAfter(view, &reply);
  return reply;
}

Reply AcceptedLocationReply(const OperationView& view) {
  const Failure failure = FailureOf(view.operation);
  switch (view.operation.status) {
    case OperationStatus::kRunning: return AcceptedReply(view);
    case OperationStatus::kFailed: return ErrorReply(422, failure.code, failure.message);
    case OperationStatus::kCanceled: return ErrorReply(409, failure.code, failure.message);
    case OperationStatus::kSucceeded: break;
  }
  if (view.operation.kind != OperationKind::kDelete) return JsonReply(200, ResultJson(view));
  Reply reply;
  reply.status = 204;
  return reply;
}

// --- google.longrunning ---

Json LongRunningErrorJson(const Operation& operation) {
  const Failure failure = FailureOf(operation);
  const bool canceled = operation.status == OperationStatus::kCanceled;
  const Json info = Json::Of({{"@type", "type.googleapis.com/google.rpc.ErrorInfo"},
                              {"reason", failure.code},
                              {"domain", "simcloud"}});
  return Json::Of({{"code", canceled ? kRpcCancelled : RpcCode(failure.code)},
                   {"message", failure.message},
                   {"details", JsonArray{info}}});
}

Json LongRunningResponseJson(const OperationView& view) {
  Json response = ResultJson(view);
  const bool deletion = view.operation.kind == OperationKind::kDelete;
  response.Set("@type", deletion ? "type.googleapis.com/google.protobuf.Empty"
                                 : "type.googleapis.com/simcloud.v1.Volume");
  return response;
}

Reply LongRunningReply(const OperationView& view) {
  Json metadata = Json::Of({{"@type", "type.googleapis.com/simcloud.v1.OperationMetadata"},
                            {"target", "volumes/" + view.volume.id},
                            {"createTime", FormatTime(view.operation.create_time)}});
  if (view.progress) metadata.Set("progressPercent", *view.progress);
  Json body =
      Json::Of({{"name", "operations/" + view.operation.id}, {"metadata", std::move(metadata)}});
  const OperationStatus status = view.operation.status;
  // proto3's JSON leaves a false `done` out.
  if (status != OperationStatus::kRunning) body.Set("done", true);
  if (status == OperationStatus::kSucceeded) {
    body.Set("response", LongRunningResponseJson(view));
  } else if (status != OperationStatus::kRunning) {
    body.Set("error", LongRunningErrorJson(view.operation));
  }
  Reply reply = JsonReply(200, body);
  if (status == OperationStatus::kRunning) AddRetryAfter(view, &reply);
  return reply;
}

// --- a job with a status ---

Reply QueuedReply(const OperationView& view) {
  Reply reply = JsonReply(202, Json::Of({{"jobId", view.operation.id}, {"status", "queued"}}));
  AddRetryAfter(view, &reply);
  return reply;
}

Reply JobReply(const OperationView& view) {
  const OperationStatus status = view.operation.status;
  Json body = Json::Of({{"jobId", view.operation.id}, {"status", StatusName(status)}});
  if (view.progress) body.Set("progress", *view.progress);
  if (status == OperationStatus::kSucceeded) {
    body.Set("result", ResultJson(view));
  } else if (status != OperationStatus::kRunning) {
    body.Set("error", ErrorJson(FailureOf(view.operation)));
  }
  Reply reply = JsonReply(200, body);
  if (status == OperationStatus::kRunning) AddRetryAfter(view, &reply);
  return reply;
}

// --- at once ---

Reply SyncReply(const OperationView& view) {
  Reply reply = AcceptedLocationReply(view);
  if (reply.status == 200 && view.operation.kind == OperationKind::kCreate) reply.status = 201;
  return reply;
}

// Splits "REST" into what stands before and after the first slash.
std::pair<std::string_view, std::string_view> SplitOnce(std::string_view rest) {
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return {rest, {}};
  return {rest.substr(0, slash), rest.substr(slash + 1)};
}

// "Volumes", "Volumes('ID')", "$status/ID".
std::optional<Route> ParseOData(std::string_view rest) {
  constexpr std::string_view kOpen = "Volumes('";
  constexpr std::string_view kMonitor = "$status/";
  Route route;
  route.protocol = Protocol::kOData;
  if (rest == "Volumes") return route;
  if (rest.starts_with(kOpen) && rest.ends_with("')")) {
    route.target = Route::Target::kVolume;
    route.id = rest.substr(kOpen.size(), rest.size() - kOpen.size() - 2);
  } else if (rest.starts_with(kMonitor)) {
    route.target = Route::Target::kOperation;
    route.id = rest.substr(kMonitor.size());
  }
  return route.id.empty() ? std::nullopt : std::optional(route);
}

std::optional<Route> ParseInFace(const Face& face, std::string_view rest) {
  if (face.protocol == Protocol::kOData) return ParseOData(rest);
  const auto [collection, id] = SplitOnce(rest);
  const bool whole = rest.find('/') == std::string_view::npos;
  Route route;
  route.protocol = face.protocol;
  route.id = id;
  if (collection == "volumes") {
    route.target = whole ? Route::Target::kVolumes : Route::Target::kVolume;
  } else if (!face.operations.empty() && collection == face.operations) {
    route.target = whole ? Route::Target::kOperations : Route::Target::kOperation;
    if (!whole && !face.cancel.empty() && id.ends_with(face.cancel)) {
      route.target = Route::Target::kCancel;
      route.id = id.substr(0, id.size() - face.cancel.size());
    }
    if (face.protocol == Protocol::kCompute && id.starts_with(kComputeOperation))
      route.id = id.substr(kComputeOperation.size());
  } else if (face.protocol == Protocol::kAzure && collection == "operationResults" && !whole) {
    route.target = Route::Target::kResult;
  } else {
    return std::nullopt;
  }
  const bool proper_id = !route.id.empty() && route.id.find('/') == std::string::npos;
  return whole || proper_id ? std::optional(route) : std::nullopt;
}

}  // namespace

std::optional<Route> ParseRoute(std::string_view path) {
  if (path == "/aws" || path == "/aws/") {
    return Route{Protocol::kAws, Route::Target::kCall, "", false};
  }
  if (path.starts_with(kOData401)) return ParseOData(path.substr(kOData401.size()));
  for (const Face& face : kFaces) {
    if (!path.starts_with(face.prefix)) continue;
    std::optional<Route> route = ParseInFace(face, path.substr(face.prefix.size()));
    if (route) route->embeds = face.protocol == Protocol::kOData;
    return route;
  }
  return std::nullopt;
}

Reply StartedReply(Protocol protocol, const OperationView& view) {
  switch (protocol) {
    case Protocol::kAcceptedLocation: return AcceptedReply(view);
    case Protocol::kLongRunning: return LongRunningReply(view);
    case Protocol::kJobs: return QueuedReply(view);
    case Protocol::kCompute: return ComputeOperationReply(view);
    case Protocol::kAzure: return AzureStartedReply(view);
    case Protocol::kOData: return ODataStartedReply(view);
    case Protocol::kAws: return AwsEventReply(view);
    case Protocol::kDescribe: return DescribeStartedReply(view);
    case Protocol::kSync: break;
  }
  return SyncReply(view);
}

Reply OperationReply(Protocol protocol, const OperationView& view) {
  switch (protocol) {
    case Protocol::kAcceptedLocation: return AcceptedLocationReply(view);
    case Protocol::kLongRunning: return LongRunningReply(view);
    case Protocol::kJobs: return JobReply(view);
    case Protocol::kCompute: return ComputeOperationReply(view);
    case Protocol::kAzure: return AzureStatusReply(view);
    case Protocol::kOData: return ODataMonitorReply(view);
    case Protocol::kAws: return AwsEventReply(view);
    case Protocol::kDescribe:
    case Protocol::kSync: break;
  }
  return SyncReply(view);
}

Reply CanceledReply(Protocol protocol, const OperationView& view) {
  if (protocol == Protocol::kLongRunning) return JsonReply(200, Json::Of({}));
  if (protocol == Protocol::kJobs) return JobReply(view);
  if (protocol == Protocol::kAws) return AwsEventReply(view);
  Reply reply;
  reply.status = 204;
  return reply;
}

Json VolumeJson(const Volume& volume) {
  const std::string_view prefix = FaceOf(volume.origin.protocol).prefix;
  Json json = Json::Of({{"id", volume.id},
                        {"name", volume.spec.name},
                        {"status", StatusName(volume.status)},
                        {"createTime", FormatTime(volume.create_time)},
                        {"selfLink", std::string(prefix) + "volumes/" + volume.id}});
  if (!volume.spec.size.is_null()) json.Set("size", volume.spec.size);
  if (!volume.spec.labels.is_null()) json.Set("labels", volume.spec.labels);
  if (!volume.origin.correlation_id.empty()) {
    json.Set("correlationId", volume.origin.correlation_id);
  }
  return json;
}

Json OperationSummaryJson(const Operation& operation, const Volume& volume) {
  return Json::Of({{"id", operation.id},
                   {"kind", KindName(operation.kind)},
                   {"status", StatusName(operation.status)},
                   {"volumeId", operation.volume_id},
                   {"name", volume.spec.name},
                   {"correlationId", operation.origin.correlation_id},
                   {"createTime", FormatTime(operation.create_time)}});
}

}  // namespace asyncops::simcloud
