#include "apiserver/registry/strategy.h"

#include "api/core/v1/secret.h"
#include "api/meta/deletion.h"
#include "api/operations/v1alpha1/async_operation.h"

namespace asyncops::apiserver {
namespace {

void StartPending(Json* operation) {
  operation->Set("status", Json::Of({{"phase", phase::kPending}, {"state", "Pending"}}));
}

// The finalizer makes its deletion wait until it is empty; what a client put there goes.
void Activate(Json* namespace_object) {
  namespace_object->Set("spec",
                        Json::Of({{"finalizers", JsonArray{std::string(kNamespaceFinalizer)}}}));
  namespace_object->Set("status", Json::Of({{"phase", "Active"}}));
}

constexpr Strategy kDeclared = {};
constexpr Strategy kOperations = {.prepare_for_create = StartPending};
constexpr Strategy kCore = {.allow_unconditional_update = true};
constexpr Strategy kSecrets = {.allow_unconditional_update = true,
                               .prepare_for_create = core::MergeStringData,
                               .prepare_for_update = core::MergeStringData};
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
