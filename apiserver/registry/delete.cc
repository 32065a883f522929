#include <utility>

#include "apiserver/registry/pipeline.h"
#include "apiserver/registry/registry.h"
#include "storage/object_version.h"

namespace asyncops::apiserver {
namespace {

bool HasFinalizers(const Json& object) {
  const Json* finalizers = object.FindPath({"metadata", "finalizers"});
  return finalizers != nullptr && finalizers->is_array() && !finalizers->as_array().empty();
}

}  // namespace

Status CheckDeletePreconditions(const ResourceInfo& resource, const Json& present,
                                const DeleteOptions& options) {
  const std::string_view name = present.StringAt({"metadata", "name"});
  const std::string uid(present.StringAt({"metadata", "uid"}));
  const std::string version(present.StringAt({"metadata", "resourceVersion"}));
  if (options.precondition_uid.value_or(uid) != uid) {
    return Conflict(resource.group, resource.plural, name,
                    "the UID in the precondition (" + *options.precondition_uid +
                        ") does not match the UID in record (" + uid +
                        "). The object might have been deleted and then recreated");
  }
  if (options.precondition_resource_version.value_or(version) != version) {
    return Conflict(resource.group, resource.plural, name,
                    "the ResourceVersion in the precondition (" +
                        *options.precondition_resource_version +
                        ") does not match the ResourceVersion in record (" + version +
                        "). The object might have been modified");
  }
  return Status::Ok();
}

Result<Registry::Modification> Registry::ComputeDelete(const ResourceInfo& resource,
                                                       const Json& present,
                                                       const DeleteOptions& options) const {
  ASYNCOPS_RETURN_IF_ERROR(CheckDeletePreconditions(resource, present, options));
  Modification modification;
  modification.object = present;
  modification.kind = Modification::Kind::kDelete;
  if (HasFinalizers(present)) {
    const bool under_deletion = !present.StringAt({"metadata", "deletionTimestamp"}).empty();
    modification.kind = under_deletion ? Modification::Kind::kNone : Modification::Kind::kUpdate;
    if (!under_deletion) MarkDeletion(resource, clock_.Now(), &modification.object);
  }
  modification.version = storage::MakeObjectVersion(resource, modification.object);
  return modification;
}

void Registry::DeleteObject(const ResourceInfo& resource, const storage::ObjectKey& key,
                            DeleteOptions options, WriteCallback done) {
  const bool dry_run = options.dry_run;
  auto modify = [this, &resource, options = std::move(options)](const Json& present) {
    return ComputeDelete(resource, present, options);
  };
  Modify(resource, key, dry_run, std::move(modify), std::move(done));
}

// Nothing here collects garbage: whatever the propagation policy, dependents stay, and no finalizer
// is added that nobody would remove.
void Registry::Delete(const ResourceInfo& resource, const std::string& namespace_name,
                      const std::string& name, DeleteOptions options, WriteCallback done) {
  if (resource.group.empty() && resource.plural == "namespaces")
    return DeleteNamespace(resource, name, std::move(options), std::move(done));
  DeleteObject(resource, storage::KeyOf(resource, namespace_name, name), std::move(options),
               std::move(done));
}

}  // namespace asyncops::apiserver
