#include "apiserver/auth/verified_peers.h"

#include <utility>

namespace asyncops::apiserver {
namespace {

// Beyond this the memory starts anew: clients with so many certificates verify now and then.
constexpr std::size_t kMaxKnown = 1024;
constexpr std::chrono::seconds kBadTtl{10};

}  // namespace

Result<std::unique_ptr<VerifiedPeers>> VerifiedPeers::Make(const std::string& ca_bundle_pem,
                                                           const Clock& clock) {
  Result<std::unique_ptr<tls::CertificateVerifier>> verifier =
      tls::CertificateVerifier::Make(ca_bundle_pem);
  if (!verifier.ok()) return verifier.status();
  return std::make_unique<VerifiedPeers>(*std::move(verifier), clock);
}

UserPointer VerifiedPeers::Find(const http::PeerCertificate& peer) const {
  const Time now = clock_.Now();
  const SteadyTime steady_now = clock_.SteadyNow();
  {
    const MutexLock lock(mutex_);
    const auto good = good_.find(peer.fingerprint);
    if (good != good_.end() && good->second.valid_from <= now && now < good->second.valid_until)
      return good->second.user;
    const auto bad = bad_.find(peer.fingerprint);
    if (bad != bad_.end() && steady_now < bad->second) return nullptr;
  }
  const Result<tls::VerifiedCertificate> verified = verifier_->Verify(peer, now);
  const MutexLock lock(mutex_);
  if (!verified.ok()) {
    // One that comes with a chain may come with a better one.
    if (!peer.chain_der.empty()) return nullptr;
    if (bad_.size() >= kMaxKnown) bad_.clear();
    bad_[peer.fingerprint] = steady_now + kBadTtl;
    return nullptr;
  }
  UserInfo named;
  named.name = verified->subject.common_name;
  named.groups = verified->subject.organizations;
  UserPointer user = MakeAuthenticated(std::move(named));
  if (good_.size() >= kMaxKnown) good_.clear();
  good_[peer.fingerprint] = {user, verified->valid_from, verified->valid_until};
  return user;
}

}  // namespace asyncops::apiserver
