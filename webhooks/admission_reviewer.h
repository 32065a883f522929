// The validating webhook: an AdmissionReview in, the same review answered.
#ifndef ASYNCOPS_WEBHOOKS_ADMISSION_REVIEWER_H_
#define ASYNCOPS_WEBHOOKS_ADMISSION_REVIEWER_H_

#include "api/admission/v1/admission_review.h"
#include "apiserver/http/request.h"
#include "apiserver/http/response.h"

namespace asyncops::webhooks {

// Where kube-apiserver is told to post.
inline constexpr std::string_view kValidatePath = "/validate";

// Answers `POST /validate`. Stateless: no store, no clock, no side effect, so it may be called from
// any thread, for a dry run too, and while the database is down. Never blocks. Nothing of
// its input is trusted. Who may ask is decided before it, like for any request.
class AdmissionReviewer {
 public:
  // 200 with an AdmissionReview of the same uid, refused (status 400) where the request makes no
  // sense, and refused with every mistake as a cause (status 422) where the object is wrong. Where
  // there is no uid to answer to: 400, 405 or 415 with a Status. The server bounds the body to
  // kMaxReviewBodyBytes.
  http::Response Review(const http::Request& request) const;

  // The decision alone.
  admission::AdmissionResponse Decide(admission::AdmissionRequest request) const;
};

}  // namespace asyncops::webhooks

#endif  // ASYNCOPS_WEBHOOKS_ADMISSION_REVIEWER_H_
