// What the engine writes into metadata; what users do is in the header that it includes.
#ifndef ASYNCOPS_RECONCILER_ANNOTATIONS_H_
#define ASYNCOPS_RECONCILER_ANNOTATIONS_H_

#include <string_view>

#include "api/meta/object_meta.h"
#include "api/operations/v1alpha1/annotations.h"  // what users write

namespace asyncops::reconciler {

// On an AsyncOperation from its first intent on: its rows go with it.
inline constexpr std::string_view kOperationFinalizer = "asyncops.dev/operation";

// On an operation that an AsyncResource made, until the resource has seen how it ended.
inline constexpr std::string_view kTrackingFinalizer = "asyncops.dev/resource";

// On each ExternalSystem: it stays until what was made through it is deleted, and what runs there
// has ended.
inline constexpr std::string_view kSystemFinalizer = "asyncops.dev/in-use";

// The value of a cancel that an AsyncResource asks for because it is deleted.
inline constexpr std::string_view kResourceDeleted = "resource-deleted";

// Labels of the operations that an AsyncResource made.
inline constexpr std::string_view kResourceUidLabel = "asyncops.dev/resource-uid";
inline constexpr std::string_view kGenerationLabel = "asyncops.dev/resource-generation";

// On an operation that an AsyncResource made: Secrets that earlier ones wrote (earlier_secrets.h).
inline constexpr std::string_view kEarlierSecrets = "asyncops.dev/earlier-secrets";

// The object's annotation; "" where it has none.
std::string_view AnnotationOf(const ObjectMeta& meta, std::string_view name);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_ANNOTATIONS_H_
