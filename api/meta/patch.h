// JSON Patch (RFC 6902) and JSON Merge Patch (RFC 7386) as kube-apiserver applies them.
#ifndef ASYNCOPS_API_META_PATCH_H_
#define ASYNCOPS_API_META_PATCH_H_

#include "base/json.h"
#include "base/status.h"

namespace asyncops {

// Applies the operations in order to a copy. BadRequest where the patch is no list of operations,
// RequestEntityTooLarge beyond kMaxJsonPatchOperations or where copies grow the document over 3
// MiB, Invalid (422, naming the operation) where one cannot be applied or a test fails.
Result<Json> ApplyJsonPatch(const Json& document, const Json& patch);

// Null removes. The patch must be an object (BadRequest).
Result<Json> ApplyMergePatch(const Json& document, const Json& patch);

}  // namespace asyncops

#endif  // ASYNCOPS_API_META_PATCH_H_
