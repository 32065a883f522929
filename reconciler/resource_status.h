// status of an AsyncResource: a projection of the operation that it is about.
#ifndef ASYNCOPS_RECONCILER_RESOURCE_STATUS_H_
#define ASYNCOPS_RECONCILER_RESOURCE_STATUS_H_

#include <string>

#include "api/asyncops/v1alpha1/async_resource.h"
#include "base/clock.h"
#include "reconciler/resource_decide.h"

namespace asyncops::reconciler {

// Brings the status up to the decision's subject (null where no operation of it is left: the status
// stays), and says what the decision says of a deletion or a newer generation. Transition times
// move only where a status does.
void ProjectResource(const AsyncResource& resource, const ResourceDecision& decision, Time now,
                     AsyncResourceStatus* status);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_RESOURCE_STATUS_H_
