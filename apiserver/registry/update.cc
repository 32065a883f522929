#include <utility>

#include "api/schema/walk.h"
#include "apiserver/registry/pipeline.h"
#include "apiserver/registry/preconditions.h"
#include "apiserver/registry/registry.h"
#include "apiserver/registry/strategy.h"
#include "storage/object_version.h"

namespace asyncops::apiserver {

Result<Registry::Modification> Registry::ComputeUpdate(const ResourceInfo& resource,
                                                       const storage::ObjectKey& key,
                                                       const std::string& subresource,
                                                       const Json& present, DecodedBody body,
                                                       const WriteOptions& options,
                                                       bool version_required) const {
  PreparedObject prepared;
  prepared.object = std::move(body.value);
  ASYNCOPS_RETURN_IF_ERROR(CheckBody(
      resource, {.namespace_name = key.namespace_name, .name = key.name}, &prepared.object));
  ASYNCOPS_RETURN_IF_ERROR(
      CheckUpdatePreconditions(resource, prepared.object, present, version_required));
  ASYNCOPS_RETURN_IF_ERROR(CheckFields(resource, options.field_validation, &prepared.object,
                                       body.duplicate_fields, &prepared.warnings));
  if (const auto prepare = StrategyFor(resource).prepare_for_update; prepare != nullptr)
    prepare(&prepared.object);
  // A default that this version of the schema brought is no change of the client's.
  Json old = present;
  ApplyDefaults(*resource.schema, &old);
  prepared.object = MergeUpdate(resource, subresource, old, std::move(prepared.object));
  prepared.writer = FieldManagerOf(resource, subresource, options, clock_.Now());
  prepared.user = options.user;
  ASYNCOPS_RETURN_IF_ERROR(FinishObject(resource, &old, &prepared));
  return ModificationOf(std::move(prepared), old);
}

void Registry::Update(const ResourceInfo& resource, const std::string& namespace_name,
                      const std::string& name, const std::string& subresource, DecodedBody body,
                      WriteOptions options, WriteCallback done) {
  const storage::ObjectKey key = storage::KeyOf(resource, namespace_name, name);
  const bool version_required = !StrategyFor(resource).allow_unconditional_update;
  auto modify = [this, &resource, key, subresource, body = std::move(body), options,
                 version_required](const Json& present) {
    return ComputeUpdate(resource, key, subresource, present, body, options, version_required);
  };
  Modify(resource, key, options.dry_run, std::move(modify), std::move(done));
}

}  // namespace asyncops::apiserver
