#include "apiserver/tls/ca.h"

#include <algorithm>
#include <array>
#include <memory>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <optional>
#include <utility>

#include "base/ascii.h"

namespace asyncops::tls {
namespace {

struct Deleter {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
  void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
  void operator()(BIGNUM* number) const { BN_free(number); }
};
template <class T>
using Unique = std::unique_ptr<T, Deleter>;

// X.509 v3 is written as 2.
constexpr long kVersion3 = 2;
// RFC 5280 4.1.2.2: at most 20 octets, positive; 16 leaves no doubt of either.
constexpr int kSerialBytes = 16;

int NoPassword(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*data*/) { return 0; }

struct Signer {
  Unique<X509> certificate;
  Unique<EVP_PKEY> key;
};

// What differs between the certificates that are made here.
struct Profile {
  Subject subject;
  std::vector<std::string> names;
  std::chrono::hours lifetime;
  const char* basic_constraints;
  const char* key_usage;
  const char* extended_key_usage;  // null for a CA
};

std::string Drain(BIO* bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  return std::string(text, static_cast<std::size_t>(size));
}

std::optional<Signer> ReadSigner(const KeyPair& ca) {
  const auto bio = [](const std::string& text) {
    return Unique<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  };
  Signer signer;
  signer.certificate.reset(
      PEM_read_bio_X509(bio(ca.certificate_pem).get(), nullptr, NoPassword, nullptr));
  signer.key.reset(PEM_read_bio_PrivateKey(bio(ca.key_pem).get(), nullptr, NoPassword, nullptr));
  if (signer.certificate == nullptr || signer.key == nullptr) return std::nullopt;
  if (X509_check_private_key(signer.certificate.get(), signer.key.get()) != 1) return std::nullopt;
  return signer;
}

bool SetSerial(X509* certificate) {
  std::array<unsigned char, kSerialBytes> bytes{};
  if (RAND_bytes(bytes.data(), kSerialBytes) != 1) return false;
  bytes[0] = static_cast<unsigned char>((bytes[0] & 0x7f) | 0x40);
  const Unique<BIGNUM> number(BN_bin2bn(bytes.data(), kSerialBytes, nullptr));
  return number != nullptr &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool SetTime(ASN1_TIME* field, Time time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  return ASN1_TIME_set(field, static_cast<time_t>(seconds)) != nullptr;
}

bool AddName(X509_NAME* name, int nid, const std::string& text) {
  return X509_NAME_add_entry_by_NID(name, nid, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(text.data()),
                                    static_cast<int>(text.size()), -1, 0) == 1;
}

bool SetSubject(X509* certificate, const Subject& subject) {
  X509_NAME* name = X509_get_subject_name(certificate);
  for (const std::string& organization : subject.organizations) {
    if (!AddName(name, NID_organizationName, organization)) return false;
  }
  return AddName(name, NID_commonName, subject.common_name);
}

bool AddExtension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Unique<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool IsDnsName(std::string_view name) {
  return !name.empty() && name.size() <= 253 && std::all_of(name.begin(), name.end(), [](char c) {
    return IsAlphanumeric(c) || c == '-' || c == '.' || c == '*';
  });
}

// Built from values and not from OpenSSL's configuration text, in which a comma would start a
// further name.
bool AddAlternativeNames(X509* certificate, const std::vector<std::string>& names) {
  const Unique<GENERAL_NAMES> all(GENERAL_NAMES_new());
  for (const std::string& name : names) {
    GENERAL_NAME* general = GENERAL_NAME_new();
    sk_GENERAL_NAME_push(all.get(), general);
    if (ASN1_OCTET_STRING* address = a2i_IPADDRESS(name.c_str()); address != nullptr) {
      GENERAL_NAME_set0_value(general, GEN_IPADD, address);
      continue;
    }
    ASN1_IA5STRING* text = ASN1_IA5STRING_new();
    ASN1_STRING_set(text, name.data(), static_cast<int>(name.size()));
    GENERAL_NAME_set0_value(general, GEN_DNS, text);
  }
  return X509_add1_ext_i2d(certificate, NID_subject_alt_name, all.get(), 0, 0) == 1;
}

bool AddExtensions(X509* certificate, X509* issuer, const Profile& profile) {
  return AddExtension(certificate, issuer, NID_basic_constraints, profile.basic_constraints) &&
         AddExtension(certificate, issuer, NID_key_usage, profile.key_usage) &&
         AddExtension(certificate, issuer, NID_subject_key_identifier, "hash") &&
         AddExtension(certificate, issuer, NID_authority_key_identifier, "keyid") &&
         (profile.extended_key_usage == nullptr ||
          AddExtension(certificate, issuer, NID_ext_key_usage, profile.extended_key_usage)) &&
         (profile.names.empty() || AddAlternativeNames(certificate, profile.names));
}

// Signed by itself where there is no signer.
std::optional<KeyPair> Make(const Profile& profile, const Signer* signer, Time now) {
  const Unique<EVP_PKEY> key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
  const Unique<X509> certificate(X509_new());
  if (key == nullptr || certificate == nullptr) return std::nullopt;
  X509* issuer = signer == nullptr ? certificate.get() : signer->certificate.get();
  EVP_PKEY* signing_key = signer == nullptr ? key.get() : signer->key.get();
  const bool made = X509_set_version(certificate.get(), kVersion3) == 1 &&
                    SetSerial(certificate.get()) &&
                    SetSubject(certificate.get(), profile.subject) &&
                    X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer)) == 1 &&
                    SetTime(X509_getm_notBefore(certificate.get()), now - kBackdate) &&
                    SetTime(X509_getm_notAfter(certificate.get()), now + profile.lifetime) &&
                    X509_set_pubkey(certificate.get(), key.get()) == 1 &&
                    AddExtensions(certificate.get(), issuer, profile) &&
                    X509_sign(certificate.get(), signing_key, EVP_sha256()) > 0;
  if (!made) return std::nullopt;
  const Unique<BIO> certificate_text(BIO_new(BIO_s_mem()));
  const Unique<BIO> key_text(BIO_new(BIO_s_secmem()));
  if (PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                    nullptr) != 1) {
    return std::nullopt;
  }
  return KeyPair{Drain(certificate_text.get()), Drain(key_text.get())};
}

