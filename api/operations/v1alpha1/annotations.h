// Annotations by which people, and the action subresources, ask the engine for something; each
// value acts once, a new value acts again.
#ifndef ASYNCOPS_API_OPERATIONS_V1ALPHA1_ANNOTATIONS_H_
#define ASYNCOPS_API_OPERATIONS_V1ALPHA1_ANNOTATIONS_H_

#include <string_view>

namespace asyncops {

inline constexpr std::string_view kRetryRequestedAt = "asyncops.dev/retry-requested-at";
inline constexpr std::string_view kCancelRequestedAt = "asyncops.dev/cancel-requested-at";
// "Retry", "Adopt:OPERATION-ID" or "Fail".
inline constexpr std::string_view kResolve = "asyncops.dev/resolve";
inline constexpr std::string_view kAdoptPrefix = "Adopt:";

}  // namespace asyncops

#endif  // ASYNCOPS_API_OPERATIONS_V1ALPHA1_ANNOTATIONS_H_
