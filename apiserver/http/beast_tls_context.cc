#include "apiserver/http/beast_tls_context.h"

#include <cerrno>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <string_view>
#include <sys/socket.h>

namespace asyncops::http {
namespace {

struct BioDeleter {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
struct CertificateDeleter {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
struct KeyDeleter {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using UniqueBio = std::unique_ptr<BIO, BioDeleter>;
using UniqueCertificate = std::unique_ptr<X509, CertificateDeleter>;
using UniqueKey = std::unique_ptr<EVP_PKEY, KeyDeleter>;

// OpenSSL's own socket BIO writes without MSG_NOSIGNAL: a client that has gone would end the
// process.
int WriteSocket(BIO* bio, const char* bytes, int size) {
  const auto fd = static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
  BIO_clear_retry_flags(bio);
  const ssize_t sent = ::send(fd, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int ReadSocket(BIO* bio, char* bytes, int size) {
  const auto fd = static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
  BIO_clear_retry_flags(bio);
  const ssize_t received = ::recv(fd, bytes, static_cast<std::size_t>(size), 0);
  if (received < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  return static_cast<int>(received);
}

long ControlSocket(BIO* /*bio*/, int command, long /*number*/, void* /*pointer*/) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

int CreateSocket(BIO* bio) {
  BIO_set_init(bio, 1);
  return 1;
}

// An encrypted key must fail, not ask for its password on the terminal.
int NoPassword(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*data*/) { return 0; }

int SelectHttp11(SSL* /*ssl*/, const unsigned char** out, unsigned char* out_size,
                 const unsigned char* offered, unsigned int offered_size, void* /*data*/) {
  constexpr std::string_view kHttp11 = "\x08http/1.1";
  const auto* ours = reinterpret_cast<const unsigned char*>(kHttp11.data());
  unsigned char* selected = nullptr;
  if (SSL_select_next_proto(&selected, out_size, ours, kHttp11.size(), offered, offered_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = selected;
  return SSL_TLSEXT_ERR_OK;
}

int AcceptAnyCertificate(X509_STORE_CTX* /*store*/, void* /*data*/) { return 1; }

UniqueBio TextBio(const std::string& text) {
  return UniqueBio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Status UseCertificate(const ServingCertificate& certificate, SSL_CTX* context) {
  const UniqueBio text = TextBio(certificate.certificate_pem);
  const UniqueCertificate leaf(PEM_read_bio_X509(text.get(), nullptr, NoPassword, nullptr));
  if (leaf == nullptr) return InternalError("the serving certificate is not PEM");
  if (SSL_CTX_use_certificate(context, leaf.get()) != 1) {
    return InternalError("the serving certificate cannot be used");
  }
  for (;;) {
    UniqueCertificate next(PEM_read_bio_X509(text.get(), nullptr, NoPassword, nullptr));
    if (next == nullptr) break;
    if (SSL_CTX_add0_chain_cert(context, next.get()) != 1) {
      return InternalError("the chain of the serving certificate cannot be used");
    }
    static_cast<void>(next.release());
  }
  const UniqueKey key(
      PEM_read_bio_PrivateKey(TextBio(certificate.key_pem).get(), nullptr, NoPassword, nullptr));
  if (key == nullptr) return InternalError("the serving key is not an unencrypted PEM key");
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return InternalError("the serving key does not belong to the serving certificate");
  }
  return Status::Ok();
}

Status AskForClientCertificate(const std::string& client_ca_pem, SSL_CTX* context) {
  const UniqueBio text = TextBio(client_ca_pem);
  int count = 0;
  for (;; ++count) {
    const UniqueCertificate ca(PEM_read_bio_X509(text.get(), nullptr, NoPassword, nullptr));
    if (ca == nullptr) break;
    if (SSL_CTX_add_client_CA(context, ca.get()) != 1) {
      return InternalError("a client CA cannot be used");
    }
  }
  if (count == 0) return InternalError("the client CA file holds no PEM certificate");
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_verify_callback(context, AcceptAnyCertificate, nullptr);
  // A resumed session keeps the client's certificate but not its chain, so that a client with an
  // intermediate CA would be known at first and unknown later. Full handshakes only.
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
  return Status::Ok();
}

bool SetDefaults(SSL_CTX* context) {
  SSL_CTX_set_options(
      context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_alpn_select_cb(context, SelectHttp11, nullptr);
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1;
}

}  // namespace

Result<std::shared_ptr<const TlsContext>> TlsContext::Make(const ServingCertificate& certificate,
                                                           const std::string& client_ca_pem) {
  const std::shared_ptr<TlsContext> made(new TlsContext());
  made->context_ = SSL_CTX_new(TLS_server_method());
  made->socket_method_ =
      BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "asyncops socket");
  if (made->context_ == nullptr || made->socket_method_ == nullptr ||
      !SetDefaults(made->context_)) {
    return InternalError("OpenSSL cannot make a server context");
  }
  BIO_meth_set_write(made->socket_method_, WriteSocket);
  BIO_meth_set_read(made->socket_method_, ReadSocket);
  BIO_meth_set_ctrl(made->socket_method_, ControlSocket);
  BIO_meth_set_create(made->socket_method_, CreateSocket);
  Status status = UseCertificate(certificate, made->context_);
  if (status.ok() && !client_ca_pem.empty()) {
    status = AskForClientCertificate(client_ca_pem, made->context_);
  }
  ERR_clear_error();
  if (!status.ok()) return status;
  return std::shared_ptr<const TlsContext>(made);
}

TlsContext::~TlsContext() {
  SSL_CTX_free(context_);
  BIO_meth_free(socket_method_);
}

ssl_st* TlsContext::NewSession(int fd) const {
  SSL* ssl = SSL_new(context_);
  BIO* bio = BIO_new(socket_method_);
  if (ssl == nullptr || bio == nullptr) {
    SSL_free(ssl);
    BIO_free(bio);
    return nullptr;
  }
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(fd)));
  SSL_set_bio(ssl, bio, bio);
  SSL_set_accept_state(ssl);
  return ssl;
}

}  // namespace asyncops::http
