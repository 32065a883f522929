// One request's answer on its way from a handler, on any thread, to the connection that asked.
#ifndef ASYNCOPS_APISERVER_HTTP_EXCHANGE_H_
#define ASYNCOPS_APISERVER_HTTP_EXCHANGE_H_

#include <memory>

#include "apiserver/http/response.h"
#include "base/mutex.h"

namespace asyncops::http {

// Told when an answer, or a wake, has arrived. Called on any thread with a lock held: must only
// post.
class Notified {
 public:
  virtual ~Notified() = default;
  virtual void PostNotice() = 0;
};

// Shared by the connection and the copies of the Responder; safe for use from several threads.
class Exchange {
 public:
  // `notified` outlives the exchange or calls Detach first.
  explicit Exchange(Notified& notified) : notified_(&notified) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // The Responder for a handler; when its last copy goes without a call, the answer is a 500.
  static Responder MakeResponder(std::shared_ptr<Exchange> exchange);

  // For the connection, once the handler has returned: true and the answer where it is there; else
  // PostNotice is called once when it comes, and this is to be asked again.
  bool TakeOrAwait(Response* response);
  // No notice comes after this; a later answer is dropped.
  void Detach();

 private:
  class Promise;
  void Answer(Response response);

  Mutex mutex_;
  Notified* notified_ ASYNCOPS_GUARDED_BY(mutex_);
  bool answered_ ASYNCOPS_GUARDED_BY(mutex_) = false;
  bool awaited_ ASYNCOPS_GUARDED_BY(mutex_) = false;
  Response response_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::http

#endif  // ASYNCOPS_APISERVER_HTTP_EXCHANGE_H_
