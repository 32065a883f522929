// Objects decoded once: each pass over each operation asks for its ExternalSystem, each call for
// the Secrets of that.
#ifndef ASYNCOPS_RECONCILER_DECODED_CACHE_H_
#define ASYNCOPS_RECONCILER_DECODED_CACHE_H_

#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "reconciler/resource_client.h"

namespace asyncops::reconciler {

// How many ExternalSystems are kept decoded.
inline constexpr std::size_t kMaxDecodedSystems = 256;

// `State` says which object it is that was decoded: two that are equal are of the same one. Safe
// for use from several threads.
template <class State, class T>
class DecodedCache {
 public:
  // Keeps so many objects at most.
  explicit DecodedCache(std::size_t most) : most_(most) {}

  // What was decoded of this state, or what `decode` gives now, a Result<T>; never null. Failures
  // are not kept.
  template <class Decode>
  Result<std::shared_ptr<const T>> Get(const ObjectName& name, const State& state,
                                       const Decode& decode) ASYNCOPS_EXCLUDES(mutex_) {
    if (std::shared_ptr<const T> kept = Find(name, state)) return kept;
    Result<T> made = decode();
    if (!made.ok()) return made.status();
    auto decoded = std::make_shared<const T>(*std::move(made));
    const MutexLock lock(mutex_);
    if (kept_.size() >= most_) kept_.clear();
    kept_.insert_or_assign(name, Kept{.state = state, .decoded = decoded});
    return std::shared_ptr<const T>(std::move(decoded));
  }

 private:
  struct Kept {
    State state;
    std::shared_ptr<const T> decoded;
  };

  std::shared_ptr<const T> Find(const ObjectName& name, const State& state)
      ASYNCOPS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    const auto it = kept_.find(name);
    return it != kept_.end() && it->second.state == state ? it->second.decoded : nullptr;
  }

  const std::size_t most_;
  Mutex mutex_;
  std::map<ObjectName, Kept> kept_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_DECODED_CACHE_H_
