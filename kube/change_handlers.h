// Who is told of each object that changes.
#ifndef ASYNCOPS_KUBE_CHANGE_HANDLERS_H_
#define ASYNCOPS_KUBE_CHANGE_HANDLERS_H_

#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "kube/informer.h"

namespace asyncops::kube {

// Safe for use from several threads. Each handler is called by one thread at a time.
class ChangeHandlers {
 public:
  class Registration;

  // The token ends it: no call is under way after its destructor. It may outlive this object.
  std::unique_ptr<Informer::Handler> Add(std::function<void(const ObjectKey&)> changed,
                                         std::shared_ptr<Registration>* added)
      ASYNCOPS_EXCLUDES(mutex_);
  void Notify(const std::vector<ObjectKey>& keys) ASYNCOPS_EXCLUDES(mutex_);
  static void NotifyOne(Registration& registration, const std::vector<ObjectKey>& keys);

 private:
  Mutex mutex_;
  // Shared with their tokens.
  std::vector<std::shared_ptr<Registration>> registrations_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_CHANGE_HANDLERS_H_
