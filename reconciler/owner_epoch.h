// The number of the process that may change operation rows: each start takes a higher one.
#ifndef ASYNCOPS_RECONCILER_OWNER_EPOCH_H_
#define ASYNCOPS_RECONCILER_OWNER_EPOCH_H_

#include <cstdint>

#include "storage/store.h"

namespace asyncops::reconciler {

// Writes that a new owner is here, durably, and returns its epoch: the revision of that write, so
// higher than all before. Rows that an earlier owner holds are ours to change; ours are not its.
Result<std::int64_t> TakeOwnership(storage::Store& store);

// OK while this epoch is the newest; ServiceUnavailable once another owner has come, for good. In a
// write's transaction it keeps an owner that was only thought dead from writing anything. The epoch
// 0 is nobody's, and passes.
Status CheckOwnership(storage::Transaction& transaction, std::int64_t epoch);
// The same of now, for what is not written through a transaction.
Status CheckOwnership(const storage::Store& store, std::int64_t epoch);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_OWNER_EPOCH_H_
