// ExternalSystems of the local store, decoded once: each pass over each operation asks for one.
#ifndef ASYNCOPS_RECONCILER_SYSTEM_CACHE_H_
#define ASYNCOPS_RECONCILER_SYSTEM_CACHE_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>

#include "api/asyncops/v1alpha1/external_system.h"
#include "base/mutex.h"
#include "base/status.h"
#include "reconciler/resource_client.h"
#include "storage/store.h"

namespace asyncops::reconciler {

// As fresh as a read of the store. Safe for use from several threads.
class SystemCache {
 public:
  // The store outlives it.
  explicit SystemCache(storage::Store& store);

  // What `read` gave since the last change of any ExternalSystem, or what it gives now. Failures
  // are not kept.
  template <class Read>
  Result<ExternalSystem> Get(const ObjectName& name, const Read& read) {
    // What changes during the read is read again.
    const std::uint64_t now = changes_;
    if (const std::shared_ptr<const ExternalSystem> kept = Find(name, now)) return *kept;
    Result<ExternalSystem> system = read();
    if (system.ok()) Keep(name, now, *system);
    return system;
  }

 private:
  struct Kept {
    std::uint64_t changes = 0;
    std::shared_ptr<const ExternalSystem> system;
  };

  std::shared_ptr<const ExternalSystem> Find(const ObjectName& name, std::uint64_t changes)
      ASYNCOPS_EXCLUDES(mutex_);
  void Keep(const ObjectName& name, std::uint64_t changes, const ExternalSystem& system)
      ASYNCOPS_EXCLUDES(mutex_);

  std::atomic<std::uint64_t> changes_ = 0;  // commits that touched ExternalSystems
  Mutex mutex_;
  std::map<ObjectName, Kept> kept_ ASYNCOPS_GUARDED_BY(mutex_);  // bounded
  std::unique_ptr<storage::Subscription> subscription_;          // last: it uses the counter
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_SYSTEM_CACHE_H_
