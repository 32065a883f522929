// The meaning of an AsyncOperation, beyond its structure; as api/asyncops/v1alpha1/validation.h.
#ifndef ASYNCOPS_API_OPERATIONS_V1ALPHA1_VALIDATION_H_
#define ASYNCOPS_API_OPERATIONS_V1ALPHA1_VALIDATION_H_

#include "api/asyncops/v1alpha1/validation.h"
#include "api/operations/v1alpha1/async_operation.h"

namespace asyncops {

ValidationResult ValidateAsyncOperation(const AsyncOperation& operation);
// The spec is immutable but for suspend, ttlAfterFinished and activeDeadline.
ValidationResult ValidateAsyncOperationUpdate(const AsyncOperation& operation,
                                              const AsyncOperation& old);

}  // namespace asyncops

#endif  // ASYNCOPS_API_OPERATIONS_V1ALPHA1_VALIDATION_H_
