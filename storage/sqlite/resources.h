// The small numbers that stand for resource names in rows.
#ifndef ASYNCOPS_STORAGE_SQLITE_RESOURCES_H_
#define ASYNCOPS_STORAGE_SQLITE_RESOURCES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "storage/sqlite/database.h"

namespace asyncops::storage {

// Find and Name are safe for use from several threads and know what is committed; the rest is for
// the writer's thread and follows its transaction.
class Resources {
 public:
  Resources() = default;
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;

  // Reads what the file has.
  Status Load(Database& database);

  // Nothing where no object of the resource was ever written.
  std::optional<std::int64_t> Find(std::string_view name) const;
  // "" for a number that is none of ours.
  std::string Name(std::int64_t id) const;

  // The number, also of one that this transaction added.
  std::optional<std::int64_t> FindWritten(std::string_view name) const;
  // The number, given now where there is none.
  Result<std::int64_t> FindOrAdd(Database& database, const std::string& name);
  // How many were added in this transaction; Forget drops those beyond such a count (a rolled back
  // savepoint), Publish makes all visible to readers (a commit).
  std::size_t added() const { return added_.size(); }
  void Forget(std::size_t count);
  void Publish();

 private:
  struct Entry {
    std::string name;
    std::int64_t id = 0;
  };

  std::vector<Entry> added_;  // the writer's
  mutable Mutex mutex_;
  std::map<std::string, std::int64_t, std::less<>> ids_ ASYNCOPS_GUARDED_BY(mutex_);
  std::map<std::int64_t, std::string> names_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_RESOURCES_H_
