#include "storage/sqlite/change_ring.h"

#include <algorithm>

namespace asyncops::storage {

ChangeRing::ChangeRing(Revision revision, std::size_t capacity)
    : capacity_(capacity), before_(revision), newest_(revision) {}

void ChangeRing::Publish(const std::vector<std::shared_ptr<const Change>>& changes) {
  if (changes.empty()) return;
  const MutexLock lock(mutex_);
  changes_.insert(changes_.end(), changes.begin(), changes.end());
  while (changes_.size() > capacity_) {
    before_ = changes_.front()->record.revision;
    changes_.pop_front();
  }
  newest_ = changes.back()->record.revision;
}

void ChangeRing::Forget() {
  const MutexLock lock(mutex_);
  std::deque<std::shared_ptr<const Change>>().swap(changes_);
  before_ = newest_;
}

std::optional<ChangeBatch> ChangeRing::Read(std::string_view resource,
                                            std::string_view namespace_name, Revision after,
                                            int limit) const {
  const MutexLock lock(mutex_);
  if (after < before_) return std::nullopt;
  ChangeBatch batch;
  batch.through = std::max(after, newest_);
  auto next = std::upper_bound(changes_.begin(), changes_.end(), after,
                               [](Revision revision, const std::shared_ptr<const Change>& change) {
                                 return revision < change->record.revision;
                               });
  for (; next != changes_.end(); ++next) {
    const ObjectKey& key = (*next)->record.key;
    if (key.resource != resource) continue;
    if (!namespace_name.empty() && key.namespace_name != namespace_name) continue;
    if (static_cast<int>(batch.changes.size()) >= limit) {
      batch.through = batch.changes.empty() ? after : batch.changes.back()->record.revision;
      break;
    }
    batch.changes.push_back(*next);
  }
  return batch;
}

Revision ChangeRing::revision() const {
  const MutexLock lock(mutex_);
  return newest_;
}

}  // namespace asyncops::storage
