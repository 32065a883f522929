// The values of Secrets as this process knew them last.
#ifndef ASYNCOPS_RECONCILER_LAST_SECRETS_H_
#define ASYNCOPS_RECONCILER_LAST_SECRETS_H_

#include <cstddef>
#include <list>
#include <map>

#include "base/mutex.h"
#include "base/status.h"
#include "reconciler/resource_client.h"

namespace asyncops::reconciler {

// In memory only, until the process ends: what a system under deletion needs is often deleted
// before it. Keeps `limit` bytes of keys and values; those that were read longest ago make room.
// Safe for use from several threads; values are never logged.
class LastSecrets {
 public:
  explicit LastSecrets(std::size_t limit = std::size_t{32} << 20U) : limit_(limit) {}

  void Note(const ObjectName& name, const SecretData& data) ASYNCOPS_EXCLUDES(mutex_);
  // `read`, or where that says NotFound or Forbidden what was noted last; `read` where nothing was.
  Result<SecretData> OrLast(const ObjectName& name, Result<SecretData> read) const
      ASYNCOPS_EXCLUDES(mutex_);

 private:
  struct Entry {
    SecretData data;
    std::size_t size = 0;
    std::list<ObjectName>::iterator place;
  };
  void Drop(std::map<ObjectName, Entry>::iterator entry) ASYNCOPS_REQUIRES(mutex_);

  const std::size_t limit_;
  mutable Mutex mutex_;
  std::map<ObjectName, Entry> entries_ ASYNCOPS_GUARDED_BY(mutex_);
  std::list<ObjectName> order_ ASYNCOPS_GUARDED_BY(mutex_);  // read longest ago first
  std::size_t size_ ASYNCOPS_GUARDED_BY(mutex_) = 0;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_LAST_SECRETS_H_
