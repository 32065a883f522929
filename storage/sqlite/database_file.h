// The store's file: made whole or not at all, refused by name where it is not what we wrote.
#ifndef ASYNCOPS_STORAGE_SQLITE_DATABASE_FILE_H_
#define ASYNCOPS_STORAGE_SQLITE_DATABASE_FILE_H_

#include <memory>
#include <string>

#include "base/status.h"
#include "storage/sqlite/database.h"

namespace asyncops::storage {

// Makes the file (under a second name that is renamed when it is complete, so that a file that
// exists is never an empty beginning), or checks and migrates the one that is there; then marks it
// as in use. The connection is the writer's. Failures are ServiceUnavailable and say what to do;
// the path is not in them. The caller holds the file's lock.
Result<std::unique_ptr<Database>> OpenDatabaseFile(const std::string& path, const std::string& vfs);

// A connection that can only read. The writer's is open and outlives it.
Result<std::unique_ptr<Database>> OpenReadConnection(const std::string& path,
                                                     const std::string& vfs);

// Marks the file as whole without its WAL, and empties that.
Status CloseDatabaseFile(Database& writer);

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_DATABASE_FILE_H_
