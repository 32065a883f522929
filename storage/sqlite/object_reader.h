// Objects on a connection for reads: points, pages and the log.
#ifndef ASYNCOPS_STORAGE_SQLITE_OBJECT_READER_H_
#define ASYNCOPS_STORAGE_SQLITE_OBJECT_READER_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "storage/sqlite/database.h"
#include "storage/sqlite/list_scan.h"
#include "storage/sqlite/matched_cache.h"
#include "storage/sqlite/name_finder.h"
#include "storage/sqlite/name_walk.h"
#include "storage/sqlite/resources.h"
#include "storage/sqlite/statements.h"
#include "storage/store.h"

namespace asyncops::storage {

// For one thread at a time. Each call is one short read transaction, or a few one after the other;
// none is open when it returns. The connection, the resources and the cache outlive it.
class ObjectReader {
 public:
  ObjectReader(Database& database, const Resources& resources, MatchedCache& cache);

  // As Store::Get, ListRows and Changes.
  Result<Record> Get(const ObjectKey& key);
  Result<ListEnd> List(const ListQuery& query, const RowFunction& row);
  Result<ChangeBatch> Changes(std::string_view resource, std::string_view namespace_name,
                              Revision after, int limit);

  // The newest committed revision: 1 where nothing was ever written.
  Result<Revision> NewestRevision();

 private:
  // A list under way.
  struct Listing {
    const ListQuery& query;
    const RowFunction& row;
    std::int64_t resource = 0;
    ListEnd end = {};
    int shown = 0;
    bool full = false;  // no further row is wanted
    Revision last = 0;  // revision of the last row
  };

  Result<LogBounds> ReadBounds();
  // One read transaction of a list; whether it went through all rows that there are.
  Result<bool> ScanOnce(ListPosition* position, Listing* listing);
  Result<bool> ReadRows(const ListScan& scan, ListPosition* position, Listing* listing);
  // The rows of names; whether it came to the last one. `matched`: where they are from, if they
  // are.
  Result<bool> ReadNamed(NameWalk names, const MatchedNames* matched, ListPosition* position,
                         Listing* listing);
  // Shows the rows that are selected, in this order: their names and revisions are given, and all
  // are there. False as in ShowRow.
  Result<bool> ReadByRevision(const std::vector<ListRow>& rows, ListPosition* position,
                              Listing* listing);
  // Shows the row of that name, where there is one and it is selected; false as in ShowRow.
  Result<bool> ReadByName(const ListScan& scan, const NameWalk::Name& which,
                          const MatchedNames* matched, ListPosition* position, Listing* listing);
  // Shows the row, where it is selected; false where the page is full.
  Result<bool> ShowRow(ListRow row, bool whole, ListPosition* position, Listing* listing);
  // One statement of the log; whether it reached the newest revision.
  Result<bool> ReadLog(std::string_view resource, std::string_view namespace_name, int limit,
                       ChangeBatch* batch);

  const Resources& resources_;
  Statement get_;
  Statement bounds_;
  Statement version_;
  Statement known_;  // versions by a JSON array of their revisions, in its order
  Statement log_;
  Statement begin_;
  Statement end_;
  Statements statements_;
  NameFinder finder_;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_OBJECT_READER_H_
