// Bearer tokens that kube-apiserver judges.
#ifndef ASYNCOPS_APISERVER_AUTH_TOKEN_REVIEW_H_
#define ASYNCOPS_APISERVER_AUTH_TOKEN_REVIEW_H_

#include <memory>

#include "apiserver/auth/authenticator.h"
#include "apiserver/auth/review_cache.h"
#include "apiserver/auth/review_queue.h"
#include "base/clock.h"

namespace asyncops::apiserver {

// Asks for a TokenReview, without audiences, so that those of kube-apiserver hold. An answer, good
// or bad, is kept for ten seconds under the token's SHA-256; requests that show one token at one
// time share a review. Where none can be had the token counts as wrong: whoever shows one is never
// anonymous.
class TokenReviewAuthenticator final : public Authenticator {
 public:
  // Both outlive it.
  TokenReviewAuthenticator(ReviewQueue& queue, const Clock& clock);

  // Speaks for `Authorization: Bearer ...` alone.
  void Authenticate(const http::Request& request, AuthenticationCallback done) const override;
  std::optional<Authentication> TryAuthenticate(const http::Request& request) const override;

 private:
  using Cache = ReviewCache<Authentication>;

  ReviewQueue& queue_;
  const Clock& clock_;
  // Shared with reviews under way, which may outlive this.
  const std::shared_ptr<Cache> cache_;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_TOKEN_REVIEW_H_
