// status of an AsyncResource: a projection of the operation that it is about.
#ifndef ASYNCOPS_RECONCILER_RESOURCE_STATUS_H_
#define ASYNCOPS_RECONCILER_RESOURCE_STATUS_H_

#include <string>

#include "api/asyncops/v1alpha1/async_resource.h"
#include "base/clock.h"
#include "reconciler/owned_operation.h"

namespace asyncops::reconciler {

// Brings the status up to the subject (null where no operation of it is left: the status stays).
// `deletion_blocked` as in ResourceDecision. Transition times move only where a status does.
void ProjectResource(const AsyncResource& resource, const OwnedOperation* subject,
                     const std::string& deletion_blocked, Time now, AsyncResourceStatus* status);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_RESOURCE_STATUS_H_
