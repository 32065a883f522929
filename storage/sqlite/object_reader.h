// Objects on a connection for reads: points, pages and the log.
#ifndef ASYNCOPS_STORAGE_SQLITE_OBJECT_READER_H_
#define ASYNCOPS_STORAGE_SQLITE_OBJECT_READER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "storage/sqlite/database.h"
#include "storage/sqlite/list_scan.h"
#include "storage/sqlite/resources.h"
#include "storage/store.h"

namespace asyncops::storage {

// For one thread at a time. Each call is one short read transaction, or a few one after the other;
// none is open when it returns. The connection and the resources outlive it.
class ObjectReader {
 public:
  ObjectReader(Database& database, const Resources& resources);

  // As Store::Get, ListRows and Changes.
  Result<Record> Get(const ObjectKey& key);
  Result<ListEnd> List(const ListQuery& query, const RowFunction& row);
  Result<ChangeBatch> Changes(std::string_view resource, std::string_view namespace_name,
                              Revision after, int limit);

  // The newest committed revision: 1 where nothing was ever written.
  Result<Revision> NewestRevision();

 private:
  // What a read transaction knows of the log.
  struct Bounds {
    Revision newest = 0;
    Revision compacted = 0;  // changes up to here may be gone
  };

  // A list under way.
  struct Listing {
    const ListQuery& query;
    const RowFunction& row;
    ListEnd end = {};
    int shown = 0;
    bool full = false;  // no further row is wanted
    Revision last = 0;  // revision of the last row
  };

  Result<Bounds> ReadBounds();
  // One read transaction of a list; whether it went through all rows that there are.
  Result<bool> ScanOnce(ListPosition* position, Listing* listing);
  // The requirement that leads to few enough objects; nothing where a scan is cheaper. `newest` is
  // about how many objects there are.
  Result<std::optional<Requirement>> Choose(const ListQuery& query, std::int64_t resource,
                                            const ListPosition& position, Revision newest);
  // How many entries the requirement has, at most `limit`.
  Result<std::int64_t> CountEntries(const Requirement& requirement, std::int64_t limit);
  Result<std::shared_ptr<const FoundNames>> Find(const ListQuery& query, std::int64_t resource,
                                                 ListPosition position,
                                                 const Requirement& requirement);
  Result<bool> ReadRows(const ListScan& scan, ListPosition* position, Listing* listing);
  // The rows of names that were found.
  Result<bool> ReadFound(const FoundNames& found, std::int64_t resource, ListPosition* position,
                         Listing* listing);
  // Shows the cursor's row, where it is selected; false where the page is full.
  Result<bool> ShowRow(const Cursor& cursor, bool whole, ListPosition* position, Listing* listing);
  // One statement of the log; whether it reached the newest revision.
  Result<bool> ReadLog(std::string_view resource, std::string_view namespace_name, int limit,
                       ChangeBatch* batch);
  Statement& ListStatement(const std::string& sql);

  Database& database_;
  const Resources& resources_;
  Statement get_;
  Statement bounds_;
  Statement version_;
  Statement log_;
  Statement begin_;
  Statement end_;
  // By their SQL; a few shapes are all that clients use, and it is emptied where there are many.
  std::map<std::string, std::unique_ptr<Statement>> lists_;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_OBJECT_READER_H_
