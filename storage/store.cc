#include "storage/store.h"

#include <optional>
#include <utility>

#include "base/mutex.h"

namespace asyncops::storage {
namespace {

// A status that one thread hands to another.
class Handover {
 public:
  void Set(const Status& status) {
    const MutexLock lock(mutex_);
    status_ = status;
    set_.NotifyOne();
  }
  Status Wait() {
    const MutexLock lock(mutex_);
    while (!status_) set_.Wait(mutex_);
    return *status_;
  }

 private:
  Mutex mutex_;
  CondVar set_;
  std::optional<Status> status_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace

Status WriteAndWait(Store& store, WriteFunction write) {
  Handover end;
  store.Write(std::move(write), [&end](const Status& status) { end.Set(status); });
  return end.Wait();
}

}  // namespace asyncops::storage
