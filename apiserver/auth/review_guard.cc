#include "apiserver/auth/review_guard.h"

#include <utility>

namespace asyncops::apiserver {

Result<std::unique_ptr<ReviewGuard>> ReviewGuard::Make(const std::string& ca_pem,
                                                       const Clock& clock) {
  std::unique_ptr<VerifiedPeers> peers;
  if (!ca_pem.empty()) {
    Result<std::unique_ptr<VerifiedPeers>> made = VerifiedPeers::Make(ca_pem, clock);
    if (!made.ok()) return made.status().WithContext("webhook-client-ca-file");
    peers = *std::move(made);
  }
  return std::unique_ptr<ReviewGuard>(new ReviewGuard(std::move(peers)));
}

Status ReviewGuard::Check(const http::Request& request) const {
  if (peers_ == nullptr) return Status::Ok();
  const bool known =
      request.peer_certificate != nullptr && peers_->Find(*request.peer_certificate) != nullptr;
  return known ? Status::Ok() : Status(Reason::kUnauthorized, "Unauthorized");
}

}  // namespace asyncops::apiserver
