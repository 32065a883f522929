#include "apiserver/cluster/informed_objects.h"

#include <memory>
#include <utility>

#include "base/encoding.h"

namespace asyncops::apiserver {
Result<Json> InformedObjects::Get(const ResourceInfo& resource, const std::string& namespace_name,
                                  const std::string& name) const {
  const auto informer = informers_.find(resource.GroupResource());
  if (informer == informers_.end()) return NotFound(resource.group, resource.plural, name);
  const std::shared_ptr<const Json> found =
      informer->second->Get({.namespace_name = namespace_name, .name = name});
  if (found != nullptr) return *found;
  if (informer->second->health().synced) return NotFound(resource.group, resource.plural, name);
  return Status(Reason::kServiceUnavailable,
                "the " + resource.plural + " of the cluster are not known yet")
      .WithRetryAfter(1);
}

void InformedObjects::GetNamespace(const std::string& name,
                                   std::function<void(Result<Json>)> done) const {
  const auto informer = informers_.find("namespaces");
  if (informer != informers_.end()) {
    const std::shared_ptr<const Json> found =
        informer->second->Get({.namespace_name = "", .name = name});
    if (found != nullptr) return done(*found);
  }
  // It may be newer than what was heard of.
  ask_("/api/v1/namespaces/" + PercentEncode(name), std::move(done));
}

}  // namespace asyncops::apiserver
