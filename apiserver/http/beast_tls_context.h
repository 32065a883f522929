// The TLS side of the listener: one OpenSSL context per serving certificate.
#ifndef ASYNCOPS_APISERVER_HTTP_BEAST_TLS_CONTEXT_H_
#define ASYNCOPS_APISERVER_HTTP_BEAST_TLS_CONTEXT_H_

#include <memory>
#include <string>

#include "apiserver/http/server.h"
#include "base/status.h"

struct ssl_ctx_st;
struct ssl_st;
struct bio_method_st;

namespace asyncops::http {

// TLS 1.2 and 1.3, HTTP/1.1 by ALPN, no renegotiation; where client CAs are given, a client
// certificate is asked for and any is let in: an authenticator judges it. Immutable, shared by its
// connections, safe for use from several threads.
class TlsContext {
 public:
  // InternalError says what is wrong with the certificate, the key or the client CAs; never shows
  // their bytes.
  static Result<std::shared_ptr<const TlsContext>> Make(const ServingCertificate& certificate,
                                                        const std::string& client_ca_pem);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  // A server session on a non-blocking socket; the caller owns it and keeps this context alive
  // meanwhile. Null for want of memory.
  ssl_st* NewSession(int fd) const;

 private:
  TlsContext() = default;

  ssl_ctx_st* context_ = nullptr;
  bio_method_st* socket_method_ = nullptr;
};

}  // namespace asyncops::http

#endif  // ASYNCOPS_APISERVER_HTTP_BEAST_TLS_CONTEXT_H_
