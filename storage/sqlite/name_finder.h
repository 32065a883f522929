// Which objects a list by selectors has to look at.
#ifndef ASYNCOPS_STORAGE_SQLITE_NAME_FINDER_H_
#define ASYNCOPS_STORAGE_SQLITE_NAME_FINDER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/status.h"
#include "storage/found_names.h"
#include "storage/sqlite/database.h"
#include "storage/sqlite/list_scan.h"
#include "storage/sqlite/matched_cache.h"
#include "storage/sqlite/statements.h"
#include "storage/store.h"

namespace asyncops::storage {

// What a read transaction knows of the log.
struct LogBounds {
  Revision newest = 0;
  Revision compacted = 0;  // changes up to here may be gone
};

// Names of all objects that the query matches from a position on, and others; or neither, where a
// scan of all objects is cheaper.
struct Candidates {
  std::shared_ptr<const MatchedNames> matched;  // all that there are
  std::shared_ptr<const FoundNames> found;      // those that come first
};

// Looks names up in the index of selectors, and keeps those of large answers in the cache: it
// begins with what another list found and reads what changed since in the log, where it can. On one
// connection and for one thread at a time; the connection and the cache outlive it.
class NameFinder {
 public:
  NameFinder(Database& database, MatchedCache& cache);

  // Within a read transaction that has these bounds. The position's state is not older than what is
  // compacted, and not newer than the newest.
  Result<Candidates> Find(const ListQuery& query, std::int64_t resource,
                          const ListPosition& position, const LogBounds& bounds);

 private:
  // A list that asks, in a state.
  struct Search {
    const ListQuery& query;
    std::int64_t resource;
    const ListPosition& position;
    const LogBounds& bounds;
    Revision state;
  };

  // A requirement that may lead the list.
  struct Lead {
    MatchedKey key;
    std::shared_ptr<const MatchedNames> matched;  // null where it has to be looked up
    std::int64_t entries = 0;                     // about so many objects have to be looked at
  };

  // The requirements of the query, those first that need no lookup.
  std::vector<Lead> LeadsOf(const Search& search);
  // The one that leads to few enough objects; nothing where a scan is cheaper.
  Result<std::optional<Lead>> Choose(const Search& search);
  // How many entries the requirement has, at most `limit`.
  Result<std::int64_t> CountEntries(const Requirement& requirement, std::int64_t limit);
  // The same names, brought up to the transaction's state, and kept.
  Result<std::shared_ptr<const MatchedNames>> BringUp(const Search& search, const Lead& lead);
  // All names, looked up in the newest state and kept.
  Result<std::shared_ptr<const MatchedNames>> LookUpAll(const Search& search, const Lead& lead);
  // The first names from the position on.
  Result<std::shared_ptr<const FoundNames>> LookUp(const Search& search, const Lead& lead);
  // Reads the names of a plan; how many rows it had.
  Result<int> ReadNames(const ListScan& scan, NameList* names);

  MatchedCache& cache_;
  Statements statements_;
  Statement changes_;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_NAME_FINDER_H_
