// The wake of a BodySource: from any thread, coalesced, harmless after the stream has gone.
#ifndef ASYNCOPS_APISERVER_HTTP_STREAM_WAKE_H_
#define ASYNCOPS_APISERVER_HTTP_STREAM_WAKE_H_

#include <atomic>
#include <functional>
#include <memory>

#include "apiserver/http/exchange.h"
#include "base/mutex.h"

namespace asyncops::http {

// Shared by the connection and the wake functions that it gave away.
class StreamWake {
 public:
  explicit StreamWake(Notified& notified) : notified_(&notified) {}
  StreamWake(const StreamWake&) = delete;
  StreamWake& operator=(const StreamWake&) = delete;

  static std::function<void()> MakeFunction(std::shared_ptr<StreamWake> wake);

  // For the connection, before it reads the source: whether a wake has come since the last time.
  // From now on the next wake posts a notice again.
  bool TakePending() { return pending_.exchange(false); }
  // No notice comes after this.
  void Detach();

 private:
  void Wake();

  std::atomic<bool> pending_ = false;
  Mutex mutex_;
  Notified* notified_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::http

#endif  // ASYNCOPS_APISERVER_HTTP_STREAM_WAKE_H_
