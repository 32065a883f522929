#include "api/admission/v1/admission_review.h"

#include <utility>

namespace asyncops::admission {
namespace {

Json TakeMember(Json* object, std::string_view name) {
  Json* member = object->Find(name);
  return member == nullptr ? Json() : std::move(*member);
}

Json EncodeCauses(const std::vector<StatusCause>& causes) {
  JsonArray out;
  out.reserve(causes.size());
  for (const StatusCause& cause : causes) {
    out.push_back(
        Json::Of({{"reason", cause.reason}, {"message", cause.message}, {"field", cause.field}}));
  }
  return out;
}

Json EncodeDetails(const StatusDetails& details) {
  JsonObject out;
  const auto add = [&out](std::string_view name, const std::string& value) {
    if (!value.empty()) out.Set(name, value);
  };
  add("name", details.name);
  add("group", details.group);
  add("kind", details.kind);
  add("uid", details.uid);
  if (!details.causes.empty()) out.Set("causes", EncodeCauses(details.causes));
  return out;
}

}  // namespace

Result<AdmissionRequest> TakeAdmissionRequest(Json review) {
  if (!review.is_object()) return BadRequest("the body must be an AdmissionReview object");
  if (review.StringAt({"kind"}) != kKind || review.StringAt({"apiVersion"}) != kApiVersion)
    return BadRequest("the body must be an AdmissionReview of admission.k8s.io/v1");
  Json* request = review.Find("request");
  if (request == nullptr || !request->is_object())
    return BadRequest("the AdmissionReview has no request");
  AdmissionRequest out;
  out.uid = request->StringAt({"uid"});
  if (out.uid.empty()) return BadRequest("the request of the AdmissionReview has no uid");
  out.kind = {.group = std::string(request->StringAt({"kind", "group"})),
              .version = std::string(request->StringAt({"kind", "version"})),
              .kind = std::string(request->StringAt({"kind", "kind"}))};
  out.sub_resource = request->StringAt({"subResource"});
  out.name = request->StringAt({"name"});
  out.namespace_name = request->StringAt({"namespace"});
  out.operation = request->StringAt({"operation"});
  const Json* dry_run = request->Find("dryRun");
  out.dry_run = dry_run != nullptr && dry_run->is_bool() && dry_run->as_bool();
  out.object = TakeMember(request, "object");
  out.old_object = TakeMember(request, "oldObject");
  return out;
}

Json StatusObject(const Status& status) {
  JsonObject out = {{"status", "Failure"},
                    {"message", status.message()},
                    {"reason", std::string(ReasonName(status.reason()))},
                    {"code", HttpCode(status.reason())},
                    {"metadata", JsonObject()}};
  Json details = EncodeDetails(status.details());
  if (!details.as_object().empty()) out.Set("details", std::move(details));
  return out;
}

std::string EncodeAdmissionReview(const AdmissionResponse& response) {
  JsonObject body = {{"uid", response.uid}, {"allowed", response.allowed}};
  if (!response.allowed) body.Set("status", StatusObject(response.status));
  if (!response.warnings.empty()) {
    JsonArray warnings(response.warnings.begin(), response.warnings.end());
    body.Set("warnings", std::move(warnings));
  }
  return EncodeJson(Json::Of({{"apiVersion", std::string(kApiVersion)},
                              {"kind", std::string(kKind)},
                              {"response", std::move(body)}}));
}

}  // namespace asyncops::admission
