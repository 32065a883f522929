#include "kube/tls_session.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "kube/resolver.h"

namespace asyncops::kube {
namespace {

template <auto kFree>
struct Freer {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using ContextPtr = std::unique_ptr<SSL_CTX, Freer<SSL_CTX_free>>;
using SslPtr = std::unique_ptr<SSL, Freer<SSL_free>>;
using BioPtr = std::unique_ptr<BIO, Freer<BIO_free_all>>;
using CertificatePtr = std::unique_ptr<X509, Freer<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;

Status Invalid(std::string_view why) { return {Reason::kInvalid, std::string(why)}; }

BioPtr Reader(const std::string& pem) {
  return BioPtr(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

CertificatePtr ReadCertificate(BIO* from) {
  return CertificatePtr(PEM_read_bio_X509(from, nullptr, nullptr, nullptr));
}

// An encrypted key must not ask for its passphrase on the terminal.
int NoPassphrase(char* /*to*/, int /*size*/, int /*writing*/, void* /*data*/) { return -1; }

Status LoadAuthorities(SSL_CTX* context, const std::string& pem) {
  if (pem.empty()) {
    return SSL_CTX_set_default_verify_paths(context) == 1
               ? Status::Ok()
               : InternalError("the system's CA certificates cannot be loaded");
  }
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  const BioPtr reader = Reader(pem);
  int count = 0;
  while (const CertificatePtr certificate = ReadCertificate(reader.get())) {
    if (X509_STORE_add_cert(store, certificate.get()) == 1) ++count;
  }
  ERR_clear_error();
  if (count == 0) return Invalid("the CA bundle holds no certificate in PEM");
  // A bundle may name an intermediate as what it trusts.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  return Status::Ok();
}

Status LoadClientCertificate(SSL_CTX* context, const TlsSettings& settings) {
  if (settings.client_certificate_pem.empty()) return Status::Ok();
  const BioPtr reader = Reader(settings.client_certificate_pem);
  const CertificatePtr own = ReadCertificate(reader.get());
  if (!own || SSL_CTX_use_certificate(context, own.get()) != 1) {
    ERR_clear_error();
    return Invalid("the client certificate is no certificate in PEM");
  }
  while (const CertificatePtr chain = ReadCertificate(reader.get()))
    SSL_CTX_add1_chain_cert(context, chain.get());
  const BioPtr key_reader = Reader(settings.client_key_pem);
  const KeyPtr key(PEM_read_bio_PrivateKey(key_reader.get(), nullptr, &NoPassphrase, nullptr));
  const bool fits = key && SSL_CTX_use_PrivateKey(context, key.get()) == 1 &&
                    SSL_CTX_check_private_key(context) == 1;
  ERR_clear_error();
  return fits ? Status::Ok() : Invalid("the client key is no key in PEM of the client certificate");
}

// SSL_set_tlsext_host_name without its old-style cast.
bool SetServerName(SSL* ssl, std::string host) {
  return SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, host.data()) == 1;
}

// The host is checked while the chain is: before the handshake ends, so before the first byte of
// the request.
bool ExpectHost(SSL* ssl, const std::string& host) {
  X509_VERIFY_PARAM* param = SSL_get0_param(ssl);
  X509_VERIFY_PARAM_set_hostflags(
      param, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const std::string literal = ParseAddressLiteral(host);
  if (!literal.empty()) {
    return X509_VERIFY_PARAM_set1_ip(param, reinterpret_cast<const unsigned char*>(literal.data()),
                                     literal.size()) == 1;
  }
  return X509_VERIFY_PARAM_set1_host(param, host.data(), host.size()) == 1 &&
         SetServerName(ssl, host);
}

}  // namespace

struct TlsContext::Impl {
  ContextPtr context;
};

struct TlsSession::Impl {
  // Holds what the session was made from; OpenSSL counts references itself, the settings are ours.
  std::shared_ptr<const TlsContext> context;
  SslPtr ssl;
  std::string host;
  std::string error;
  bool failed = false;

  TlsStep StepOf(int result);
  void Explain(int reason);
};

TlsContext::TlsContext(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TlsContext::~TlsContext() = default;

Result<std::shared_ptr<const TlsContext>> TlsContext::Make(const TlsSettings& settings) {
  ERR_clear_error();
  auto impl = std::make_unique<Impl>();
  impl->context.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* context = impl->context.get();
  if (context == nullptr || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1)
    return InternalError("OpenSSL gives no TLS context");
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  ASYNCOPS_RETURN_IF_ERROR(LoadAuthorities(context, settings.ca_pem));
  ASYNCOPS_RETURN_IF_ERROR(LoadClientCertificate(context, settings));
  return std::shared_ptr<const TlsContext>(new TlsContext(std::move(impl)));
}

TlsSession::TlsSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TlsSession::~TlsSession() = default;

Result<std::unique_ptr<TlsSession>> TlsSession::Make(std::shared_ptr<const TlsContext> context,
                                                     const std::string& host, int socket) {
  ERR_clear_error();
  auto impl = std::make_unique<Impl>();
  impl->host = host;
  impl->ssl.reset(SSL_new(context->impl_->context.get()));
  impl->context = std::move(context);
  SSL* ssl = impl->ssl.get();
  if (ssl == nullptr || !ExpectHost(ssl, host) || SSL_set_fd(ssl, socket) != 1)
    return InternalError("OpenSSL gives no TLS session");
  SSL_set_connect_state(ssl);
  return std::unique_ptr<TlsSession>(new TlsSession(std::move(impl)));
}

void TlsSession::Impl::Explain(int reason) {
  const long verified = SSL_get_verify_result(ssl.get());
  if (verified != X509_V_OK) {
    error =
        "the certificate of " + host + " is refused: " + X509_verify_cert_error_string(verified);
    if (verified == X509_V_ERR_HOSTNAME_MISMATCH || verified == X509_V_ERR_IP_ADDRESS_MISMATCH)
      error += " (it has no such subject alternative name)";
    return;
  }
  const unsigned long code = ERR_peek_last_error();
  const char* text = code == 0 ? nullptr : ERR_reason_error_string(code);
  const bool closed = reason == SSL_ERROR_SYSCALL || reason == SSL_ERROR_ZERO_RETURN;
  error = "TLS with " + host + " failed: ";
  error += text != nullptr ? text : closed ? "the connection was closed" : "unknown error";
}

TlsStep TlsSession::Impl::StepOf(int result) {
  if (result == 1) return TlsStep::kDone;
  const int reason = SSL_get_error(ssl.get(), result);
  if (reason == SSL_ERROR_WANT_READ) return TlsStep::kRead;
  if (reason == SSL_ERROR_WANT_WRITE) return TlsStep::kWrite;
  if (reason == SSL_ERROR_ZERO_RETURN) return TlsStep::kEnd;
  failed = true;
  Explain(reason);
  ERR_clear_error();
  return TlsStep::kFailed;
}

TlsStep TlsSession::Handshake() {
  ERR_clear_error();
  const TlsStep step = impl_->StepOf(SSL_do_handshake(impl_->ssl.get()));
  if (step != TlsStep::kEnd) return step;
  impl_->error = "TLS with " + impl_->host + " failed: the connection was closed";
  return TlsStep::kFailed;
}

TlsStep TlsSession::Read(char* to, std::size_t size, std::size_t* got) {
  ERR_clear_error();
  return impl_->StepOf(SSL_read_ex(impl_->ssl.get(), to, size, got));
}

TlsStep TlsSession::Write(std::string_view bytes, std::size_t* written) {
  ERR_clear_error();
  return impl_->StepOf(SSL_write_ex(impl_->ssl.get(), bytes.data(), bytes.size(), written));
}

bool TlsSession::HasPending() const { return SSL_has_pending(impl_->ssl.get()) == 1; }

void TlsSession::Close() {
  // After a fatal error there is no one to tell.
  if (impl_->failed || SSL_is_init_finished(impl_->ssl.get()) != 1) return;
  ERR_clear_error();
  SSL_shutdown(impl_->ssl.get());
  ERR_clear_error();
}

const std::string& TlsSession::error() const { return impl_->error; }

}  // namespace asyncops::kube
