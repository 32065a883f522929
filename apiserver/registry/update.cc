#include <memory>
#include <utility>

#include "api/meta/deletion.h"
#include "api/meta/field_error.h"
#include "api/meta/patch.h"
#include "api/schema/walk.h"
#include "apiserver/registry/apply.h"
#include "apiserver/registry/pipeline.h"
#include "apiserver/registry/preconditions.h"
#include "apiserver/registry/registry.h"
#include "apiserver/registry/strategy.h"
#include "storage/object_version.h"

namespace asyncops::apiserver {
namespace {

// Whether the last finalizer of an object under deletion is gone.
bool IsFinished(const Json& object) { return IsUnderDeletion(object) && !IsHeld(object); }

// Of a patch it is the result that is wrong: 422 where a body would be a BadRequest. The result is
// not shown, since it may be a Secret.
Status CheckPatchedFields(const ResourceInfo& resource, const DecodedBody& patch, Json patched) {
  std::vector<std::string> warnings;
  const Status status =
      CheckFields(resource, FieldValidation::kStrict, &patched, patch.duplicate_fields, &warnings);
  const std::size_t at = status.message().find("strict decoding error: ");
  if (status.ok() || at == std::string::npos) return status;
  return InvalidObject("", "", "", {InvalidField("patch", Json(), status.message().substr(at))});
}

}  // namespace

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
  prepared.writer = Writer{FieldWriterOf(resource, subresource, options, clock_.Now()), false};
  ASYNCOPS_RETURN_IF_ERROR(FinishObject(resource, &old, &prepared));
  return ModificationOf(std::move(prepared), old);
}

Registry::Modification Registry::ModificationOf(PreparedObject prepared, const Json& old) {
  Modification modification;
  modification.kind = Modification::Kind::kUpdate;
  if (prepared.object == old) modification.kind = Modification::Kind::kNone;
  if (IsFinished(prepared.object)) modification.kind = Modification::Kind::kDelete;
  modification.object = std::move(prepared.object);
  modification.version = std::move(prepared.version);
  modification.warnings = std::move(prepared.warnings);
  return modification;
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

void Registry::Patch(const ResourceInfo& resource, const std::string& namespace_name,
                     const std::string& name, const std::string& subresource, PatchType type,
                     DecodedBody patch, WriteOptions options, WriteCallback done) {
  if (type == PatchType::kApply) {
    return Apply(
        std::make_shared<const ApplyCall>(ApplyCall{resource, namespace_name, name, subresource,
                                                    std::move(patch), std::move(options)}),
        0, std::move(done));
  }
  const storage::ObjectKey key = storage::KeyOf(resource, namespace_name, name);
  auto modify = [this, &resource, key, subresource, type, patch = std::move(patch),
                 options](const Json& present) -> Result<Modification> {
    Result<Json> patched = type == PatchType::kJson ? ApplyJsonPatch(present, patch.value)
                                                    : ApplyMergePatch(present, patch.value);
    if (!patched.ok()) return patched.status();
    if (options.field_validation == FieldValidation::kStrict)
      ASYNCOPS_RETURN_IF_ERROR(CheckPatchedFields(resource, patch, *patched));
    return ComputeUpdate(resource, key, subresource, present,
                         {std::move(*patched), patch.duplicate_fields}, options, false);
  };
  Modify(resource, key, options.dry_run, std::move(modify), std::move(done));
}

}  // namespace asyncops::apiserver
