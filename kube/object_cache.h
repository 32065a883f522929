// The objects of one resource, as they were last seen.
#ifndef ASYNCOPS_KUBE_OBJECT_CACHE_H_
#define ASYNCOPS_KUBE_OBJECT_CACHE_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/mutex.h"
#include "kube/informer.h"

namespace asyncops::kube {

// Safe for use from several threads; what it returns is not changed by later updates.
class ObjectCache {
 public:
  struct Entry {
    std::string version;  // of the whole object, which may be kept without it
    std::string uid;
    std::shared_ptr<const Json> object;  // shared with those who read it
  };
  using Entries = std::map<ObjectKey, Entry>;

  // Null where there is none.
  std::shared_ptr<const Json> Get(const ObjectKey& key) const ASYNCOPS_EXCLUDES(mutex_);
  std::vector<std::shared_ptr<const Json>> List() const ASYNCOPS_EXCLUDES(mutex_);
  std::vector<ObjectKey> Keys() const ASYNCOPS_EXCLUDES(mutex_);
  std::size_t size() const ASYNCOPS_EXCLUDES(mutex_);

  // All of it in one step; returns the keys that came, changed or went.
  std::vector<ObjectKey> Replace(Entries entries) ASYNCOPS_EXCLUDES(mutex_);
  // Whether that changed anything.
  bool Set(const ObjectKey& key, Entry entry) ASYNCOPS_EXCLUDES(mutex_);
  bool Erase(const ObjectKey& key) ASYNCOPS_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  Entries entries_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_OBJECT_CACHE_H_
