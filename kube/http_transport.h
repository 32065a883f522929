// Outbound HTTP as a seam: bytes out, bytes in, and how sure we are that the request was not sent.
// Protocol code and the Kubernetes client stand on it, so both are themselves under test.
#ifndef ASYNCOPS_KUBE_HTTP_TRANSPORT_H_
#define ASYNCOPS_KUBE_HTTP_TRANSPORT_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/uri.h"

namespace asyncops::kube {

// How the server of an https URL is verified and what we show it. PEM; immutable, shared by many
// requests.
struct TlsSettings {
  std::string ca_pem;  // "" means the system's CAs
  std::string client_certificate_pem;
  std::string client_key_pem;  // never logged
};

struct OutboundRequest {
  std::string method;
  Uri uri;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::shared_ptr<const TlsSettings> tls;    // null means the defaults
  std::chrono::milliseconds timeout{30000};  // for all of it: connect, send, receive
  std::size_t max_body_bytes = kMaxExternalBodyBytes;
  // Where set, takes the body of a 2xx answer as it comes, on the caller's thread, and the answer's
  // own body stays empty and unbounded; false ends the call, which then counts as answered.
  std::function<bool(std::string_view)> receive = nullptr;
  // Verified instead of the URL's host, and shown as SNI; "" for the host.
  std::string tls_server_name = {};
};

struct OutboundResponse {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // as they came
  std::string body;
};

// What became of a request.
struct Exchange {
  enum class Outcome {
    kAnswered,  // a complete response arrived
    kNotSent,  // certain that no byte of the request reached the server: name, connect, TLS, policy
    kAmbiguous,  // the server may have acted: reset, timeout, truncated or oversized answer
  };
  Outcome outcome = Outcome::kNotSent;
  OutboundResponse response;  // of kAnswered
  std::string error;          // of the others: one plain sentence without secrets
  // Of the others, what it was in CamelCase: NameNotResolved, AddressRefused, ConnectionRefused,
  // TLSFailed, RequestRefused, Timeout, ConnectionReset, ResponseTooLarge, MalformedResponse,
  // Canceled; "" where unknown.
  std::string code = {};
};

// Sends one request and follows no redirect. Blocks for the request's timeout at most. Safe for use
// from several threads. Sends a request at most once, but for this: where a kept-alive connection
// turns out closed before any byte of the answer, and the method is GET or HEAD, it is sent again
// on a new connection.
class HttpTransport {
 public:
  virtual ~HttpTransport() = default;
  virtual Exchange Send(const OutboundRequest& request) = 0;
  // Cuts every call under way, and refuses later ones as kNotSent: for a process that stops. A call
  // that is cut is kAmbiguous where its request may have been sent. Returns at once.
  virtual void Cancel() {}
};

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_HTTP_TRANSPORT_H_
