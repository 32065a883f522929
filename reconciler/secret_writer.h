// Writes keys into a Secret of the local store.
#ifndef ASYNCOPS_RECONCILER_SECRET_WRITER_H_
#define ASYNCOPS_RECONCILER_SECRET_WRITER_H_

#include "base/clock.h"
#include "base/ids.h"
#include "reconciler/resource_client.h"
#include "storage/store.h"

namespace asyncops::reconciler {

// ResourceClient::ApplySecret over the local store. Blocks until the write is durable.
Status ApplyLocalSecret(storage::Store& store, const Clock& clock, IdGenerator& ids,
                        const ObjectName& name, const OwnerReference& owner,
                        const SecretData& values);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_SECRET_WRITER_H_