Result<KeyPair> Issue(const KeyPair& ca, const Profile& profile, Time now) {
  const std::optional<Signer> signer = ReadSigner(ca);
  std::optional<KeyPair> made;
  if (signer) made = Make(profile, &*signer, now);
  ERR_clear_error();
  if (!signer) return BadRequest("the CA's certificate and key cannot be used together");
  if (!made) return InternalError("OpenSSL cannot issue a certificate");
  return *std::move(made);
}

}  // namespace

Result<KeyPair> MakeCertificateAuthority(std::string_view common_name, Time now) {
  const Profile profile{.subject = {std::string(common_name), {}},
                        .names = {},
                        .lifetime = kCaLifetime,
                        .basic_constraints = "critical,CA:TRUE",
                        .key_usage = "critical,digitalSignature,keyCertSign,cRLSign",
                        .extended_key_usage = nullptr};
  std::optional<KeyPair> made = Make(profile, nullptr, now);
  ERR_clear_error();
  if (!made) return InternalError("OpenSSL cannot make a CA");
  return *std::move(made);
}

Result<KeyPair> IssueServingCertificate(const KeyPair& ca, const std::vector<std::string>& names,
                                        Time now) {
  if (names.empty()) return BadRequest("a serving certificate needs a name");
  for (const std::string& name : names) {
    ASN1_OCTET_STRING* address = a2i_IPADDRESS(name.c_str());
    const bool usable = address != nullptr || IsDnsName(name);
    ASN1_OCTET_STRING_free(address);
    ERR_clear_error();
    if (!usable) return BadRequest("\"" + name + "\" is neither a DNS name nor an IP address");
  }
  // RFC 5280 allows a CN of 64 characters; clients read the alternative names.
  const Profile profile{.subject = {names.front().substr(0, 64), {}},
                        .names = names,
                        .lifetime = kLeafLifetime,
                        .basic_constraints = "critical,CA:FALSE",
                        .key_usage = "critical,digitalSignature",
                        .extended_key_usage = "serverAuth"};
  return Issue(ca, profile, now);
}

Result<KeyPair> IssueClientCertificate(const KeyPair& ca, const Subject& subject, Time now) {
  const bool named =
      !subject.common_name.empty() &&
      std::none_of(subject.organizations.begin(), subject.organizations.end(),
                   [](const std::string& organization) { return organization.empty(); });
  if (!named) return BadRequest("a client certificate needs names that are not empty");
  const Profile profile{.subject = subject,
                        .names = {},
                        .lifetime = kLeafLifetime,
                        .basic_constraints = "critical,CA:FALSE",
                        .key_usage = "critical,digitalSignature",
                        .extended_key_usage = "clientAuth"};
  return Issue(ca, profile, now);
}

}  // namespace asyncops::tls
