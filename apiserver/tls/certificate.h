// What an X.509 certificate says, as plain values.
#ifndef ASYNCOPS_APISERVER_TLS_CERTIFICATE_H_
#define ASYNCOPS_APISERVER_TLS_CERTIFICATE_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"

namespace asyncops::tls {

// A certificate and its private key, both PEM. The key must not be logged or shown.
struct KeyPair {
  std::string certificate_pem;
  std::string key_pem;

  bool operator==(const KeyPair&) const = default;
};

struct CertificateInfo {
  std::vector<std::string> common_names;   // one, as a rule
  std::vector<std::string> organizations;  // in their order
  std::vector<std::string> names;          // subjectAltName: DNS names and IP addresses as text
  Time not_before;
  Time not_after;
  bool is_ca = false;
};

// The first certificate of a PEM text. BadRequest where there is none.
Result<CertificateInfo> ReadCertificate(std::string_view pem);
// The same of exactly one certificate in DER.
Result<CertificateInfo> ReadCertificateDer(std::string_view der);

// OK where the first certificate, and the unencrypted private key, are readable and belong
// together. BadRequest says which of them is wrong, and never shows a byte of either.
Status CheckKeyPair(const KeyPair& pair);

// Whether the certificate of `ca` signed that of `pair`; false where one is not readable.
bool IsSignedBy(const KeyPair& pair, const KeyPair& ca);

// An IP address as certificates give it back ("::1" for "0:0::1"); a DNS name in lower case.
std::string CanonicalName(std::string_view name);

}  // namespace asyncops::tls

#endif  // ASYNCOPS_APISERVER_TLS_CERTIFICATE_H_
