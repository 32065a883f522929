// Objects on the writer's connection: what is there, and one write of one object in all its tables.
#ifndef ASYNCOPS_STORAGE_SQLITE_OBJECT_TABLE_H_
#define ASYNCOPS_STORAGE_SQLITE_OBJECT_TABLE_H_

#include <optional>
#include <string>

#include "base/status.h"
#include "storage/change.h"
#include "storage/record.h"
#include "storage/sqlite/database.h"
#include "storage/sqlite/resources.h"

namespace asyncops::storage {

// For the writer's thread, inside its transaction. The connection and the resources outlive it.
class ObjectTable {
 public:
  ObjectTable(Database& database, Resources& resources);

  // What a function reads of the newest state: json and uid. Nothing where there is no such object.
  Result<std::optional<Record>> Find(const ObjectKey& key);
  // What the next state needs of it: uid, labels and fields.
  Result<std::optional<Record>> FindReplaced(const ObjectKey& key);

  // Writes a change whose revision is given: its row of the log, the newest state, the past one and
  // the entries of selectors that changed. `previous` is the revision it replaces, 0 for kAdded.
  Status Apply(const Change& change, Revision previous);

 private:
  Result<std::optional<Record>> Read(Statement& statement, const ObjectKey& key, bool with_json);
  Status AppendVersion(const Change& change, std::int64_t resource, Revision previous);
  // Each writes the newest state and returns the object's number.
  Result<std::int64_t> AddCurrent(const Change& change, std::int64_t resource);
  Result<std::int64_t> MoveCurrent(const Change& change, std::int64_t resource);
  Result<std::int64_t> DeleteCurrent(const Change& change, std::int64_t resource);
  Status AddPast(const Change& change, std::int64_t resource, Revision previous);
  // Entries of selectors: those that left go, those that came are added.
  Status UpdateEntries(const Change& change, std::int64_t resource, std::int64_t object);

  Database& database_;
  Resources& resources_;
  Statement find_;
  Statement find_replaced_;
  Statement append_;
  Statement insert_object_;
  Statement update_object_;
  Statement delete_object_;
  Statement insert_current_;
  Statement move_current_;
  Statement delete_current_;
  Statement insert_past_;
  Statement insert_entry_;
  Statement delete_entry_;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_OBJECT_TABLE_H_
