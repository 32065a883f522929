// ResourceClient over the local store: standalone.
#ifndef ASYNCOPS_RECONCILER_LOCAL_RESOURCE_CLIENT_H_
#define ASYNCOPS_RECONCILER_LOCAL_RESOURCE_CLIENT_H_

#include <memory>

#include "base/clock.h"
#include "base/ids.h"
#include "reconciler/resource_client.h"

namespace asyncops::reconciler {

// All outlive the client.
std::unique_ptr<ResourceClient> MakeLocalResourceClient(storage::Store& store, const Clock& clock,
                                                        IdGenerator& ids);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_LOCAL_RESOURCE_CLIENT_H_
