// A small certificate authority: ECDSA on P-256, signed with SHA-256.
#ifndef ASYNCOPS_APISERVER_TLS_CA_H_
#define ASYNCOPS_APISERVER_TLS_CA_H_

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/tls/certificate.h"
#include "base/clock.h"
#include "base/status.h"

namespace asyncops::tls {

inline constexpr std::chrono::hours kCaLifetime{24 * 3650};
inline constexpr std::chrono::hours kLeafLifetime{24 * 365};
// Certificates are valid from a little before they are made: clocks differ.
inline constexpr std::chrono::minutes kBackdate{5};

// Who a client certificate speaks for, in Kubernetes' reading: CN is the user, each O a group.
struct Subject {
  std::string common_name;
  std::vector<std::string> organizations;

  bool operator==(const Subject&) const = default;
};

// A self-signed CA. InternalError where OpenSSL fails.
Result<KeyPair> MakeCertificateAuthority(std::string_view common_name, Time now);

// A certificate for servers; `names` are DNS names and IP addresses, at least one, the first is
// also the CN. BadRequest for a name that is neither, or a CA that cannot sign.
Result<KeyPair> IssueServingCertificate(const KeyPair& ca, const std::vector<std::string>& names,
                                        Time now);

// A certificate for clients. BadRequest for an empty name.
Result<KeyPair> IssueClientCertificate(const KeyPair& ca, const Subject& subject, Time now);

}  // namespace asyncops::tls

#endif  // ASYNCOPS_APISERVER_TLS_CA_H_
