// Bytes in and out of one non-blocking socket, through TLS or plain. OpenSSL works on the socket
// itself and not on Asio's stream, which would hold some 50 KB of buffers for each idle connection.
#ifndef ASYNCOPS_APISERVER_HTTP_BEAST_TRANSPORT_H_
#define ASYNCOPS_APISERVER_HTTP_BEAST_TRANSPORT_H_

#include <cstddef>
#include <memory>
#include <string_view>

#include "apiserver/http/beast_tls_context.h"
#include "apiserver/http/request.h"

namespace asyncops::http {

struct IoResult {
  enum class Kind {
    kOk,
    kWantRead,   // again once the socket can be read
    kWantWrite,  // again once the socket can be written
    kEof,        // the peer sends no more
    kFailed,     // the connection is of no more use
  };
  Kind kind = Kind::kOk;
  std::size_t bytes = 0;
};

// Used by one thread at a time. Does not own the socket; nothing here blocks.
class Transport {
 public:
  // Plain where `context` is null.
  Transport(int fd, std::shared_ptr<const TlsContext> context);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // kOk once TLS stands (at once where plain).
  IoResult Handshake();
  // At least one byte where kOk.
  IoResult Read(char* buffer, std::size_t size);
  // At least one byte where kOk; maybe not all.
  IoResult Write(std::string_view bytes);
  // Whether bytes have been taken from the socket that no Read has given yet.
  bool has_pending() const;
  // Reads raw bytes and throws them away.
  IoResult Discard();
  // Tells the peer that no more is sent (TLS close_notify); the socket is closed by its owner.
  void SendCloseNotify();
  // What the client showed; null where nothing. To be asked after the handshake.
  std::shared_ptr<const PeerCertificate> PeerCertificateShown() const;

 private:
  IoResult TlsResult(int result, std::size_t bytes);

  const int fd_;
  const std::shared_ptr<const TlsContext> context_;
  ssl_st* ssl_ = nullptr;
  bool established_ = false;
  bool failed_ = false;
};

}  // namespace asyncops::http

#endif  // ASYNCOPS_APISERVER_HTTP_BEAST_TRANSPORT_H_
