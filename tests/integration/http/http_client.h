// A client that sends any bytes, right or wrong, and says what came back.
#ifndef ASYNCOPS_TESTS_INTEGRATION_HTTP_HTTP_CLIENT_H_
#define ASYNCOPS_TESTS_INTEGRATION_HTTP_HTTP_CLIENT_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/tls/certificate.h"

struct ssl_st;
struct ssl_ctx_st;

namespace asyncops::http {

struct ClientOptions {
  bool tls = false;
  const tls::KeyPair* client_certificate = nullptr;  // shown where the server asks
  std::string alpn = {};                             // wire form, "" for none
  int max_tls_version = 0;
  int receive_buffer_bytes = 0;  // 0: the system's
};

struct ClientResponse {
  int status = 0;  // 0 where the connection ended before a response was whole
  std::string head;
  std::string body;  // chunks joined
};

// Blocking, with a deadline of ten seconds on each read. One thread at a time.
class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port, const ClientOptions& options = {});
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Whether the connection stands, TLS too.
  bool connected() const { return connected_; }
  // False where the peer takes no more.
  bool Send(std::string_view bytes);
  // The next response; `head_only` for the answer to HEAD.
  ClientResponse Read(bool head_only = false);
  // Bytes until `text` has come (it is included), or the connection ends.
  std::string ReadUntil(std::string_view text);
  // All bytes until the connection ends.
  std::string ReadToEnd();
  // Whether the peer has closed and sent nothing more.
  bool IsClosedByPeer();
  // Whether the peer sends something, or its end, within this time.
  bool HasInputWithin(std::chrono::milliseconds time);
  void CloseSending();
  void Close();
  // What the handshake gave: the ALPN protocol, the version ("TLSv1.3"), the serving certificate's
  // subject CN, and how many CA names the server sent.
  std::string Alpn() const;
  std::string TlsVersion() const;
  std::string PeerCommonName() const;
  int ClientCaNames() const;

 private:
  bool Handshake(const ClientOptions& options);
  // Appends to buffer_; false at the end or after the deadline.
  bool Receive();
  std::string Take(std::size_t count);
  bool ReadChunks(std::string* body);

  int fd_ = -1;
  ssl_ctx_st* context_ = nullptr;
  ssl_st* ssl_ = nullptr;
  bool connected_ = false;
  std::string buffer_;
};

}  // namespace asyncops::http

#endif  // ASYNCOPS_TESTS_INTEGRATION_HTTP_HTTP_CLIENT_H_
