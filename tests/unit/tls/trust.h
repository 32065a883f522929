// What a client that verifies would say.
#ifndef ASYNCOPS_TESTS_UNIT_TLS_TRUST_H_
#define ASYNCOPS_TESTS_UNIT_TLS_TRUST_H_

#include <string>
#include <vector>

#include "apiserver/tls/certificate.h"
#include "base/clock.h"

namespace asyncops::tls {

// The certificates of a PEM text, each by itself.
inline std::vector<std::string> Certificates(const std::string& bundle) {
  const std::string end = "-----END CERTIFICATE-----\n";
  std::vector<std::string> all;
  std::size_t from = 0;
  for (std::size_t at = bundle.find(end); at != std::string::npos; at = bundle.find(end, from)) {
    all.push_back(bundle.substr(from, at + end.size() - from));
    from = at + end.size();
  }
  return all;
}

// Whether the certificate is valid at this time, and signed by a CA of the bundle that is, too.
inline bool IsTrusted(const KeyPair& serving, const std::string& bundle, Time now) {
  const auto is_valid = [now](const std::string& pem) {
    const auto info = ReadCertificate(pem);
    return info.ok() && now >= info->not_before && now < info->not_after;
  };
  if (!is_valid(serving.certificate_pem)) return false;
  for (const std::string& ca : Certificates(bundle)) {
    if (is_valid(ca) && IsSignedBy(serving, {ca, ""})) return true;
  }
  return false;
}

}  // namespace asyncops::tls

#endif  // ASYNCOPS_TESTS_UNIT_TLS_TRUST_H_
