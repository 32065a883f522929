// Writes keys into a Secret of the local store.
#ifndef ASYNCOPS_RECONCILER_SECRET_WRITER_H_
#define ASYNCOPS_RECONCILER_SECRET_WRITER_H_

#include <cstdint>

#include "base/clock.h"
#include "base/ids.h"
#include "reconciler/resource_client.h"
#include "storage/store.h"

namespace asyncops::reconciler {

// What it writes with, and for which owner of the operations.
struct SecretWriterParts {
  storage::Store& store;
  const Clock& clock;
  IdGenerator& ids;
  std::int64_t epoch = 0;
};

// ResourceClient::ApplySecret over the local store. Blocks until the write is durable.
Status ApplyLocalSecret(const SecretWriterParts& parts, const ObjectName& name,
                        const OwnerReference& owner, const SecretData& values);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_SECRET_WRITER_H_
