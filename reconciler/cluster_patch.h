// The JSON merge patch (RFC 7386) that makes one value of another.
#ifndef ASYNCOPS_RECONCILER_CLUSTER_PATCH_H_
#define ASYNCOPS_RECONCILER_CLUSTER_PATCH_H_

#include <optional>

#include "base/json.h"

namespace asyncops::reconciler {

// What differs, members that went as null, lists whole; nothing where the patch would change
// nothing. A null in an object of `after` means its absence: a merge patch cannot set one. Numbers
// are compared by value: Go writes 1.0 as 1.
std::optional<Json> MergePatchOf(const Json& before, const Json& after);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_CLUSTER_PATCH_H_
