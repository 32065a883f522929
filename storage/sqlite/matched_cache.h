// The names that lookups found, shared by the connections for reads.
#ifndef ASYNCOPS_STORAGE_SQLITE_MATCHED_CACHE_H_
#define ASYNCOPS_STORAGE_SQLITE_MATCHED_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "base/mutex.h"
#include "storage/sqlite/list_scan.h"
#include "storage/sqlite/matched_names.h"

namespace asyncops::storage {

// What was looked up: in the objects of a resource, what has one of these marks.
struct MatchedKey {
  std::int64_t resource = 0;
  Requirement marks;

  auto operator<=>(const MatchedKey&) const = default;
};

// Safe for use from several threads.
class MatchedCache {
 public:
  // Holds so many bytes of names in all, and forgets first what was not asked for the longest.
  explicit MatchedCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}
  MatchedCache(const MatchedCache&) = delete;
  MatchedCache& operator=(const MatchedCache&) = delete;

  // Null where nothing is held.
  std::shared_ptr<const MatchedNames> Find(const MatchedKey& key);
  // Takes the place of what is held of that key, unless that reaches further.
  void Keep(const MatchedKey& key, std::shared_ptr<const MatchedNames> names);

 private:
  struct Held {
    std::shared_ptr<const MatchedNames> names;
    std::uint64_t used = 0;  // turn_ of its latest use
  };

  void ForgetOldest() ASYNCOPS_REQUIRES(mutex_);

  const std::size_t max_bytes_;

  Mutex mutex_;
  std::map<MatchedKey, Held> held_ ASYNCOPS_GUARDED_BY(mutex_);
  std::size_t bytes_ ASYNCOPS_GUARDED_BY(mutex_) = 0;
  std::uint64_t turn_ ASYNCOPS_GUARDED_BY(mutex_) = 0;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_MATCHED_CACHE_H_
