#include <utility>

#include "api/schema/walk.h"
#include "apiserver/registry/pipeline.h"
#include "apiserver/registry/registry.h"
#include "storage/object_version.h"

namespace asyncops::apiserver {

void Registry::Change(const ResourceInfo& resource, const std::string& namespace_name,
                      const std::string& name, bool dry_run, ChangeFunction change,
                      WriteCallback done) {
  auto modify = [&resource, change = std::move(change)](const Json& present) {
    return ComputeChange(resource, present, change);
  };
  Modify(resource, storage::KeyOf(resource, namespace_name, name), dry_run, std::move(modify),
         std::move(done));
}

Result<Registry::Modification> Registry::ComputeChange(const ResourceInfo& resource,
                                                       const Json& present,
                                                       const ChangeFunction& change) {
  Json old = present;
  ApplyDefaults(*resource.schema, &old);
  Result<Json> changed = change(old);
  if (!changed.ok()) return changed.status();
  PreparedObject prepared;
  prepared.object = std::move(*changed);
  ASYNCOPS_RETURN_IF_ERROR(FinishObject(resource, &old, &prepared));
  return ModificationOf(std::move(prepared), old);
}

}  // namespace asyncops::apiserver
