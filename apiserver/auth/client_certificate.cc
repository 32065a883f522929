#include "apiserver/auth/client_certificate.h"

#include <utility>

namespace asyncops::apiserver {
namespace {

// Beyond this the memory starts anew: clients with so many certificates verify now and then.
constexpr std::size_t kMaxKnown = 1024;

}  // namespace

Result<UserPointer> ClientCertificateAuthenticator::Authenticate(
    const http::Request& request) const {
  if (request.peer_certificate == nullptr) return UserPointer();
  const std::string& fingerprint = request.peer_certificate->fingerprint;
  const Time now = clock_.Now();
  {
    const MutexLock lock(mutex_);
    const auto found = known_.find(fingerprint);
    if (found != known_.end() && found->second.valid_from <= now &&
        now < found->second.valid_until) {
      return found->second.user;
    }
  }
  for (const auto& verifier : verifiers_) {
    const Result<tls::VerifiedCertificate> verified =
        verifier->Verify(*request.peer_certificate, now);
    if (!verified.ok() || verified->subject.common_name.empty()) continue;
    UserInfo named;
    named.name = verified->subject.common_name;
    named.groups = verified->subject.organizations;
    UserPointer user = MakeAuthenticated(std::move(named));
    const MutexLock lock(mutex_);
    if (known_.size() >= kMaxKnown) known_.clear();
    known_[fingerprint] = {user, verified->valid_from, verified->valid_until};
    return user;
  }
  return UserPointer();
}

}  // namespace asyncops::apiserver
