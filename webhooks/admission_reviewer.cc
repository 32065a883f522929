#include "webhooks/admission_reviewer.h"

#include <algorithm>
#include <utility>

#include "api/schema/walk.h"
#include "api/validators.h"
#include "base/json.h"

namespace asyncops::webhooks {
namespace {

using admission::AdmissionRequest;
using admission::AdmissionResponse;
using admission::GroupVersionKind;

// apiserver advises this much for one warning, and cuts what is longer.
constexpr std::size_t kMaxWarningBytes = 120;

http::Response Answer(int status, std::string body) {
  http::Response response;
  response.status = status;
  response.headers.Add("Content-Type", "application/json");
  response.body = std::move(body);
  return response;
}

http::Response Refuse(const Status& status) {
  Json body = admission::StatusObject(status);
  body.Set("apiVersion", "v1");
  body.Set("kind", "Status");
  return Answer(HttpCode(status.reason()), EncodeJson(body));
}

bool IsJson(std::string_view content_type) {
  return content_type.substr(0, content_type.find(';')) == "application/json";
}

// The kinds that the webhook is there for; core/v1 is kube-apiserver's own.
const ResourceInfo* FindReviewed(const GroupVersionKind& kind) {
  for (const ResourceInfo& resource : AllResources()) {
    if (!resource.group.empty() && resource.group == kind.group &&
        resource.version == kind.version && resource.kind == kind.kind)
      return &resource;
  }
  return nullptr;
}

Status NotOurs(const GroupVersionKind& kind) {
  return BadRequest(
      "this webhook validates kinds of asyncops.dev/v1alpha1 and "
      "operations.asyncops.dev/v1alpha1 alone, not " +
      kind.kind + " of " + (kind.group.empty() ? "the core group" : kind.group) +
      "; narrow the rules of the ValidatingWebhookConfiguration");
}

// Brings an object to the form that the validators take: kube-apiserver has done so for CRDs
// already, other callers may not have.
void Prepare(const ResourceInfo& resource, Json* object) {
  PruneUnknownFields(*resource.schema, object);
  ApplyDefaults(*resource.schema, object);
}

AdmissionResponse Conclude(const ResourceInfo& resource, const AdmissionRequest& request,
                           ValidationResult result) {
  AdmissionResponse response{.uid = request.uid, .allowed = result.errors.empty()};
  if (!response.allowed) {
    std::string name = request.name;
    if (name.empty()) name = request.object.StringAt({"metadata", "generateName"});
    response.status = InvalidObject(resource.group, resource.kind, name, result.errors);
  }
  for (std::string& warning : result.warnings) {
    warning.resize(std::min(warning.size(), kMaxWarningBytes));
    response.warnings.push_back(std::move(warning));
  }
  return response;
}

AdmissionResponse Deny(const AdmissionRequest& request, Status status) {
  return {.uid = request.uid, .allowed = false, .status = std::move(status)};
}

AdmissionResponse Allow(const AdmissionRequest& request) {
  return {.uid = request.uid, .allowed = true};
}

// What goes on outside after the deletion is worth a word.
AdmissionResponse DecideDelete(const AdmissionRequest& request) {
  AdmissionResponse response = Allow(request);
  const Json* spec = request.old_object.Find("spec");
  if (request.kind.kind == "AsyncResource" && spec != nullptr &&
      (spec->StringAt({"deletionPolicy"}) == "Orphan" || spec->Find("delete") == nullptr) &&
      !request.old_object.StringAt({"status", "phase"}).empty())
    response.warnings.push_back(
        "what was made outside stays there: there is no delete step, or "
        "deletionPolicy is Orphan");
  return response;
}

}  // namespace

AdmissionResponse AdmissionReviewer::Decide(AdmissionRequest request) const {
  const ResourceInfo* resource = FindReviewed(request.kind);
  if (resource == nullptr) return Deny(request, NotOurs(request.kind));
  if (request.operation == "DELETE") return DecideDelete(request);
  // A status is written by asyncops itself, and a scale or the like does not exist.
  if (!request.sub_resource.empty()) return Allow(request);
  const bool creates = request.operation == "CREATE";
  if (!creates && request.operation != "UPDATE")
    return Deny(request, BadRequest("the operation must be CREATE, UPDATE or DELETE, not \"" +
                                    request.operation + "\""));
  if (!request.object.is_object())
    return Deny(request, BadRequest("a " + request.operation + " needs an object"));
  if (!creates && !request.old_object.is_object())
    return Deny(request, BadRequest("an UPDATE needs an oldObject"));
  Prepare(*resource, &request.object);
  if (creates) return Conclude(*resource, request, ValidateNewObject(*resource, request.object));
  Prepare(*resource, &request.old_object);
  return Conclude(*resource, request,
                  ValidateChangedObject(*resource, request.object, request.old_object));
}

http::Response AdmissionReviewer::Review(const http::Request& request) const {
  if (request.method != "POST")
    return Refuse(
        {Reason::kMethodNotAllowed, "post an AdmissionReview to " + std::string(kValidatePath)});
  if (!IsJson(request.headers.Get("Content-Type")))
    return Refuse({Reason::kUnsupportedMediaType,
                   "the Content-Type of an AdmissionReview must be application/json"});
  Result<Json> review = ParseJson(request.body);
  if (!review.ok()) return Refuse(review.status());
  Result<AdmissionRequest> taken = admission::TakeAdmissionRequest(std::move(*review));
  if (!taken.ok()) return Refuse(taken.status());
  return Answer(200, admission::EncodeAdmissionReview(Decide(std::move(*taken))));
}

}  // namespace asyncops::webhooks
