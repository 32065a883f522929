#include "api/operations/v1alpha1/operation_action.h"

#include <utility>

#include "api/operations/v1alpha1/annotations.h"
#include "api/operations/v1alpha1/async_operation.h"
#include "api/schema/binding.h"
#include "base/rfc3339.h"

namespace asyncops {
namespace {

// status.state of an operation that waits for its resolution.
constexpr std::string_view kParked = "OutcomeUnknown";

bool IsOver(std::string_view phase) {
  return phase == phase::kSucceeded || phase == phase::kFailed || phase == phase::kCanceled;
}

Result<OperationRequest> ReadResolution(const Json& body) {
  const Result<AsyncOperationResolution> resolution = DecodeAs<AsyncOperationResolution>(body);
  if (!resolution.ok()) return resolution.status();
  if (const FieldErrors errors = ValidateResolution(*resolution); !errors.empty()) {
    return InvalidObject(kOperationsGroup, "AsyncOperationResolution", resolution->metadata.name,
                         errors);
  }
  if (resolution->outcome != "Adopt")
    return OperationRequest{std::string(kResolve), resolution->outcome};
  const std::string_view prefix = resolution->force ? kForceAdoptPrefix : kAdoptPrefix;
  return OperationRequest{std::string(kResolve), std::string(prefix) + resolution->operation_id};
}

// Why the request cannot be taken; "" where it can.
std::string WhyNot(std::string_view annotation, const Json& operation) {
  const std::string phase(operation.StringAt({"status", "phase"}));
  const std::string state(operation.StringAt({"status", "state"}));
  if (annotation == kResolve) {
    if (state == kParked) return "";
    return "only an operation whose state is OutcomeUnknown can be resolved; the state is " +
           (state.empty() ? "Pending" : state);
  }
  if (state == kParked) {
    return "it is unknown whether the operation runs outside: post an AsyncOperationResolution "
           "to its resolve subresource first";
  }
  if (annotation == kCancelRequestedAt)
    return IsOver(phase) ? "the operation is over: its phase is " + phase : "";
  if (phase == phase::kSucceeded) return "the operation is over: its phase is " + phase;
  const bool deleting = !operation.StringAt({"metadata", "deletionTimestamp"}).empty();
  return deleting ? "the operation is being deleted" : "";
}

}  // namespace

FieldErrors ValidateResolution(const AsyncOperationResolution& resolution) {
  const bool adopts = resolution.outcome == "Adopt";
  if (adopts && resolution.operation_id.empty()) {
    return {RequiredField("operationID",
                          "outcome: Adopt follows what runs outside, by the external system's ID "
                          "of it")};
  }
  if (!adopts && !resolution.operation_id.empty())
    return {ForbiddenField("operationID", "belongs to outcome: Adopt")};
  if (!adopts && resolution.force) return {ForbiddenField("force", "belongs to outcome: Adopt")};
  return {};
}

Result<OperationRequest> ReadOperationRequest(const std::string& subresource, const Json& body,
                                              Time now) {
  if (subresource == "resolve") return ReadResolution(body);
  const std::string_view annotation =
      subresource == "cancel" ? kCancelRequestedAt : kRetryRequestedAt;
  return OperationRequest{std::string(annotation), FormatMicroTime(now)};
}

Result<Json> RecordOperationRequest(const OperationRequest& request, Json operation) {
  if (const std::string why = WhyNot(request.annotation, operation); !why.empty()) {
    return Conflict(kOperationsGroup, kAsyncOperations, operation.StringAt({"metadata", "name"}),
                    why);
  }
  Json& annotations = operation.ObjectAt("metadata")["annotations"];
  annotations.Set(request.annotation, request.value);
  if (request.user.empty()) {
    annotations.as_object().Erase(kRequestedBy);
  } else {
    annotations.Set(kRequestedBy, request.user);
  }
  return operation;
}

}  // namespace asyncops
