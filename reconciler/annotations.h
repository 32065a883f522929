// What users and the engine write into metadata.
#ifndef ASYNCOPS_RECONCILER_ANNOTATIONS_H_
#define ASYNCOPS_RECONCILER_ANNOTATIONS_H_

#include <string_view>

namespace asyncops::reconciler {

// Annotations by which people ask for something; each value acts once, a new value acts again.
inline constexpr std::string_view kRetryRequestedAt = "asyncops.dev/retry-requested-at";
inline constexpr std::string_view kCancelRequestedAt = "asyncops.dev/cancel-requested-at";
// "Retry", "Adopt:OPERATION-ID" or "Fail".
inline constexpr std::string_view kResolve = "asyncops.dev/resolve";

// On an AsyncOperation from its first intent on: its rows go with it.
inline constexpr std::string_view kOperationFinalizer = "asyncops.dev/operation";

// On an operation that an AsyncResource made, until the resource has seen how it ended.
inline constexpr std::string_view kTrackingFinalizer = "asyncops.dev/resource";

// Labels of the operations that an AsyncResource made.
inline constexpr std::string_view kResourceUidLabel = "asyncops.dev/resource-uid";
inline constexpr std::string_view kGenerationLabel = "asyncops.dev/resource-generation";

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_ANNOTATIONS_H_
