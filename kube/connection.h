// One connection to a server: TCP, and TLS where the URL says so.
#ifndef ASYNCOPS_KUBE_CONNECTION_H_
#define ASYNCOPS_KUBE_CONNECTION_H_

#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"
#include "kube/cancel_signal.h"
#include "kube/tls_session.h"

namespace asyncops::kube {

// How long a call may block. All of it outlives the call.
struct CallBounds {
  const Clock& clock;
  SteadyTime deadline;
  const CancelSignal& cancel;
};

enum class IoOutcome { kOk, kEnd, kTimeout, kCanceled, kFailed };

// Not shared between threads. Closes its socket.
class Connection {
 public:
  // Connects to an address (4 or 16 bytes, network order). Timeout where the deadline passes or the
  // signal is set, ServiceUnavailable where the address cannot be reached.
  static Result<std::unique_ptr<Connection>> Open(const std::string& address, int port,
                                                  const CallBounds& bounds);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Shakes hands. Forbidden where the certificate is refused or the server fails at it, Timeout.
  Status StartTls(std::shared_ptr<const TlsContext> context, const std::string& host,
                  const CallBounds& bounds);

  // At least one byte, or why there is none; kEnd where the server is at its end.
  IoOutcome Read(char* to, std::size_t size, std::size_t* got, const CallBounds& bounds);
  // All of it. `started` is set as soon as a byte of it may have left.
  IoOutcome Write(std::string_view bytes, bool* started, const CallBounds& bounds);

  // Whether it is open and the server has sent nothing that we did not ask for.
  bool IsQuiet() const;

 private:
  explicit Connection(int socket) : socket_(socket) {}
  IoOutcome Wait(short events, const CallBounds& bounds) const;
  // Waits for what a TLS step asks for; kOk means to take the step again.
  IoOutcome After(TlsStep step, const CallBounds& bounds) const;

  const int socket_;
  std::unique_ptr<TlsSession> tls_;  // null for http
};

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_CONNECTION_H_
