// Users by client certificate: CN is the name, O are the groups, as kube-apiserver's
// --client-ca-file.
#ifndef ASYNCOPS_APISERVER_AUTH_CLIENT_CERTIFICATE_H_
#define ASYNCOPS_APISERVER_AUTH_CLIENT_CERTIFICATE_H_

#include <memory>
#include <vector>

#include "apiserver/auth/authenticator.h"
#include "apiserver/auth/verified_peers.h"
#include "apiserver/tls/certificate_verifier.h"
#include "base/clock.h"

namespace asyncops::apiserver {

// Asks each verifier in order; the first that knows the certificate's CA speaks.
class ClientCertificateAuthenticator final : public ImmediateAuthenticator {
 public:
  ClientCertificateAuthenticator(std::vector<std::unique_ptr<tls::CertificateVerifier>> verifiers,
                                 const Clock& clock);

  // A certificate that no verifier holds for good, or that names nobody, is passed over: a token
  // may stand beside it.
  Authentication Identify(const http::Request& request) const override;

 private:
  std::vector<std::unique_ptr<VerifiedPeers>> authorities_;  // constant after construction
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_CLIENT_CERTIFICATE_H_
