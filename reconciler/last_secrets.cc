#include "reconciler/last_secrets.h"

namespace asyncops::reconciler {
namespace {

// An empty Secret takes room, too.
constexpr std::size_t kEntryBytes = 64;

std::size_t SizeOf(const ObjectName& name, const SecretData& data) {
  std::size_t size = kEntryBytes + name.namespace_name.size() + name.name.size();
  for (const auto& [key, value] : data) size += key.size() + value.size();
  return size;
}

}  // namespace

void LastSecrets::Note(const ObjectName& name, const SecretData& data) {
  const MutexLock lock(mutex_);
  if (const auto known = entries_.find(name); known != entries_.end()) {
    // Read for each call, and almost always as it was.
    if (known->second.data == data) return order_.splice(order_.end(), order_, known->second.place);
    Drop(known);
  }
  const std::size_t size = SizeOf(name, data);
  size_ += size;
  const auto place = order_.insert(order_.end(), name);
  entries_.emplace(name, Entry{.data = data, .size = size, .place = place});
  while (size_ > limit_) Drop(entries_.find(order_.front()));
}

Result<SecretData> LastSecrets::OrLast(const ObjectName& name, Result<SecretData> read) const {
  const Reason reason = read.status().reason();
  if (read.ok() || (reason != Reason::kNotFound && reason != Reason::kForbidden)) return read;
  const MutexLock lock(mutex_);
  const auto known = entries_.find(name);
  if (known == entries_.end()) return read;
  return known->second.data;
}

void LastSecrets::Drop(std::map<ObjectName, Entry>::iterator entry) {
  size_ -= entry->second.size;
  order_.erase(entry->second.place);
  entries_.erase(entry);
}

}  // namespace asyncops::reconciler
