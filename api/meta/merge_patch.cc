#include <vector>

#include "api/meta/patch.h"

namespace asyncops {
namespace {

// RFC 7386's MergePatch; recursion is bounded by the depth that ParseJson allows.
void Merge(const JsonObject& patch, Json* target) {
  if (!target->is_object()) *target = JsonObject();
  for (const auto& [name, value] : patch) {
    if (value.is_null()) {
      target->as_object().Erase(name);
    } else if (value.is_object()) {
      Merge(value.as_object(), &target->as_object()[name]);
    } else {
      target->as_object().Set(name, value);
    }
  }
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
