// /callbacks/...: HTTP to the receiver of callbacks and back. External systems post here without an
// account of Kubernetes; what they send proves itself.
#ifndef ASYNCOPS_APISERVER_HANDLERS_CALLBACK_HANDLER_H_
#define ASYNCOPS_APISERVER_HANDLERS_CALLBACK_HANDLER_H_

#include <functional>

#include "callbacks/receiver.h"
#include "callbacks/source_limiter.h"

#include "apiserver/http/response.h"
#include "base/clock.h"

namespace asyncops::apiserver {

// Answers 202 stored, 200 known already, 400 not to be read, 401 not signed by whom it should be,
// 404 no URL of ours, 405, 410 the operation is over, 429 and 503 with Retry-After. OPTIONS with
// WebHook-Request-Origin is the handshake of CloudEvents' web hooks. An address that sends much
// that is refused gets 429 instead of 401 and 404 for a while; what is good is taken all the same,
// since many senders may share the address of a proxy. Neither paths nor bodies are logged: they
// hold tokens. Thread-safe.
class CallbackHandler {
 public:
  // `receiver` gives null while there is none, such as before the start is over; what it gives
  // outlives the answer. The clock outlives the handler.
  CallbackHandler(std::function<callbacks::Receiver*()> receiver, const Clock& clock);

  void Handle(http::Request request, http::Responder respond);

 private:
  void Deliver(callbacks::LinkPath path, http::Request request, http::Responder respond);
  http::Response ResponseTo(callbacks::Answer answer, const std::string& remote_address);
  // 429 where this address was refused too often.
  http::Response Refuse(int status, const std::string& remote_address, std::string_view why);

  const std::function<callbacks::Receiver*()> receiver_;
  const Clock& clock_;
  callbacks::SourceLimiter limiter_;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_CALLBACK_HANDLER_H_
