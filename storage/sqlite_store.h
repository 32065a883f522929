// The store on one SQLite file (WAL, synchronous=FULL), with one writer thread.
#ifndef ASYNCOPS_STORAGE_SQLITE_STORE_H_
#define ASYNCOPS_STORAGE_SQLITE_STORE_H_

#include <memory>
#include <string>

#include "base/clock.h"
#include "storage/store.h"

namespace asyncops::storage {

struct SqliteStoreOptions {
  std::string path;  // of the file; its directory exists
  std::string vfs;  // a registered SQLite VFS, for tests that make disks fail; "" for the usual one
};

// Opens or makes the file and migrates it. Refuses by name (ServiceUnavailable, with the path and
// what to do): a file that is no SQLite database or not ours (application_id), that is damaged,
// that a newer version wrote, that another process has open. Never starts empty over something it
// cannot read. The clock outlives the store. Destroying the store ends the writer (what was queued
// is written), checkpoints the WAL and closes.
Result<std::unique_ptr<Store>> OpenSqliteStore(const SqliteStoreOptions& options,
                                               const Clock& clock);

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_STORE_H_
