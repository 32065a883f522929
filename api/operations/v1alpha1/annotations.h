// Annotations by which people, and the action subresources, ask the engine for something; each
// value acts once, a new value acts again.
#ifndef ASYNCOPS_API_OPERATIONS_V1ALPHA1_ANNOTATIONS_H_
#define ASYNCOPS_API_OPERATIONS_V1ALPHA1_ANNOTATIONS_H_

#include <string_view>

namespace asyncops {

inline constexpr std::string_view kRetryRequestedAt = "asyncops.dev/retry-requested-at";
inline constexpr std::string_view kCancelRequestedAt = "asyncops.dev/cancel-requested-at";
// "Retry", "Adopt:OPERATION-ID", "ForceAdopt:OPERATION-ID" or "Fail".
inline constexpr std::string_view kResolve = "asyncops.dev/resolve";
inline constexpr std::string_view kAdoptPrefix = "Adopt:";
// Although another operation follows that ID already.
inline constexpr std::string_view kForceAdoptPrefix = "ForceAdopt:";

// On an object under deletion, with "true": it goes at once, and what it may have made outside is
// left behind.
inline constexpr std::string_view kForceDelete = "asyncops.dev/force-delete";

// The user who asked last for one of the above, or changed spec.suspend; written by the server
// alone.
inline constexpr std::string_view kRequestedBy = "asyncops.dev/requested-by";

}  // namespace asyncops

#endif  // ASYNCOPS_API_OPERATIONS_V1ALPHA1_ANNOTATIONS_H_
