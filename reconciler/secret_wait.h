// Which failures wait for a Secret.
#ifndef ASYNCOPS_RECONCILER_SECRET_WAIT_H_
#define ASYNCOPS_RECONCILER_SECRET_WAIT_H_

#include <cstdint>
#include <string_view>

namespace asyncops::reconciler {

// Whether a failure with this code and HTTP status (0 where there was no answer) is one that a
// change of a Secret may mend: credentials that are missing or were refused, and outputs that could
// not be kept.
bool AwaitsSecret(std::string_view code, std::int64_t http_status);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_SECRET_WAIT_H_
