// The schema of the store's file, as the ordered list of changes that made it. PRAGMA user_version
// is the number of those that a file has seen.
#ifndef ASYNCOPS_STORAGE_SQLITE_MIGRATIONS_H_
#define ASYNCOPS_STORAGE_SQLITE_MIGRATIONS_H_

#include <cstdint>

#include "base/status.h"
#include "storage/sqlite/database.h"

namespace asyncops::storage {

// "asop", in PRAGMA application_id: tells our files from other SQLite databases.
inline constexpr std::int64_t kApplicationId = 0x61736F70;

// The version that this binary writes.
int NewestSchemaVersion();

// Brings the file to the newest version, each step in a transaction of its own: a process that dies
// leaves the old or the new schema, never half. ServiceUnavailable where a newer binary wrote the
// file, naming both versions. The caller checked application_id.
Status Migrate(Database& database);

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_MIGRATIONS_H_
