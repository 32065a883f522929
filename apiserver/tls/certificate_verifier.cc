#include "apiserver/tls/certificate_verifier.h"

#include <algorithm>
#include <ctime>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <optional>
#include <utility>
#include <vector>

namespace asyncops::tls {
namespace {

struct Deleter {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_STORE* store) const { X509_STORE_free(store); }
  void operator()(X509_STORE_CTX* context) const { X509_STORE_CTX_free(context); }
  void operator()(STACK_OF(X509) * stack) const { sk_X509_pop_free(stack, X509_free); }
};
template <class T>
using Unique = std::unique_ptr<T, Deleter>;

// OpenSSL's level 1: no SHA-1 and no key of less than 80 bits of strength.
constexpr int kSecurityLevel = 1;
// Deeper chains are not seen; each link costs a signature check.
constexpr int kMaxDepth = 6;

Status Unauthorized(std::string message) {
  return Status(Reason::kUnauthorized, "client certificate: " + std::move(message));
}

Unique<X509> ParseDer(std::string_view der) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  const auto* const end = bytes + der.size();
  Unique<X509> certificate(d2i_X509(nullptr, &bytes, static_cast<long>(der.size())));
  if (bytes != end) certificate.reset();
  return certificate;
}

// A user or group name that could break out of a header or a log line is no name.
bool IsPlain(const std::string& text) {
  return !text.empty() && std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
}

std::optional<Time> ReadTime(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return std::nullopt;
  return Time(std::chrono::seconds(timegm(&parts)));
}

// OpenSSL takes a certificate without the extension as fit for every purpose; an identity is not
// granted by silence.
bool NamesClientAuth(X509* leaf) {
  if ((X509_get_extension_flags(leaf) & EXFLAG_XKUSAGE) == 0) return false;
  return (X509_get_extended_key_usage(leaf) & XKU_SSL_CLIENT) != 0;
}

Result<Subject> ReadSubject(const std::string& leaf_der) {
  Result<CertificateInfo> info = ReadCertificateDer(leaf_der);
  if (!info.ok()) return Unauthorized(info.status().message());
  if (info->common_names.size() != 1) return Unauthorized("its subject must have exactly one CN");
  Subject subject{info->common_names.front(), std::move(info->organizations)};
  const bool plain =
      IsPlain(subject.common_name) &&
      std::all_of(subject.organizations.begin(), subject.organizations.end(), IsPlain);
  if (!plain) return Unauthorized("its subject has an empty name or a control character");
  return subject;
}

class StoreVerifier final : public CertificateVerifier {
 public:
  explicit StoreVerifier(Unique<X509_STORE> store) : store_(std::move(store)) {}

  Result<VerifiedCertificate> Verify(const http::PeerCertificate& peer, Time now) const override;

 private:
  // The verified chain's common validity, or the failure.
  Result<VerifiedCertificate> VerifyChain(X509* leaf, STACK_OF(X509) * others, Time now) const;

  const Unique<X509_STORE> store_;
};

Result<VerifiedCertificate> StoreVerifier::VerifyChain(X509* leaf, STACK_OF(X509) * others,
                                                       Time now) const {
  const Unique<X509_STORE_CTX> context(X509_STORE_CTX_new());
  if (context == nullptr || X509_STORE_CTX_init(context.get(), store_.get(), leaf, others) != 1) {
    return InternalError("OpenSSL cannot verify a certificate");
  }
  X509_VERIFY_PARAM* parameters = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_time(
      parameters, std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count());
  X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_CLIENT);
  X509_VERIFY_PARAM_set_auth_level(parameters, kSecurityLevel);
  X509_VERIFY_PARAM_set_depth(parameters, kMaxDepth);
  // As in Go, each certificate of the bundle is an anchor, self-signed or not.
  X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_PARTIAL_CHAIN);
  if (X509_verify_cert(context.get()) != 1) {
    return Unauthorized(X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get())));
  }
  VerifiedCertificate verified{{}, Time::min(), Time::max()};
  const STACK_OF(X509)* chain = X509_STORE_CTX_get0_chain(context.get());
  for (int i = 0; i < sk_X509_num(chain); ++i) {
    const X509* link = sk_X509_value(chain, i);
    const std::optional<Time> from = ReadTime(X509_get0_notBefore(link));
    const std::optional<Time> until = ReadTime(X509_get0_notAfter(link));
    if (!from || !until) return Unauthorized("its validity is malformed");
    verified.valid_from = std::max(verified.valid_from, *from);
    verified.valid_until = std::min(verified.valid_until, *until);
  }
  return verified;
}

Result<VerifiedCertificate> StoreVerifier::Verify(const http::PeerCertificate& peer,
                                                  Time now) const {
  ERR_clear_error();
  const Unique<X509> leaf = ParseDer(peer.leaf_der);
  if (leaf == nullptr) return Unauthorized("it is malformed");
  const Unique<STACK_OF(X509)> others(sk_X509_new_null());
  for (const std::string& der : peer.chain_der) {
    Unique<X509> link = ParseDer(der);
    if (link == nullptr) return Unauthorized("its chain is malformed");
    if (sk_X509_push(others.get(), link.get()) > 0) static_cast<void>(link.release());
  }
  Result<VerifiedCertificate> verified = VerifyChain(leaf.get(), others.get(), now);
  ERR_clear_error();
  if (!verified.ok()) return verified;
  if (!NamesClientAuth(leaf.get())) {
    return Unauthorized("its extended key usage does not name clientAuth");
  }
  Result<Subject> subject = ReadSubject(peer.leaf_der);
  if (!subject.ok()) return subject.status();
  verified.value().subject = *std::move(subject);
  return verified;
}

}  // namespace

Result<std::unique_ptr<CertificateVerifier>> CertificateVerifier::Make(
    const std::string& ca_bundle_pem) {
  const Unique<BIO> text(
      BIO_new_mem_buf(ca_bundle_pem.data(), static_cast<int>(ca_bundle_pem.size())));
  Unique<X509_STORE> store(X509_STORE_new());
  if (text == nullptr || store == nullptr) return InternalError("OpenSSL cannot make a CA bundle");
  int count = 0;
  for (;; ++count) {
    const Unique<X509> ca(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
    if (ca == nullptr) break;
    X509_STORE_add_cert(store.get(), ca.get());
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (count == 0) return BadRequest("the CA bundle holds no PEM certificate");
  if (!at_end) {
    return BadRequest("certificate " + std::to_string(count + 1) +
                      " of the CA bundle is malformed");
  }
  return std::unique_ptr<CertificateVerifier>(std::make_unique<StoreVerifier>(std::move(store)));
}

}  // namespace asyncops::tls
