#include "api/subresources.h"

#include <algorithm>

#include "api/operations/v1alpha1/async_operation.h"
#include "api/operations/v1alpha1/operation_action.h"
#include "api/operations/v1alpha1/operation_history.h"
#include "api/schema/binding.h"

namespace asyncops {
namespace {

using Subresources = std::vector<SubresourceInfo>;

SubresourceInfo StatusSubresource() {
  return {.name = "status", .verbs = {"get", "patch", "update"}};
}

Subresources OfOperations() {
  return {{.name = "cancel",
           .kind = "AsyncOperationCancel",
           .schema = AsyncOperationCancel::Binding().schema(),
           .verbs = {"create"},
           .description = "ask for an AsyncOperation to be cancelled",
           .acts = true,
           .body_required = false},
          {.name = "history",
           .kind = "AsyncOperationHistory",
           .schema = AsyncOperationHistory::Binding().schema(),
           .verbs = {"get"},
           .description = "read every attempt of an AsyncOperation",
           .pages = true},
          {.name = "resolve",
           .kind = "AsyncOperationResolution",
           .schema = AsyncOperationResolution::Binding().schema(),
           .verbs = {"create"},
           .description = "say what became of an AsyncOperation whose outcome is unknown",
           .acts = true},
          {.name = "retry",
           .kind = "AsyncOperationRetry",
           .schema = AsyncOperationRetry::Binding().schema(),
           .verbs = {"create"},
           .description = "ask for an AsyncOperation to go on now, or to be submitted again",
           .acts = true,
           .body_required = false},
          StatusSubresource()};
}

Subresources OfOwners() {
  return {{.name = std::string(kAsyncOperations),
           .kind = "AsyncOperationList",
           .verbs = {"get"},
           .description = "list or watch the AsyncOperations of an AsyncResource",
           .pages = true,
           .lists_operations = true}};
}

}  // namespace

bool SubresourceInfo::Serves(std::string_view verb) const {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

const std::vector<SubresourceInfo>& SubresourcesOf(const ResourceInfo& resource) {
  static const Subresources kNone;
  static const Subresources kStatus = {StatusSubresource()};
  static const Subresources kOfOperations = OfOperations();
  static const Subresources kOfOwners = OfOwners();
  if (HasOnlySubresources(resource)) return kOfOwners;
  // What the engine keeps a history of is what can be acted on.
  if (resource.has_history) return kOfOperations;
  return resource.has_status ? kStatus : kNone;
}

const SubresourceInfo* FindSubresource(const ResourceInfo& resource, std::string_view name) {
  for (const SubresourceInfo& subresource : SubresourcesOf(resource)) {
    if (subresource.name == name) return &subresource;
  }
  return nullptr;
}

const ResourceInfo& OperationOwners() {
  static const ResourceInfo kOwners{.group = std::string(kOperationsGroup),
                                    .version = std::string(kVersion),
                                    .kind = "AsyncResource",
                                    .plural = "asyncresources",
                                    .singular = "asyncresource"};
  return kOwners;
}

bool HasOnlySubresources(const ResourceInfo& resource) { return resource.schema == nullptr; }

const std::vector<ResourceInfo>& ServedResources() {
  static const std::vector<ResourceInfo> kServed = [] {
    std::vector<ResourceInfo> served = AllResources();
    served.push_back(OperationOwners());
    return served;
  }();
  return kServed;
}

}  // namespace asyncops
