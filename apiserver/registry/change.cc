#include <utility>

#include "api/schema/walk.h"
#include "apiserver/registry/pipeline.h"
#include "apiserver/registry/registry.h"
#include "storage/object_version.h"

namespace asyncops::apiserver {

void Registry::Change(const ResourceInfo& resource, const std::string& namespace_name,
                      const std::string& name, const std::string& subresource,
                      const WriteOptions& options, ChangeFunction change, WriteCallback done) {
  const bool dry_run = options.dry_run;
  auto modify = [this, &resource, subresource, options,
                 change = std::move(change)](const Json& present) {
    return ComputeChange(resource, present, change,
                         FieldManagerOf(resource, subresource, options, clock_.Now()));
  };
  Modify(resource, storage::KeyOf(resource, namespace_name, name), dry_run, std::move(modify),
         std::move(done));
}

Result<Registry::Modification> Registry::ComputeChange(const ResourceInfo& resource,
                                                       const Json& present,
                                                       const ChangeFunction& change,
                                                       const fieldmanager::FieldManager& manager) {
  Json old = present;
  ApplyDefaults(*resource.schema, &old);
  Result<Json> changed = change(old);
  if (!changed.ok()) return changed.status();
  PreparedObject prepared;
  prepared.object = std::move(*changed);
  // Its requester it names itself.
  fieldmanager::TrackUpdate(ScopeOf(resource, manager.subresource), manager, &old,
                            &prepared.object);
  ASYNCOPS_RETURN_IF_ERROR(FinishObject(resource, &old, &prepared));
  return ModificationOf(std::move(prepared), old);
}

}  // namespace asyncops::apiserver
