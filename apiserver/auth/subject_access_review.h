// Whether a user may, as kube-apiserver's authorizers say.
#ifndef ASYNCOPS_APISERVER_AUTH_SUBJECT_ACCESS_REVIEW_H_
#define ASYNCOPS_APISERVER_AUTH_SUBJECT_ACCESS_REVIEW_H_

#include <memory>

#include "apiserver/auth/authorizer.h"
#include "apiserver/auth/review_cache.h"
#include "apiserver/auth/review_queue.h"
#include "base/clock.h"

namespace asyncops::apiserver {

// Asks for a SubjectAccessReview. An answer is kept for ten seconds, unless the question is longer
// than 10,000 bytes; equal questions at one time share a review. Who is in system:masters may do
// everything and anyone may ask the probes, without a review. Where none can be had nothing is
// allowed: the decision's error is an InternalError, or TooManyRequests, and the log says why.
class SubjectAccessReviewAuthorizer final : public Authorizer {
 public:
  // Both outlive it.
  SubjectAccessReviewAuthorizer(ReviewQueue& queue, const Clock& clock);

  void Authorize(const Attributes& attributes, std::function<void(Decision)> done) const override;

 private:
  using Cache = ReviewCache<Decision>;

  ReviewQueue& queue_;
  const Clock& clock_;
  // Shared with reviews under way, which may outlive this.
  const std::shared_ptr<Cache> cache_;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_SUBJECT_ACCESS_REVIEW_H_
