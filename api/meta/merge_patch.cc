#include <string>
#include <utility>
#include <vector>

#include "api/meta/patch.h"
#include "base/json_edit.h"

namespace asyncops {
namespace {

// RFC 7386's MergePatch; recursion is bounded by the depth that ParseJson allows.
void Merge(const JsonObject& patch, Json* target) {
  if (!target->is_object()) *target = JsonObject();
  JsonObject& object = target->as_object();
  bool erases = false;
  std::vector<JsonMember> changed;
  for (const auto& [name, value] : patch) {
    erases = erases || value.is_null();
    if (value.is_null()) continue;
    Json* present = object.Find(name);
    Json merged = value;
    if (value.is_object()) {
      merged = present == nullptr ? Json() : std::move(*present);
      Merge(value.as_object(), &merged);
    }
    changed.push_back({name, std::move(merged)});
  }
  if (erases) {
    EraseMembersIf(&object, [&patch](const std::string& name) {
      const Json* value = patch.Find(name);
      return value != nullptr && value->is_null();
    });
  }
  MergeMembers(&object, JsonObject(std::move(changed)));
}

}  // namespace

Result<Json> ApplyMergePatch(const Json& document, const Json& patch) {
  if (!patch.is_object()) {
    return BadRequest("a merge patch must be a JSON object, got " +
                      std::string(JsonTypeName(patch.type())));
  }
  Json out = document;
  Merge(patch.as_object(), &out);
  return out;
}

}  // namespace asyncops
