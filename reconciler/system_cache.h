// ExternalSystems decoded once: each pass over each operation asks for one.
#ifndef ASYNCOPS_RECONCILER_SYSTEM_CACHE_H_
#define ASYNCOPS_RECONCILER_SYSTEM_CACHE_H_

#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "reconciler/resource_client.h"

namespace asyncops::reconciler {

// `State` says which object it is that was decoded: two that are equal are of the same one. Safe
// for use from several threads.
template <class State>
class SystemCache {
 public:
  // What was decoded of this state, or what `decode` gives now, a Result<ExternalSystem>. Failures
  // are not kept.
  template <class Decode>
  Result<SharedSystem> Get(const ObjectName& name, const State& state, const Decode& decode)
      ASYNCOPS_EXCLUDES(mutex_) {
    if (SharedSystem kept = Find(name, state)) return kept;
    Result<ExternalSystem> system = decode();
    if (!system.ok()) return system.status();
    auto decoded = std::make_shared<const ExternalSystem>(*std::move(system));
    const MutexLock lock(mutex_);
    if (kept_.size() >= kMaxKept) kept_.clear();
    kept_.insert_or_assign(name, Kept{.state = state, .system = decoded});
    return SharedSystem(std::move(decoded));
  }

 private:
  static constexpr std::size_t kMaxKept = 256;
  struct Kept {
    State state;
    SharedSystem system;
  };

  SharedSystem Find(const ObjectName& name, const State& state) ASYNCOPS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    const auto it = kept_.find(name);
    return it != kept_.end() && it->second.state == state ? it->second.system : nullptr;
  }

  Mutex mutex_;
  std::map<ObjectName, Kept> kept_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_SYSTEM_CACHE_H_
