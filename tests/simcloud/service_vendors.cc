// The parts of the service that only Azure's and AWS's faces have.
#include <charconv>
#include <optional>
#include <utility>

#include "tests/simcloud/faces.h"
#include "tests/simcloud/service.h"
#include "tests/simcloud/signature.h"

namespace asyncops::simcloud {
namespace {

constexpr std::string_view kTypeName = "Sim::Storage::Volume";
constexpr std::string_view kTargetPrefix = "CloudApiService.";

std::string ActionOf(const Request& request) {
  const std::string target = request.Header("x-amz-target");
  return target.starts_with(kTargetPrefix) ? target.substr(kTargetPrefix.size()) : std::string();
}

// The size in a patch (RFC 6902) of the properties; null where there is none.
Json PatchedSize(std::string_view document) {
  const Result<Json> patch = ParseJson(document);
  if (!patch || !patch->is_array()) return {};
  for (const Json& step : patch->as_array()) {
    const Json* value = step.Find("value");
    if (step.StringAt({"path"}) == "/Size" && value != nullptr) return *value;
  }
  return {};
}

Reply AwsNotFound(std::string_view id) {
  return AwsErrorReply(404, "ResourceNotFoundException", "no resource \"" + std::string(id) + "\"");
}

Reply AwsInvalid(std::string_view why) {
  return AwsErrorReply(400, "InvalidRequestException", why);
}

}  // namespace

// --- /arm ---

Reply Service::DispatchAzure(const Route& route, const Request& request, const Orders& orders) {
  const bool get = request.method == "GET";
  if (route.target == Route::Target::kVolumes && get) return ListVolumes(request);
  if (route.target == Route::Target::kOperation && get) return Poll(route, request);
  if (route.target == Route::Target::kResult && get) {
    ++counters_.polls;
    const Operation* operation = cloud_.FindOperation(route.id);
    if (operation == nullptr) return NotFoundReply("operation", route.id);
    cloud_.CountPoll(route.id);
    return AzureResultReply(ViewOf(*operation, route, request));
  }
  if (route.target != Route::Target::kVolume) return MethodNotAllowed(request);
  if (request.method == "PUT" || request.method == "PATCH")
    return PutVolume(route, request, orders);
  const Volume* volume = cloud_.FindByName(route.id);
  if (get) {
    ++counters_.polls;
    if (volume == nullptr) return NotFoundReply("volume", route.id);
    return JsonReply(200, AzureVolumeJson(*volume, *cloud_.FindOperation(volume->operation_id)));
  }
  if (request.method != "DELETE") return MethodNotAllowed(request);
  if (volume == nullptr || !Exists(volume->status)) return NoContent();
  Route by_id = route;
  by_id.id = volume->id;
  return Delete(by_id, request, orders);
}

Reply Service::PutVolume(const Route& route, const Request& request, const Orders& orders) {
  ++counters_.submits;
  const Result<Json> body = ParseJson(request.body);
  if (!body || !body->is_object())
    return ErrorReply(400, "InvalidRequestContent", "the body must be an object");
  const Json* properties = body->Find("properties");
  const Json* found_size = properties == nullptr ? nullptr : properties->Find("size");
  const Json size = found_size == nullptr ? Json() : *found_size;
  const Volume* volume = cloud_.FindByName(route.id);
  if (volume == nullptr || !Exists(volume->status)) {
    const Operation* made = cloud_.Create({route.id, size, Json()}, OriginOf(route, request),
                                          CourseOf(route.protocol, orders));
    return made == nullptr ? Full() : Started(route, request, made->id);
  }
  // The same PUT again changes nothing, whether the first one still runs or not.
  const Operation& newest = *cloud_.FindOperation(volume->operation_id);
  const bool updating = volume->status == VolumeStatus::kUpdating;
  if ((updating ? newest.size : volume->spec.size) == size) {
    if (newest.status == OperationStatus::kRunning) return Started(route, request, newest.id);
    return JsonReply(200, AzureVolumeJson(*volume, newest));
  }
  if (volume->status != VolumeStatus::kAvailable)
    return ErrorReply(409, "Conflict", "another operation on the volume is in progress");
  const Operation* changed =
      cloud_.Update(volume->id, size, OriginOf(route, request), CourseOf(route.protocol, orders));
  return changed == nullptr ? Full() : Started(route, request, changed->id);
}

// --- /aws ---

Reply Service::AwsCall(const Route& route, const Request& request, const Orders& orders) {
  if (!behaviour_.access_key_id.empty()) {
    const Status signature = CheckSignature(
        request, {behaviour_.access_key_id, behaviour_.secret_access_key}, clock_.Now());
    if (!signature.ok()) {
      ++counters_.unauthorized;
      return AwsErrorReply(403, signature.message(), "the request is not signed as it must be");
    }
  }
  if (request.method != "POST") return MethodNotAllowed(request);
  if (request.Header("content-type") != "application/x-amz-json-1.0")
    return AwsErrorReply(400, "UnknownOperationException", "the Content-Type is another one");
  const std::string action = ActionOf(request);
  if (action == "CreateResource" || action == "UpdateResource" || action == "DeleteResource")
    return Submit(route, request, orders);
  const Result<Json> body = ParseJson(request.body);
  if (!body || !body->is_object()) return AwsErrorReply(400, "SerializationException", "no object");
  if (action == "ListResources") return AwsListResources();
  if (action == "GetResource") {
    const std::string id(body->StringAt({"Identifier"}));
    const Volume* volume = cloud_.FindVolume(id);
    if (volume == nullptr) return AwsNotFound(id);
    const Json description =
        Json::Of({{"Identifier", volume->id}, {"Properties", EncodeJson(AwsProperties(*volume))}});
    return JsonReply(200,
                     Json::Of({{"TypeName", kTypeName}, {"ResourceDescription", description}}));
  }
  const bool cancels = action == "CancelResourceRequest";
  if (!cancels && action != "GetResourceRequestStatus")
    return AwsErrorReply(400, "UnknownOperationException", "no such action");
  const std::string token(body->StringAt({"RequestToken"}));
  if (!cancels) ++counters_.polls;
  if (cloud_.FindOperation(token) == nullptr || (cancels && !cloud_.Cancel(token)))
    return AwsErrorReply(400, "RequestTokenNotFoundException",
                         "no request with the token \"" + token + "\"");
  if (!cancels) cloud_.CountPoll(token);
  return AwsEventReply(ViewOf(*cloud_.FindOperation(token), route, request));
}

Reply Service::AwsStart(const Route& route, const Request& request, const Orders& orders) {
  const Result<Json> body = ParseJson(request.body);
  if (!body || !body->is_object()) return AwsErrorReply(400, "SerializationException", "no object");
  if (body->StringAt({"TypeName"}) != kTypeName)
    return AwsErrorReply(404, "TypeNotFoundException", "there is Sim::Storage::Volume alone");
  const std::string action = ActionOf(request);
  const Origin origin = OriginOf(route, request);
  const Course course = CourseOf(route.protocol, orders);
  const Operation* operation = nullptr;
  if (action == "CreateResource") {
    const Result<Json> desired = ParseJson(body->StringAt({"DesiredState"}));
    const std::string name(desired ? desired->StringAt({"Name"}) : std::string_view());
    if (name.empty()) return AwsInvalid("DesiredState: must be the JSON of an object with a Name");
    const Json* size = desired->Find("Size");
    operation = cloud_.Create({name, size == nullptr ? Json() : *size, Json()}, origin, course);
    return operation == nullptr ? Full() : Started(route, request, operation->id);
  }
  const std::string id(body->StringAt({"Identifier"}));
  const Volume* volume = cloud_.FindVolume(id);
  if (volume == nullptr) return AwsNotFound(id);
  if (action == "DeleteResource") {
    operation = cloud_.Delete(id, origin, course);
    return operation == nullptr ? Full() : Started(route, request, operation->id);
  }
  const Json size = PatchedSize(body->StringAt({"PatchDocument"}));
  if (size.is_null()) return AwsInvalid("PatchDocument: must be a JSON Patch of /Size");
  operation = cloud_.Update(id, size, origin, course);
  if (operation == nullptr)
    return AwsErrorReply(409, "ConcurrentOperationException", "the volume is being changed");
  return Started(route, request, operation->id);
}

Reply Service::AwsListResources() {
  ++counters_.lookups;
  JsonArray descriptions;
  for (const Volume& volume : cloud_.AllVolumes()) {
    if (!Exists(volume.status)) continue;
    descriptions.push_back(
        Json::Of({{"Identifier", volume.id}, {"Properties", EncodeJson(AwsProperties(volume))}}));
  }
  return JsonReply(
      200, Json::Of({{"TypeName", kTypeName}, {"ResourceDescriptions", std::move(descriptions)}}));
}

}  // namespace asyncops::simcloud
