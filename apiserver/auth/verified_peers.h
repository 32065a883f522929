// Client certificates that one CA bundle holds for good, remembered.
#ifndef ASYNCOPS_APISERVER_AUTH_VERIFIED_PEERS_H_
#define ASYNCOPS_APISERVER_AUTH_VERIFIED_PEERS_H_

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "apiserver/auth/user_info.h"
#include "apiserver/tls/certificate_verifier.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"

namespace asyncops::apiserver {

// Answers are kept by fingerprint: a good one for as long as the certificate holds, so that it ends
// with it, a bad one for ten seconds. Safe for use from several threads.
class VerifiedPeers {
 public:
  // BadRequest where the bundle is none. The clock outlives it.
  static Result<std::unique_ptr<VerifiedPeers>> Make(const std::string& ca_bundle_pem,
                                                     const Clock& clock);
  // The clock outlives it.
  VerifiedPeers(std::unique_ptr<tls::CertificateVerifier> verifier, const Clock& clock)
      : verifier_(std::move(verifier)), clock_(clock) {}

  // Whom the certificate speaks for at this moment: CN is the user, each O a group. Null where it
  // speaks for nobody.
  UserPointer Find(const http::PeerCertificate& peer) const;

 private:
  struct Known {
    UserPointer user;
    Time valid_from;
    Time valid_until;
  };

  const std::unique_ptr<tls::CertificateVerifier> verifier_;
  const Clock& clock_;

  mutable Mutex mutex_;
  mutable std::map<std::string, Known> good_ ASYNCOPS_GUARDED_BY(mutex_);
  mutable std::map<std::string, SteadyTime> bad_ ASYNCOPS_GUARDED_BY(mutex_);  // until then
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_VERIFIED_PEERS_H_
