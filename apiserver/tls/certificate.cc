#include "apiserver/tls/certificate.h"

#include <arpa/inet.h>
#include <array>
#include <ctime>
#include <memory>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <optional>

namespace asyncops::tls {
namespace {

struct Deleter {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(ASN1_OCTET_STRING* text) const { ASN1_OCTET_STRING_free(text); }
  void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};
template <class T>
using Unique = std::unique_ptr<T, Deleter>;

// An encrypted key must fail, not ask for its password on the terminal.
int NoPassword(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*data*/) { return 0; }

Unique<BIO> TextBio(std::string_view text) {
  return Unique<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Unique<X509> Parse(std::string_view pem) {
  Unique<X509> certificate(PEM_read_bio_X509(TextBio(pem).get(), nullptr, NoPassword, nullptr));
  ERR_clear_error();
  return certificate;
}

std::vector<std::string> NameValues(const X509_NAME* name, int nid) {
  std::vector<std::string> values;
  int at = X509_NAME_get_index_by_NID(name, nid, -1);
  for (; at >= 0; at = X509_NAME_get_index_by_NID(name, nid, at)) {
    unsigned char* text = nullptr;
    const ASN1_STRING* data = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at));
    const int size = ASN1_STRING_to_UTF8(&text, data);
    if (size < 0) continue;
    values.emplace_back(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
    OPENSSL_free(text);
  }
  return values;
}

std::string AddressText(const ASN1_OCTET_STRING* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = ASN1_STRING_length(address) == 4 ? AF_INET : AF_INET6;
  if (family == AF_INET6 && ASN1_STRING_length(address) != 16) return "";
  inet_ntop(family, ASN1_STRING_get0_data(address), text.data(), text.size());
  return text.data();
}

std::vector<std::string> AlternativeNames(const X509* certificate) {
  std::vector<std::string> names;
  const Unique<GENERAL_NAMES> all(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; i < sk_GENERAL_NAME_num(all.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(all.get(), i);
    if (name->type == GEN_DNS) {
      names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
                         static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName)));
    } else if (name->type == GEN_IPADD) {
      names.push_back(AddressText(name->d.iPAddress));
    }
  }
  return names;
}

std::optional<Time> ReadTime(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return std::nullopt;
  return Time(std::chrono::seconds(timegm(&parts)));
}

Result<CertificateInfo> Describe(X509* certificate) {
  CertificateInfo info;
  const X509_NAME* subject = X509_get_subject_name(certificate);
  info.common_names = NameValues(subject, NID_commonName);
  info.organizations = NameValues(subject, NID_organizationName);
  info.names = AlternativeNames(certificate);
  const std::optional<Time> not_before = ReadTime(X509_get0_notBefore(certificate));
  const std::optional<Time> not_after = ReadTime(X509_get0_notAfter(certificate));
  if (!not_before || !not_after) return BadRequest("the certificate has a malformed validity");
  info.not_before = *not_before;
  info.not_after = *not_after;
  info.is_ca = X509_check_ca(certificate) == 1;
  return info;
}

}  // namespace

Result<CertificateInfo> ReadCertificate(std::string_view pem) {
  const Unique<X509> certificate = Parse(pem);
  if (certificate == nullptr) return BadRequest("holds no PEM certificate");
  return Describe(certificate.get());
}

Result<CertificateInfo> ReadCertificateDer(std::string_view der) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  const auto* const end = bytes + der.size();
  const Unique<X509> certificate(d2i_X509(nullptr, &bytes, static_cast<long>(der.size())));
  ERR_clear_error();
  if (certificate == nullptr || bytes != end) return BadRequest("is no DER certificate");
  return Describe(certificate.get());
}

Status CheckKeyPair(const KeyPair& pair) {
  const Unique<X509> certificate = Parse(pair.certificate_pem);
  if (certificate == nullptr) return BadRequest("holds no PEM certificate");
  const Unique<EVP_PKEY> key(
      PEM_read_bio_PrivateKey(TextBio(pair.key_pem).get(), nullptr, NoPassword, nullptr));
  const bool matches = key != nullptr && X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  if (key == nullptr) return BadRequest("holds no unencrypted PEM private key");
  if (!matches) return BadRequest("the private key does not belong to the certificate");
  return Status::Ok();
}

bool IsSignedBy(const KeyPair& pair, const KeyPair& ca) {
  const Unique<X509> certificate = Parse(pair.certificate_pem);
  const Unique<X509> issuer = Parse(ca.certificate_pem);
  if (certificate == nullptr || issuer == nullptr) return false;
  const bool is_signed = X509_check_issued(issuer.get(), certificate.get()) == X509_V_OK &&
                         X509_verify(certificate.get(), X509_get0_pubkey(issuer.get())) == 1;
  ERR_clear_error();
  return is_signed;
}

std::string CanonicalName(std::string_view name) {
  std::string text(name);
  const Unique<ASN1_OCTET_STRING> address(a2i_IPADDRESS(text.c_str()));
  ERR_clear_error();
  if (address != nullptr) return AddressText(address.get());
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

}  // namespace asyncops::tls
