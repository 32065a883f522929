#include "apiserver/http/beast_transport.h"

#include <array>
#include <cerrno>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string>
#include <sys/socket.h>
#include <utility>

#include "base/crypto.h"

namespace asyncops::http {
namespace {

IoResult SocketResult(ssize_t result, IoResult::Kind want) {
  if (result > 0) return {IoResult::Kind::kOk, static_cast<std::size_t>(result)};
  if (result == 0) return {IoResult::Kind::kEof};
  if (errno == EAGAIN || errno == EINTR) return {want};
  return {IoResult::Kind::kFailed};
}

std::string Der(const X509* certificate) {
  const int size = i2d_X509(certificate, nullptr);
  if (size <= 0) return "";
  std::string der(static_cast<std::size_t>(size), '\0');
  auto* out = reinterpret_cast<unsigned char*>(der.data());
  i2d_X509(certificate, &out);
  return der;
}

}  // namespace

Transport::Transport(int fd, std::shared_ptr<const TlsContext> context)
    : fd_(fd), context_(std::move(context)) {
  if (context_ != nullptr) ssl_ = context_->NewSession(fd_);
}

Transport::~Transport() { SSL_free(ssl_); }

IoResult Transport::TlsResult(int result, std::size_t bytes) {
  if (result == 1) return {IoResult::Kind::kOk, bytes};
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ: return {IoResult::Kind::kWantRead};
    case SSL_ERROR_WANT_WRITE: return {IoResult::Kind::kWantWrite};
    case SSL_ERROR_ZERO_RETURN: return {IoResult::Kind::kEof};
    default: break;
  }
  // OpenSSL forbids any further call on this session, the close_notify too.
  failed_ = true;
  return {IoResult::Kind::kFailed};
}

IoResult Transport::Handshake() {
  if (context_ == nullptr) return {IoResult::Kind::kOk};
  if (ssl_ == nullptr) return {IoResult::Kind::kFailed};
  ERR_clear_error();
  const IoResult result = TlsResult(SSL_do_handshake(ssl_), 0);
  established_ = result.kind == IoResult::Kind::kOk;
  if (result.kind == IoResult::Kind::kFailed &&
      ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST) {
    // The words that Go's server has for a client that forgot the s of https.
    constexpr std::string_view kReply =
        "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
    static_cast<void>(::send(fd_, kReply.data(), kReply.size(), MSG_NOSIGNAL));
  }
  return result;
}

IoResult Transport::Read(char* buffer, std::size_t size) {
  if (ssl_ == nullptr) {
    return SocketResult(::recv(fd_, buffer, size, 0), IoResult::Kind::kWantRead);
  }
  ERR_clear_error();
  std::size_t bytes = 0;
  const int result = SSL_read_ex(ssl_, buffer, size, &bytes);
  return TlsResult(result, bytes);
}

IoResult Transport::Write(std::string_view bytes) {
  if (ssl_ == nullptr) {
    return SocketResult(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
                        IoResult::Kind::kWantWrite);
  }
  ERR_clear_error();
  std::size_t written = 0;
  const int result = SSL_write_ex(ssl_, bytes.data(), bytes.size(), &written);
  return TlsResult(result, written);
}

bool Transport::has_pending() const { return ssl_ != nullptr && SSL_has_pending(ssl_) == 1; }

IoResult Transport::Discard() {
  std::array<char, 16 * 1024>
      buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): written by recv
  return SocketResult(::recv(fd_, buffer.data(), buffer.size(), 0), IoResult::Kind::kWantRead);
}

void Transport::SendCloseNotify() {
  if (!established_ || failed_) return;
  ERR_clear_error();
  SSL_shutdown(ssl_);
  ERR_clear_error();
}

std::shared_ptr<const PeerCertificate> Transport::PeerCertificateShown() const {
  if (ssl_ == nullptr) return nullptr;
  const X509* leaf = SSL_get0_peer_certificate(ssl_);
  if (leaf == nullptr) return nullptr;
  auto shown = std::make_shared<PeerCertificate>();
  shown->leaf_der = Der(leaf);
  shown->fingerprint = Sha256(shown->leaf_der);
  // On the server's side the chain does not hold the leaf.
  const STACK_OF(X509)* chain = SSL_get_peer_cert_chain(ssl_);
  for (int i = 0; i < sk_X509_num(chain); ++i) {
    shown->chain_der.push_back(Der(sk_X509_value(chain, i)));
  }
  return shown;
}

}  // namespace asyncops::http
