#include "reconciler/cluster_objects.h"

#include <utility>

#include "api/meta/deletion.h"
#include "api/scheme.h"

namespace asyncops::reconciler {
namespace {

std::string_view VersionOf(const Json& object) {
  return object.StringAt({"metadata", "resourceVersion"});
}

class InformerSubscription final : public storage::Subscription {
 public:
  explicit InformerSubscription(std::unique_ptr<kube::Informer::Handler> handler)
      : handler_(std::move(handler)) {}

 private:
  std::unique_ptr<kube::Informer::Handler> handler_;
};

}  // namespace

ClusterObjects::ClusterObjects(std::string plural, kube::Informer& informer, ClusterCalls& calls)
    : plural_(std::move(plural)), informer_(informer), calls_(calls) {}

Status ClusterObjects::Missing(const ObjectName& name) const {
  return NotFound(kAsyncopsGroup, plural_, name.name);
}

Status ClusterObjects::NotListed() const {
  return {Reason::kServiceUnavailable,
          plural_ + "." + std::string(kAsyncopsGroup) +
              " are not known yet: kube-apiserver has not listed them"};
}

Status ClusterObjects::Failed(const ObjectName& name, const Status& status) const {
  if (status.reason() != Reason::kNotFound) return status;
  if (IsObjectMissing(status, name.name)) return Missing(name);
  return {Reason::kServiceUnavailable, "kube-apiserver does not serve " + plural_ + "." +
                                           std::string(kAsyncopsGroup) + ": " + status.message()};
}

Result<SharedJson> ClusterObjects::Get(const ObjectName& name) {
  if (!IsObjectName(name.name)) return Missing(name);
  SharedJson cached = informer_.Get({.namespace_name = name.namespace_name, .name = name.name});
  if (cached == nullptr && !informer_.health().synced) return NotListed();
  if (cached == nullptr) return GetLive(name);
  const MutexLock lock(mutex_);
  const auto newer = newer_.find(name);
  if (newer == newer_.end()) return cached;
  if (IsLaterVersion(VersionOf(*newer->second), VersionOf(*cached))) return newer->second;
  newer_.erase(newer);
  return cached;
}

Result<std::vector<SharedJson>> ClusterObjects::List(const std::string& namespace_name) {
  if (!informer_.health().synced) return NotListed();
  std::map<ObjectName, SharedJson> found;
  for (SharedJson& object : informer_.List()) {
    if (object->StringAt({"metadata", "namespace"}) != namespace_name) continue;
    ObjectName name{namespace_name, std::string(object->StringAt({"metadata", "name"}))};
    found.emplace(std::move(name), std::move(object));
  }
  std::vector<ObjectName> unlisted;
  {
    const MutexLock lock(mutex_);
    for (auto newer = newer_.lower_bound({namespace_name, ""});
         newer != newer_.end() && newer->first.namespace_name == namespace_name; ++newer) {
      const Json& object = *newer->second;
      const auto listed = found.find(newer->first);
      if (listed == found.end()) {
        // What we let go of ourselves is gone.
        if (!IsUnderDeletion(object) || HasFinalizers(object)) unlisted.push_back(newer->first);
      } else if (IsLaterVersion(VersionOf(object), VersionOf(*listed->second))) {
        listed->second = newer->second;
      }
    }
  }
  for (const ObjectName& name : unlisted) {
    Result<SharedJson> live = GetLive(name);
    if (live.ok()) found.emplace(name, *std::move(live));
    if (!live.ok() && live.status().reason() != Reason::kNotFound) return live.status();
  }
  std::vector<SharedJson> objects;
  for (auto& [name, object] : found) objects.push_back(std::move(object));
  return objects;
}

Result<SharedJson> ClusterObjects::GetLive(const ObjectName& name) {
  if (!IsObjectName(name.name)) return Missing(name);
  Result<Json> object =
      calls_.Get(ClusterPath(kAsyncopsGroup, plural_, name.namespace_name, name.name));
  if (object.ok()) return Note(name, *std::move(object));
  const Status status = Failed(name, object.status());
  if (status.reason() == Reason::kNotFound) {
    const MutexLock lock(mutex_);
    newer_.erase(name);
  }
  return status;
}

SharedJson ClusterObjects::Note(const ObjectName& name, Json object) {
  auto seen = std::make_shared<const Json>(std::move(object));
  const MutexLock lock(mutex_);
  SharedJson& newest = newer_[name];
  // Answers of two threads may come in another order than they were made.
  if (newest == nullptr || IsLaterVersion(VersionOf(*seen), VersionOf(*newest))) newest = seen;
  return seen;
}

Status ClusterObjects::Patch(const Json& present, std::string_view subresource, Json patch) {
  const ObjectName name{.namespace_name = std::string(present.StringAt({"metadata", "namespace"})),
                        .name = std::string(present.StringAt({"metadata", "name"}))};
  std::string path = ClusterPath(kAsyncopsGroup, plural_, name.namespace_name, name.name);
  if (!subresource.empty()) path.append("/").append(subresource);
  patch.ObjectAt("metadata").Set("resourceVersion", VersionOf(present));
  Result<Json> written = calls_.Patch(path, patch);
  if (written.ok()) {
    Note(name, *std::move(written));
    return Status::Ok();
  }
  return Failed(name, written.status());
}

std::unique_ptr<storage::Subscription> ClusterObjects::Watch(
    std::function<void(const ObjectName&)> changed) {
  return std::make_unique<InformerSubscription>(
      informer_.OnChange([changed = std::move(changed)](const kube::ObjectKey& key) {
        changed({.namespace_name = key.namespace_name, .name = key.name});
      }));
}

}  // namespace asyncops::reconciler
