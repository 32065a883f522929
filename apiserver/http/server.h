// The listener: HTTP/1.1 over TLS (or plain, for tests), with the limits and deadlines of
// base/limits.h.
#ifndef ASYNCOPS_APISERVER_HTTP_SERVER_H_
#define ASYNCOPS_APISERVER_HTTP_SERVER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "apiserver/http/response.h"
#include "base/limits.h"
#include "base/status.h"

namespace asyncops::http {

// PEM texts; the key never leaves memory through us.
struct ServingCertificate {
  std::string certificate_pem;  // leaf first, then the chain
  std::string key_pem;
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one
  int threads = 2;
  bool tls = true;
  // CAs whose names are sent in the CertificateRequest, PEM; "" asks for no client certificate. The
  // certificate itself is not judged here.
  std::string client_ca_pem;
  std::chrono::milliseconds header_timeout = kHeaderTimeout;
  std::chrono::milliseconds idle_timeout = kIdleTimeout;
  std::chrono::milliseconds request_timeout = kRequestTimeout;
  int max_connections = kMaxConnections;
  std::size_t max_header_bytes = kMaxHeaderBytes;
  // Called for each TLS handshake that failed, on the connection's thread; null for nobody.
  std::function<void()> on_handshake_error = nullptr;
};

// Serves from the moment it is made until it is destroyed. Answers 400, 405 (CONNECT), 408, 413,
// 417, 431, 501, 504 (no answer within request_timeout) and 505 itself, as Status JSON, and closes
// after each; never a redirect (a handler's becomes a 500), never an upgrade. A client that reads
// nothing for request_timeout while bytes wait for it is cut, and so is one that pipelines more
// than max_header_bytes behind a streamed body. Above max_connections new connections are closed at
// once. A client that closes its sending side still gets a whole body, but ends a streamed one.
class Server {
 public:
  virtual ~Server() = default;
  // Where it listens.
  virtual std::uint16_t port() const = 0;
  // New handshakes use this certificate from now on; connections that stand go on. InternalError
  // names what is wrong.
  virtual Status SetCertificate(const ServingCertificate& certificate) = 0;
  // New handshakes ask for certificates of these CAs (PEM) from now on, "" for none; a client that
  // has one of another CA shows nothing. As SetCertificate otherwise.
  virtual Status SetClientAuthorities(const std::string& client_ca_pem) = 0;
  // Stops accepting, ends idle connections and streamed bodies (BodySource::Stop), lets requests
  // under way finish until the time is over, then cuts. Blocks. Safe to call more than once.
  virtual void Drain(std::chrono::milliseconds timeout) = 0;
};

// The handler outlives the server. ServiceUnavailable where the address cannot be bound.
Result<std::unique_ptr<Server>> StartServer(const ServerOptions& options,
                                            const ServingCertificate& certificate,
                                            Handler& handler);

}  // namespace asyncops::http

#endif  // ASYNCOPS_APISERVER_HTTP_SERVER_H_
