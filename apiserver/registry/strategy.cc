#include "apiserver/registry/strategy.h"

#include <utility>

#include "api/operations/v1alpha1/async_operation.h"
#include "base/encoding.h"

namespace asyncops::apiserver {
namespace {

// stringData is write-only: its values go into data, in base64.
void MergeStringData(Json* secret) {
  const Json* given = secret->Find("stringData");
  if (given == nullptr) return;
  const Json string_data = *given;
  secret->as_object().Erase("stringData");
  if (!string_data.is_object()) return;
  JsonObject& data = secret->ObjectAt("data");
  for (const auto& [key, value] : string_data.as_object()) {
    if (value.is_string()) data.Set(key, Base64Encode(value.as_string()));
  }
}

void StartPending(Json* operation) {
  operation->Set("status", Json::Of({{"phase", phase::kPending}, {"state", "Pending"}}));
}

void Activate(Json* namespace_object) {
  namespace_object->Set("status", Json::Of({{"phase", "Active"}}));
}

constexpr Strategy kDeclared = {};
constexpr Strategy kOperations = {.prepare_for_create = StartPending};
constexpr Strategy kCore = {.allow_unconditional_update = true};
constexpr Strategy kSecrets = {.allow_unconditional_update = true,
                               .prepare_for_create = MergeStringData,
                               .prepare_for_update = MergeStringData};
constexpr Strategy kNamespaces = {.allow_unconditional_update = true,
                                  .prepare_for_create = Activate};

}  // namespace

const Strategy& StrategyFor(const ResourceInfo& resource) {
  if (resource.group == kOperationsGroup) return kOperations;
  if (!resource.group.empty()) return kDeclared;
  if (resource.plural == "secrets") return kSecrets;
  if (resource.plural == "namespaces") return kNamespaces;
  return kCore;
}

}  // namespace asyncops::apiserver
