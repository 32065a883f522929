#include "apiserver/http/stream_wake.h"

#include <utility>

namespace asyncops::http {

std::function<void()> StreamWake::MakeFunction(std::shared_ptr<StreamWake> wake) {
  return [shared = std::move(wake)] { shared->Wake(); };
}

void StreamWake::Wake() {
  if (pending_.exchange(true)) return;
  const MutexLock lock(mutex_);
  if (notified_ != nullptr) notified_->PostNotice();
}

void StreamWake::Detach() {
  const MutexLock lock(mutex_);
  notified_ = nullptr;
}

}  // namespace asyncops::http
