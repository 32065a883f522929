// ResourceClient over the local store: standalone.
#ifndef ASYNCOPS_RECONCILER_LOCAL_RESOURCE_CLIENT_H_
#define ASYNCOPS_RECONCILER_LOCAL_RESOURCE_CLIENT_H_

#include <memory>

#include "reconciler/resource_client.h"

namespace asyncops::reconciler {

// The store outlives the client.
std::unique_ptr<ResourceClient> MakeLocalResourceClient(storage::Store& store, const Clock& clock);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_LOCAL_RESOURCE_CLIENT_H_
