#include "api/meta/patch.h"

#include <memory>
#include <string>
#include <utility>

#include "api/meta/field_error.h"
#include "apiserver/registry/apply.h"
#include "apiserver/registry/pipeline.h"
#include "apiserver/registry/registry.h"
#include "storage/object_version.h"

namespace asyncops::apiserver {
namespace {

// Of a patch it is the result that is wrong: 422 where a body would be a BadRequest. The result is
// not shown, since it may be a Secret.
Status CheckPatchedFields(const ResourceInfo& resource, const DecodedBody& patch, Json patched) {
  const std::vector<std::string> mistakes =
      TakeFieldMistakes(resource, patch.duplicate_fields, &patched);
  if (mistakes.empty()) return Status::Ok();
  return InvalidObject("", "", "", {InvalidField("patch", Json(), StrictDecodingError(mistakes))});
}

}  // namespace

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
