// The second step of the schema: operations that are not settled get the field and the index entry
// by which a start finds them (storage/control_fields.h).
#ifndef ASYNCOPS_STORAGE_SQLITE_UNSETTLED_STEP_H_
#define ASYNCOPS_STORAGE_SQLITE_UNSETTLED_STEP_H_

#include "base/status.h"
#include "storage/sqlite/database.h"

namespace asyncops::storage {

// Within the caller's transaction. Reads each operation once; what it cannot read counts as not
// settled.
Status MarkUnsettled(Database& database);

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_UNSETTLED_STEP_H_
