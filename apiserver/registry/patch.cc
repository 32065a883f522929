#include "api/meta/patch.h"

#include <memory>
#include <string>
#include <utility>

#include "api/meta/field_error.h"
#include "apiserver/registry/apply.h"
#include "apiserver/registry/pipeline.h"
#include "apiserver/registry/registry.h"
#include "base/limits.h"
#include "storage/object_version.h"

namespace asyncops::apiserver {
namespace {

// What strict decoding of the patch itself finds: of a JSON patch, members that no operation has.
std::vector<std::string> MistakesOf(const DecodedBody& patch, PatchType type) {
  std::vector<std::string> mistakes;
  const std::string_view prefix = type == PatchType::kJson ? "json patch " : "";
  const auto tell = [&mistakes, prefix](std::string_view what, const std::string& field) {
    mistakes.push_back(std::string(prefix).append(what).append(" field \"" + field + "\""));
  };
  if (type == PatchType::kJson && patch.value.is_array()) {
    std::size_t index = 0;
    for (const Json& operation : patch.value.as_array()) {
      const std::string at = "[" + std::to_string(index++) + "].";
      if (!operation.is_object()) continue;
      for (const auto& [name, value] : operation.as_object()) {
        const bool known = name == "op" || name == "path" || name == "from" || name == "value";
        if (!known) tell("unknown", at + name);
        if (mistakes.size() > kMaxReportedMistakes) return mistakes;
      }
    }
  }
  for (const std::string& field : patch.duplicate_fields) tell("duplicate", field);
  return mistakes;
}

// Of a patch it is the result that is wrong: 422 where a body would be a BadRequest. The result is
// not shown, since it may be a Secret.
Status CheckPatchedFields(const ResourceInfo& resource, std::vector<std::string> mistakes,
                          Json patched) {
  std::vector<std::string> unknown = TakeFieldMistakes(resource, {}, &patched);
  mistakes.insert(mistakes.end(), unknown.begin(), unknown.end());
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
  auto modify = [this, &resource, key, subresource, type, mistakes = MistakesOf(patch, type),
                 patch = std::move(patch.value),
                 options](const Json& present) -> Result<Modification> {
    Result<Json> patched =
        type == PatchType::kJson ? ApplyJsonPatch(present, patch) : ApplyMergePatch(present, patch);
    if (!patched.ok()) return patched.status();
    if (options.field_validation == FieldValidation::kStrict)
      ASYNCOPS_RETURN_IF_ERROR(CheckPatchedFields(resource, mistakes, *patched));
    Result<Modification> modification = ComputeUpdate(resource, key, subresource, present,
                                                      {*std::move(patched), {}}, options, false);
    if (modification.ok() && options.field_validation == FieldValidation::kWarn)
      modification->warnings.insert(modification->warnings.begin(), mistakes.begin(),
                                    mistakes.end());
    return modification;
  };
  Modify(resource, key, options.dry_run, std::move(modify), std::move(done));
}

}  // namespace asyncops::apiserver
