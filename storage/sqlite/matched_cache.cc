#include "storage/sqlite/matched_cache.h"

#include <algorithm>

namespace asyncops::storage {

std::shared_ptr<const MatchedNames> MatchedCache::Find(const MatchedKey& key) {
  const MutexLock lock(mutex_);
  const auto found = held_.find(key);
  if (found == held_.end()) return nullptr;
  found->second.used = ++turn_;
  return found->second.names;
}

void MatchedCache::Keep(const MatchedKey& key, std::shared_ptr<const MatchedNames> names) {
  const MutexLock lock(mutex_);
  Held& held = held_[key];
  held.used = ++turn_;
  if (held.names != nullptr && held.names->through() > names->through()) return;
  if (held.names != nullptr) bytes_ -= held.names->bytes();
  bytes_ += names->bytes();
  // What is replaced goes with the argument, after the lock.
  held.names.swap(names);
  while (bytes_ > max_bytes_) ForgetOldest();
}

void MatchedCache::ForgetOldest() {
  const auto oldest = std::min_element(
      held_.begin(), held_.end(),
      [](const auto& one, const auto& other) { return one.second.used < other.second.used; });
  bytes_ -= oldest->second.names->bytes();
  held_.erase(oldest);
}

}  // namespace asyncops::storage
