// An HTTP response as handlers make it: a whole body, or a source that is pulled as the socket
// drains.
#ifndef ASYNCOPS_APISERVER_HTTP_RESPONSE_H_
#define ASYNCOPS_APISERVER_HTTP_RESPONSE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apiserver/http/request.h"
#include "base/clock.h"

namespace asyncops::http {

// A body that is made while it is sent: a long list, a watch. The server pulls it from one thread
// at a time, never while a wake is being delivered, and destroys it when the body has ended or the
// client has gone.
class BodySource {
 public:
  enum class State {
    kMore,     // out has bytes (or none), and Read may be called again at once
    kPending,  // nothing more now: Read comes again after a wake, or at WakeAt()
    kEnd,      // the body is complete
    kAbort,  // it cannot be completed: the connection is cut, so that the client sees a broken body
  };
  virtual ~BodySource() = default;
  // Appends about kStreamChunkBytes at most. Must not block.
  virtual State Read(std::string* out) = 0;
  // Called once, before the first Read. `wake` may be called from any thread, at any time, even
  // after this source is gone; calls that come close together are one.
  virtual void SetWake(std::function<void()> wake) = 0;
  // When Read wants to be called again without a wake; asked after each kPending.
  virtual std::optional<SteadyTime> WakeAt() const { return std::nullopt; }
  // The server is stopping: the next Read should end the body cleanly.
  virtual void Stop() = 0;
};

struct Response {
  int status = 200;
  // Content-Type and what the handler adds; framing headers and Date are the server's.
  Headers headers;
  std::string body;
  std::unique_ptr<BodySource> source;  // where set, `body` is not used and framing is chunked
};

// Answers one request: to be called exactly once, from any thread, at once or later. Copyable so
// that it fits std::function; dropping every copy without a call answers 500.
using Responder = std::function<void(Response)>;

// Handles requests; called on the server's threads, several at a time. Must not block for long.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual void Handle(Request request, Responder respond) = 0;
  // The greatest body that this request may carry; the server answers 413 beyond it. Asked with the
  // head alone.
  virtual std::size_t MaxBodyBytes(const Request& head) const = 0;
};

}  // namespace asyncops::http

#endif  // ASYNCOPS_APISERVER_HTTP_RESPONSE_H_
