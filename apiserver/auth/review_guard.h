// Who may post AdmissionReviews. kube-apiserver shows webhooks no credential unless it was told to.
#ifndef ASYNCOPS_APISERVER_AUTH_REVIEW_GUARD_H_
#define ASYNCOPS_APISERVER_AUTH_REVIEW_GUARD_H_

#include <memory>
#include <string>

#include "apiserver/auth/verified_peers.h"
#include "base/clock.h"
#include "base/status.h"

namespace asyncops::apiserver {

// Safe for use from several threads.
class ReviewGuard {
 public:
  // `ca_pem`: of the certificates that are asked for; "" lets everybody in. BadRequest where it is
  // none. The clock outlives it.
  static Result<std::unique_ptr<ReviewGuard>> Make(const std::string& ca_pem, const Clock& clock);

  // OK, or Unauthorized.
  Status Check(const http::Request& request) const;

 private:
  explicit ReviewGuard(std::unique_ptr<VerifiedPeers> peers) : peers_(std::move(peers)) {}

  const std::unique_ptr<VerifiedPeers> peers_;  // null where everybody may
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_REVIEW_GUARD_H_
