// Users by client certificate: CN is the name, O are the groups, as kube-apiserver's
// --client-ca-file.
#ifndef ASYNCOPS_APISERVER_AUTH_CLIENT_CERTIFICATE_H_
#define ASYNCOPS_APISERVER_AUTH_CLIENT_CERTIFICATE_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/auth/authenticator.h"
#include "apiserver/tls/certificate_verifier.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace asyncops::apiserver {

// Asks each verifier in order; the first that knows the certificate's CA speaks. Answers are kept
// by fingerprint for as long as the certificate holds.
class ClientCertificateAuthenticator final : public Authenticator {
 public:
  ClientCertificateAuthenticator(std::vector<std::unique_ptr<tls::CertificateVerifier>> verifiers,
                                 const Clock& clock)
      : verifiers_(std::move(verifiers)), clock_(clock) {}

  // A certificate that no verifier holds for good, or that names nobody, is passed over: a token
  // may stand beside it.
  Result<UserPointer> Authenticate(const http::Request& request) const override;

 private:
  struct Known {
    UserPointer user;
    Time valid_from;
    Time valid_until;
  };

  const std::vector<std::unique_ptr<tls::CertificateVerifier>> verifiers_;
  const Clock& clock_;

  mutable Mutex mutex_;
  mutable std::map<std::string, Known> known_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_CLIENT_CERTIFICATE_H_
