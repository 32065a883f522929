// The certificates of a server that is its own CA, and when each of them is replaced.
#ifndef ASYNCOPS_APISERVER_TLS_SELF_SIGNED_SET_H_
#define ASYNCOPS_APISERVER_TLS_SELF_SIGNED_SET_H_

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/tls/certificate.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/status.h"

namespace asyncops::tls {

// How long a new CA is in the bundle, at least, before anything is signed by it: so long may a
// client take to see the bundle.
inline constexpr std::chrono::hours kPublishedBefore{1};

// A CA that signs no more: its key is gone.
struct RetiredCa {
  std::string certificate_pem;
  Time until;  // when the last certificate that it signed ends

  bool operator==(const RetiredCa&) const = default;
};

// A value.
struct SelfSignedSet {
  KeyPair signing;                   // the CA that signed `serving`
  std::optional<KeyPair> successor;  // published, and to sign next
  std::optional<RetiredCa> retired;  // still trusted
  KeyPair serving;

  // What clients are to trust, PEM: all of these CAs.
  std::string Bundle() const;
  bool operator==(const SelfSignedSet&) const = default;
};

struct SelfSignedPlan {
  std::vector<std::string> names;  // of the serving certificate; the first is its CN
  Time now;
  bool bundle_is_trusted = false;  // clients are known to have this set's Bundle()
};

// All new. InternalError where OpenSSL fails, BadRequest for a name that is none.
Result<SelfSignedSet> MakeSelfSignedSet(const SelfSignedPlan& plan);

// The set as it should be now; the same where nothing is due. At two thirds of its life a
// certificate is issued anew, and a CA gets a successor. That one signs once its bundle is trusted
// and was there for kPublishedBefore; the old one stays in the bundle until the last certificate
// that it signed ends. A CA that is not valid now is replaced at once, with all it signed: nobody
// can trust it any more.
Result<SelfSignedSet> RenewSelfSignedSet(const SelfSignedSet& set, const SelfSignedPlan& plan);

// As the members of a Secret of type kubernetes.io/tls (base64): tls.crt and tls.key, ca.crt with
// the bundle, and what renewals need.
JsonObject EncodeSelfSignedData(const SelfSignedSet& set);
// BadRequest names the member that is missing or wrong, never its bytes.
Result<SelfSignedSet> DecodeSelfSignedData(const Json& data);

}  // namespace asyncops::tls

#endif  // ASYNCOPS_APISERVER_TLS_SELF_SIGNED_SET_H_
