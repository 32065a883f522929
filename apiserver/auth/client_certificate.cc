#include "apiserver/auth/client_certificate.h"

#include <utility>

namespace asyncops::apiserver {
namespace {

// Beyond this the memory starts anew: clients with so many certificates verify now and then.
constexpr std::size_t kMaxKnown = 1024;

}  // namespace

Result<std::optional<UserInfo>> ClientCertificateAuthenticator::Authenticate(
    const http::Request& request) const {
  if (request.peer_certificate == nullptr) return std::optional<UserInfo>();
  const std::string& fingerprint = request.peer_certificate->fingerprint;
  const Time now = clock_.Now();
  {
    const MutexLock lock(mutex_);
    const auto found = known_.find(fingerprint);
    if (found != known_.end() && found->second.valid_from <= now &&
        now < found->second.valid_until) {
      return std::optional<UserInfo>(found->second.user);
    }
  }
  for (const auto& verifier : verifiers_) {
    const Result<tls::VerifiedCertificate> verified =
        verifier->Verify(*request.peer_certificate, now);
    if (!verified.ok()) continue;
    UserInfo user;
    user.name = verified->subject.common_name;
    user.groups = verified->subject.organizations;
    const MutexLock lock(mutex_);
    if (known_.size() >= kMaxKnown) known_.clear();
    known_[fingerprint] = {user, verified->valid_from, verified->valid_until};
    return std::optional<UserInfo>(std::move(user));
  }
  return std::optional<UserInfo>();
}

}  // namespace asyncops::apiserver
