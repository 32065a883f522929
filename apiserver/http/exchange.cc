#include "apiserver/http/exchange.h"

#include <atomic>
#include <utility>

#include "apiserver/http/status_response.h"

namespace asyncops::http {

// What the copies of one Responder share.
class Exchange::Promise {
 public:
  explicit Promise(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
  Promise(const Promise&) = delete;
  Promise& operator=(const Promise&) = delete;
  ~Promise() {
    if (!called_) exchange_->Answer(StatusResponse(InternalError("the request was not answered")));
  }

  void Answer(Response response) {
    called_ = true;
    exchange_->Answer(std::move(response));
  }

 private:
  std::shared_ptr<Exchange> exchange_;
  std::atomic<bool> called_ = false;
};

Responder Exchange::MakeResponder(std::shared_ptr<Exchange> exchange) {
  auto promise = std::make_shared<Promise>(std::move(exchange));
  return [promise](Response response) { promise->Answer(std::move(response)); };
}

void Exchange::Answer(Response response) {
  // A second answer leaves with this frame, after the lock: it may own a source.
  const MutexLock lock(mutex_);
  if (answered_) return;
  answered_ = true;
  if (notified_ == nullptr) return;
  response_ = std::move(response);
  if (awaited_) notified_->PostNotice();
}

bool Exchange::TakeOrAwait(Response* response) {
  const MutexLock lock(mutex_);
  awaited_ = true;
  if (!answered_) return false;
  *response = std::move(response_);
  return true;
}

void Exchange::Detach() {
  Response dropped;
  const MutexLock lock(mutex_);
  notified_ = nullptr;
  dropped = std::move(response_);
}

}  // namespace asyncops::http
