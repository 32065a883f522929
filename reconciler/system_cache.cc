#include "reconciler/system_cache.h"

#include "api/scheme.h"

namespace asyncops::reconciler {
namespace {

constexpr std::size_t kMaxKept = 256;

}  // namespace

SystemCache::SystemCache(storage::Store& store) {
  const ResourceInfo* resource = FindResource(kAsyncopsGroup, "externalsystems");
  if (resource != nullptr)
    subscription_ = store.Subscribe(resource->GroupResource(), [this] { ++changes_; });
}

std::shared_ptr<const ExternalSystem> SystemCache::Find(const ObjectName& name,
                                                        std::uint64_t changes) {
  const MutexLock lock(mutex_);
  const auto it = kept_.find(name);
  return it != kept_.end() && it->second.changes == changes ? it->second.system : nullptr;
}

void SystemCache::Keep(const ObjectName& name, std::uint64_t changes,
                       const ExternalSystem& system) {
  const MutexLock lock(mutex_);
  if (kept_.size() >= kMaxKept) kept_.clear();
  kept_.insert_or_assign(
      name, Kept{.changes = changes, .system = std::make_shared<const ExternalSystem>(system)});
}

}  // namespace asyncops::reconciler
