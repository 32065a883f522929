#include "kube/object_cache.h"

#include <utility>

namespace asyncops::kube {
namespace {

// An object without a version is never known to be the same.
bool IsSame(const ObjectCache::Entry& a, const ObjectCache::Entry& b) {
  return !a.version.empty() && a.version == b.version && a.uid == b.uid;
}

}  // namespace

std::shared_ptr<const Json> ObjectCache::Get(const ObjectKey& key) const {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : found->second.object;
}

std::vector<std::shared_ptr<const Json>> ObjectCache::List() const {
  const MutexLock lock(mutex_);
  std::vector<std::shared_ptr<const Json>> all;
  all.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) all.push_back(entry.object);
  return all;
}

std::vector<ObjectKey> ObjectCache::Keys() const {
  const MutexLock lock(mutex_);
  std::vector<ObjectKey> all;
  all.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) all.push_back(key);
  return all;
}

std::size_t ObjectCache::size() const {
  const MutexLock lock(mutex_);
  return entries_.size();
}

std::vector<ObjectKey> ObjectCache::Replace(Entries entries) {
  std::vector<ObjectKey> changed;
  // What was there is freed without the lock.
  Entries old;
  {
    const MutexLock lock(mutex_);
    old = std::exchange(entries_, std::move(entries));
    for (const auto& [key, entry] : entries_) {
      const auto before = old.find(key);
      if (before == old.end() || !IsSame(before->second, entry)) changed.push_back(key);
    }
    for (const auto& [key, entry] : old) {
      if (!entries_.contains(key)) changed.push_back(key);
    }
  }
  return changed;
}

bool ObjectCache::Set(const ObjectKey& key, Entry entry) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(key);
  if (found != entries_.end() && IsSame(found->second, entry)) return false;
  entries_.insert_or_assign(key, std::move(entry));
  return true;
}

bool ObjectCache::Erase(const ObjectKey& key) {
  const MutexLock lock(mutex_);
  return entries_.erase(key) > 0;
}

}  // namespace asyncops::kube
