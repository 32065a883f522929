#include "apiserver/auth/client_certificate.h"

#include <utility>

namespace asyncops::apiserver {

ClientCertificateAuthenticator::ClientCertificateAuthenticator(
    std::vector<std::unique_ptr<tls::CertificateVerifier>> verifiers, const Clock& clock) {
  for (auto& verifier : verifiers)
    authorities_.push_back(std::make_unique<VerifiedPeers>(std::move(verifier), clock));
}

Authentication ClientCertificateAuthenticator::Identify(const http::Request& request) const {
  if (request.peer_certificate == nullptr) return UserPointer();
  for (const auto& authority : authorities_) {
    const UserPointer user = authority->Find(*request.peer_certificate);
    if (user != nullptr) return user;
  }
  return UserPointer();
}

}  // namespace asyncops::apiserver
