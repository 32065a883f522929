// The right of one process to a store's file.
#ifndef ASYNCOPS_STORAGE_SQLITE_FILE_LOCK_H_
#define ASYNCOPS_STORAGE_SQLITE_FILE_LOCK_H_

#include <memory>
#include <string>

#include "base/status.h"

namespace asyncops::storage {

// Holds an flock on PATH, a file of its own: closing any descriptor of the database would drop the
// locks that SQLite has on it. The kernel releases it however the process ends. Neither copied nor
// moved.
class FileLock {
 public:
  // ServiceUnavailable where someone else (or another store of this process) holds it, naming the
  // process that wrote its id into the file.
  static Result<std::unique_ptr<FileLock>> Take(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  const int fd_;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_FILE_LOCK_H_
