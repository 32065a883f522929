#include "apiserver/registry/requester.h"

#include "api/operations/v1alpha1/annotations.h"

namespace asyncops::apiserver {
namespace {

std::string_view Annotation(const Json* object, std::string_view name) {
  return object == nullptr ? std::string_view()
                           : object->StringAt({"metadata", "annotations", name});
}

bool Suspends(const Json* object) {
  const Json* suspend = object == nullptr ? nullptr : object->FindPath({"spec", "suspend"});
  return suspend != nullptr && suspend->is_bool() && suspend->as_bool();
}

bool AsksAnew(const Json* old, const Json& object) {
  for (const std::string_view name :
       {kRetryRequestedAt, kCancelRequestedAt, kResolve, kForceDelete}) {
    const std::string_view asked = Annotation(&object, name);
    if (!asked.empty() && asked != Annotation(old, name)) return true;
  }
  return Suspends(&object) != Suspends(old);
}

}  // namespace

void StampRequester(const ResourceInfo& resource, const std::string& user, const Json* old,
                    Json* object) {
  if (resource.kind != "AsyncOperation" && resource.kind != "AsyncResource") return;
  const std::string wanted =
      AsksAnew(old, *object) ? user : std::string(Annotation(old, kRequestedBy));
  if (wanted == Annotation(object, kRequestedBy)) return;
  JsonObject& metadata = object->ObjectAt("metadata");
  Json& annotations = metadata["annotations"];
  // The wrong type is for validation to tell.
  if (!annotations.is_object() && !annotations.is_null()) return;
  if (!wanted.empty()) {
    annotations.Set(kRequestedBy, wanted);
    return;
  }
  if (!annotations.is_object()) return;
  annotations.as_object().Erase(kRequestedBy);
  if (annotations.as_object().empty()) metadata.Erase("annotations");
}

}  // namespace asyncops::apiserver
