#include "kube/change_handlers.h"

#include <utility>

namespace asyncops::kube {

class ChangeHandlers::Registration {
 public:
  explicit Registration(std::function<void(const ObjectKey&)> changed)
      : changed_(std::move(changed)) {}

  // Held while the handler runs: one call at a time, and none after End.
  void Call(const ObjectKey& key) ASYNCOPS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (changed_) changed_(key);
  }
  void End() ASYNCOPS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    changed_ = nullptr;
  }
  bool has_ended() ASYNCOPS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return changed_ == nullptr;
  }

 private:
  Mutex mutex_;
  std::function<void(const ObjectKey&)> changed_ ASYNCOPS_GUARDED_BY(mutex_);
};

namespace {

class Token final : public Informer::Handler {
 public:
  explicit Token(std::shared_ptr<ChangeHandlers::Registration> registration)
      : registration_(std::move(registration)) {}
  Token(const Token&) = delete;
  Token& operator=(const Token&) = delete;
  ~Token() override { registration_->End(); }

 private:
  // Shared with the handlers that it stands among, which may be gone first.
  const std::shared_ptr<ChangeHandlers::Registration> registration_;
};

}  // namespace

std::unique_ptr<Informer::Handler> ChangeHandlers::Add(
    std::function<void(const ObjectKey&)> changed, std::shared_ptr<Registration>* added) {
  *added = std::make_shared<Registration>(std::move(changed));
  const MutexLock lock(mutex_);
  std::erase_if(registrations_, [](const auto& each) { return each->has_ended(); });
  registrations_.push_back(*added);
  return std::make_unique<Token>(*added);
}

void ChangeHandlers::Notify(const std::vector<ObjectKey>& keys) {
  std::vector<std::shared_ptr<Registration>> current;
  {
    const MutexLock lock(mutex_);
    current = registrations_;
  }
  for (const auto& registration : current) NotifyOne(*registration, keys);
}

void ChangeHandlers::NotifyOne(Registration& registration, const std::vector<ObjectKey>& keys) {
  for (const ObjectKey& key : keys) registration.Call(key);
}

}  // namespace asyncops::kube
