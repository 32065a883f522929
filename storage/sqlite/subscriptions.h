// Who wants to know of commits.
#ifndef ASYNCOPS_STORAGE_SQLITE_SUBSCRIPTIONS_H_
#define ASYNCOPS_STORAGE_SQLITE_SUBSCRIPTIONS_H_

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "storage/change.h"
#include "storage/store.h"

namespace asyncops::storage {

// Add and the end of a Subscription are safe on any thread; Notify is for one.
class Subscriptions {
 public:
  Subscriptions() = default;
  Subscriptions(const Subscriptions&) = delete;
  Subscriptions& operator=(const Subscriptions&) = delete;

  // As Store::Subscribe. The subscriptions end before this does.
  std::unique_ptr<Subscription> Add(std::string resource, std::function<void()> notify);

  // Calls those whose resource is among the changes, each once, with no lock held.
  void Notify(const std::vector<std::shared_ptr<const Change>>& changes);

 private:
  struct Entry {
    std::string resource;
    std::function<void()> notify;
    bool ended = false;
    // Where it stands in entries_, so that ten thousand that end do not each look for themselves.
    std::list<std::shared_ptr<Entry>>::iterator place{};
  };
  class Handle;

  void End(const std::shared_ptr<Entry>& entry);
  std::vector<std::shared_ptr<Entry>> Concerned(
      const std::vector<std::shared_ptr<const Change>>& changes) const;
  // False where the entry ended meanwhile.
  bool StartCall(const Entry& entry);
  void EndCall();

  mutable Mutex mutex_;
  CondVar call_ended_;
  // Shared with the caller of Notify, which calls without the lock.
  std::list<std::shared_ptr<Entry>> entries_ ASYNCOPS_GUARDED_BY(mutex_);
  const Entry* calling_ ASYNCOPS_GUARDED_BY(mutex_) = nullptr;
  std::thread::id caller_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_SUBSCRIPTIONS_H_
