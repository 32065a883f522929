#include "storage/sqlite/subscriptions.h"

#include <set>
#include <string_view>
#include <utility>

namespace asyncops::storage {

class Subscriptions::Handle final : public Subscription {
 public:
  Handle(Subscriptions& owner, std::shared_ptr<Entry> entry)
      : owner_(owner), entry_(std::move(entry)) {}
  ~Handle() override { owner_.End(entry_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

 private:
  Subscriptions& owner_;
  const std::shared_ptr<Entry> entry_;
};

std::unique_ptr<Subscription> Subscriptions::Add(std::string resource,
                                                 std::function<void()> notify) {
  auto entry = std::make_shared<Entry>();
  entry->resource = std::move(resource);
  entry->notify = std::move(notify);
  const MutexLock lock(mutex_);
  entry->place = entries_.insert(entries_.end(), entry);
  return std::make_unique<Handle>(*this, std::move(entry));
}

void Subscriptions::Notify(const std::vector<std::shared_ptr<const Change>>& changes) {
  for (const std::shared_ptr<Entry>& entry : Concerned(changes)) {
    if (!StartCall(*entry)) continue;
    entry->notify();
    EndCall();
  }
}

std::vector<std::shared_ptr<Subscriptions::Entry>> Subscriptions::Concerned(
    const std::vector<std::shared_ptr<const Change>>& changes) const {
  std::set<std::string_view> resources;
  for (const auto& change : changes) resources.insert(change->record.key.resource);
  std::vector<std::shared_ptr<Entry>> concerned;
  if (resources.empty()) return concerned;
  const MutexLock lock(mutex_);
  for (const auto& entry : entries_)
    if (entry->resource.empty() || resources.contains(entry->resource)) concerned.push_back(entry);
  return concerned;
}

bool Subscriptions::StartCall(const Entry& entry) {
  const MutexLock lock(mutex_);
  if (entry.ended) return false;
  calling_ = &entry;
  caller_ = std::this_thread::get_id();
  return true;
}

void Subscriptions::EndCall() {
  const MutexLock lock(mutex_);
  calling_ = nullptr;
  call_ended_.NotifyAll();
}

void Subscriptions::End(const std::shared_ptr<Entry>& entry) {
  const MutexLock lock(mutex_);
  entry->ended = true;
  entries_.erase(entry->place);
  // A callback that ends its own subscription cannot wait for itself.
  while (calling_ == entry.get() && caller_ != std::this_thread::get_id()) call_ended_.Wait(mutex_);
}

}  // namespace asyncops::storage
