// The number of the process that may change operation rows: each start takes a higher one.
#ifndef ASYNCOPS_RECONCILER_OWNER_EPOCH_H_
#define ASYNCOPS_RECONCILER_OWNER_EPOCH_H_

#include <cstdint>

#include "storage/store.h"

namespace asyncops::reconciler {

// Writes that a new owner is here, durably, and returns its epoch: the revision of that write, so
// higher than all before. Rows that an earlier owner holds are ours to change; ours are not its.
Result<std::int64_t> TakeOwnership(storage::Store& store);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_OWNER_EPOCH_H_
