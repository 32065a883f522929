// The latest changes in memory, shared by all who watch.
#ifndef ASYNCOPS_STORAGE_SQLITE_CHANGE_RING_H_
#define ASYNCOPS_STORAGE_SQLITE_CHANGE_RING_H_

#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "storage/change.h"

namespace asyncops::storage {

// Safe for use from several threads.
class ChangeRing {
 public:
  // Holds what comes after `revision`, at most `capacity` changes.
  ChangeRing(Revision revision, std::size_t capacity);
  ChangeRing(const ChangeRing&) = delete;
  ChangeRing& operator=(const ChangeRing&) = delete;

  // Adds the changes of one commit, by revision, all newer than what was added before.
  void Publish(const std::vector<std::shared_ptr<const Change>>& changes);

  // Drops what it holds: changes up to now are for others to read.
  void Forget();

  // As Store::Changes; nothing where `after` is older than what is held.
  std::optional<ChangeBatch> Read(std::string_view resource, std::string_view namespace_name,
                                  Revision after, int limit) const;

  // Of the latest change that was published.
  Revision revision() const;

 private:
  const std::size_t capacity_;

  mutable Mutex mutex_;
  std::deque<std::shared_ptr<const Change>> changes_ ASYNCOPS_GUARDED_BY(mutex_);
  Revision before_ ASYNCOPS_GUARDED_BY(mutex_);  // of the latest change that is not held any more
  Revision newest_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_CHANGE_RING_H_
