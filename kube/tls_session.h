// TLS on a connected, non-blocking socket: the client's side. OpenSSL is known to tls_session.cc
// alone.
#ifndef ASYNCOPS_KUBE_TLS_SESSION_H_
#define ASYNCOPS_KUBE_TLS_SESSION_H_

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "kube/http_transport.h"

namespace asyncops::kube {

// TLS settings made ready: CAs and client certificate loaded. Immutable, shared by sessions.
class TlsContext {
 public:
  // Invalid where a PEM text is none, or the key does not belong to the certificate.
  static Result<std::shared_ptr<const TlsContext>> Make(const TlsSettings& settings);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

 private:
  friend class TlsSession;
  struct Impl;
  explicit TlsContext(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

// What a step came to; of kRead and kWrite, what to wait for on the socket before the same step is
// taken again.
enum class TlsStep { kDone, kRead, kWrite, kEnd, kFailed };

// Not shared between threads. The socket outlives it and is not closed by it.
class TlsSession {
 public:
  // For `host`, a name or an address as text: the certificate must carry it as a subject
  // alternative name (its CN never counts), be valid now, and lead to a CA of the context. TLS 1.2
  // or newer. InternalError where OpenSSL fails.
  static Result<std::unique_ptr<TlsSession>> Make(std::shared_ptr<const TlsContext> context,
                                                  const std::string& host, int socket);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  TlsStep Handshake();
  // kEnd where the peer has said that it is at its end; a socket that ends without that is kFailed.
  TlsStep Read(char* to, std::size_t size, std::size_t* got);
  TlsStep Write(std::string_view bytes, std::size_t* written);
  // Bytes that are decrypted already.
  bool HasPending() const;
  // Tells the peer that no more will come, without waiting.
  void Close();
  // Why the last step failed: one plain sentence.
  const std::string& error() const;

 private:
  struct Impl;
  explicit TlsSession(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_TLS_SESSION_H_
