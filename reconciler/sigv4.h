// AWS Signature Version 4: what proves to an AWS service who sends a request.
#ifndef ASYNCOPS_RECONCILER_SIGV4_H_
#define ASYNCOPS_RECONCILER_SIGV4_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/uri.h"

namespace asyncops::reconciler {

// What signs, and for whom. A value; never logged, never stored.
struct SigV4Signer {
  std::string region;
  std::string service;  // the signing name; "s3" is signed by S3's own rules
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;  // "" with long-term keys
};

// What is signed. All of it outlives the call.
struct SigV4Request {
  std::string_view method;
  const Uri& uri;
  const std::vector<std::pair<std::string, std::string>>& headers;  // as they are sent
  std::string_view body;
};

// The headers to send beside those of the request: X-Amz-Date, X-Amz-Security-Token with a session
// token, X-Amz-Content-Sha256 for S3, and Authorization. Every header of the request is signed, but
// for those that the way may change (User-Agent, Accept-Encoding). A signature holds for 5 minutes
// around `now`: make it when the request is sent.
std::vector<std::pair<std::string, std::string>> SignSigV4(const SigV4Signer& signer,
                                                           const SigV4Request& request, Time now);

// Whether an error code says that a signature or key was refused for a reason that may pass: a
// clock that differs, keys that ended or are not known yet. AWS says so with 400 as with 403.
bool IsSigV4Refusal(std::string_view code);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_SIGV4_H_
