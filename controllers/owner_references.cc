#include "controllers/owner_references.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "api/asyncops/v1alpha1/async_resource.h"
#include "api/meta/deletion.h"
#include "controllers/object_edit.h"
#include "storage/object_version.h"

namespace asyncops::controllers {
namespace {

const ResourceInfo* ResourceOfKind(const std::string& api_version, const std::string& kind) {
  for (const ResourceInfo& resource : AllResources())
    if (resource.kind == kind && resource.GroupVersion() == api_version) return &resource;
  return nullptr;
}

JsonArray* References(Json* object) {
  Json* references = object->ObjectAt("metadata").Find("ownerReferences");
  return references != nullptr && references->is_array() ? &references->as_array() : nullptr;
}

bool IsOf(const Json& reference, const std::set<std::string>& owner_uids) {
  return owner_uids.contains(std::string(reference.StringAt({"uid"})));
}

}  // namespace

Result<OwnerState> StateOfOwner(const storage::Store& store, const std::string& namespace_name,
                                const storage::OwnerName& owner) {
  const ResourceInfo* resource = ResourceOfKind(owner.api_version, owner.kind);
  if (resource == nullptr) return OwnerState::kSolid;
  // A cluster-scoped object cannot have a namespaced owner: there is no namespace to look in.
  if (resource->namespaced && namespace_name.empty()) return OwnerState::kSolid;
  const std::string scope = resource->namespaced ? namespace_name : "";
  const Result<std::optional<Json>> found =
      ReadMetadata(store, storage::KeyOf(*resource, scope, owner.name));
  if (!found.ok()) return found.status();
  if (!*found || (**found).StringAt({"metadata", "uid"}) != owner.uid) return OwnerState::kAbsent;
  return WaitsForDependents(**found) ? OwnerState::kWaiting : OwnerState::kSolid;
}

bool WaitsForDependents(const Json& object) {
  return IsUnderDeletion(object) && HasFinalizer(object, kForegroundFinalizer) &&
         !HasFinalizer(object, kResourceFinalizer);
}

std::vector<storage::OwnerName> OwnersIn(const Json& object) {
  std::vector<storage::OwnerName> owners;
  const Json* references = object.FindPath({"metadata", "ownerReferences"});
  if (references == nullptr || !references->is_array()) return owners;
  for (const Json& reference : references->as_array()) {
    owners.push_back({.api_version = std::string(reference.StringAt({"apiVersion"})),
                      .kind = std::string(reference.StringAt({"kind"})),
                      .name = std::string(reference.StringAt({"name"})),
                      .uid = std::string(reference.StringAt({"uid"}))});
  }
  return owners;
}

storage::OwnerName AsOwner(const ResourceInfo& resource, std::string name, std::string uid) {
  return {.api_version = resource.GroupVersion(),
          .kind = resource.kind,
          .name = std::move(name),
          .uid = std::move(uid)};
}

bool BlocksOwner(const Json& object, const std::string& owner_uid) {
  const Json* references = object.FindPath({"metadata", "ownerReferences"});
  if (references == nullptr || !references->is_array()) return false;
  const JsonArray& items = references->as_array();
  return std::any_of(items.begin(), items.end(), [&owner_uid](const Json& reference) {
    const Json* blocks = reference.Find("blockOwnerDeletion");
    return reference.StringAt({"uid"}) == owner_uid && blocks != nullptr && blocks->is_bool() &&
           blocks->as_bool();
  });
}

void DropOwners(const std::set<std::string>& owner_uids, Json* object) {
  JsonArray* references = References(object);
  if (references == nullptr) return;
  std::erase_if(*references,
                [&owner_uids](const Json& reference) { return IsOf(reference, owner_uids); });
  if (references->empty()) object->ObjectAt("metadata").Erase("ownerReferences");
}

void UnblockOwners(const std::set<std::string>& owner_uids, Json* object) {
  JsonArray* references = References(object);
  if (references == nullptr) return;
  for (Json& reference : *references)
    if (IsOf(reference, owner_uids)) reference.Set("blockOwnerDeletion", false);
}

}  // namespace asyncops::controllers
