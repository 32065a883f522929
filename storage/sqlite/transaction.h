// The transaction that the writer's functions see: many of them share one commit, each is all or
// nothing.
#ifndef ASYNCOPS_STORAGE_SQLITE_TRANSACTION_H_
#define ASYNCOPS_STORAGE_SQLITE_TRANSACTION_H_

#include <memory>
#include <optional>
#include <vector>

#include "storage/sqlite/database.h"
#include "storage/sqlite/mailbox_table.h"
#include "storage/sqlite/object_table.h"
#include "storage/sqlite/operation_table.h"
#include "storage/sqlite/resources.h"
#include "storage/store.h"

namespace asyncops::storage {

// For the writer's thread. Begin; Run any number of functions; Commit. A function that fails leaves
// nothing behind; a failure of SQLite fails the whole group, which then can only be rolled back.
class SqliteTransaction final : public Transaction {
 public:
  // `revision` is the newest that was ever given. The connection and the resources outlive this.
  SqliteTransaction(Database& database, Resources& resources, Revision revision);

  Status Begin();
  // Runs one function. Its status is OK only where all that it wrote is in the group.
  Status Run(const WriteFunction& write);
  // OK: durable, and its changes are in changes(). Otherwise everything since Begin is undone.
  Status Commit();
  void Rollback();

  // The failure of SQLite that spoiled the group; OK while there is none.
  const Status& broken() const { return broken_; }
  // For work of the store itself inside the group.
  Status Check(Status status);
  // Of the functions that succeeded, by revision. The caller may take them after Commit.
  std::vector<std::shared_ptr<const Change>>& changes() { return changes_; }
  // The newest revision that was given.
  Revision revision() const { return revision_; }

  Result<Record> Get(const ObjectKey& key) override;
  Result<Revision> Create(const ObjectKey& key, const ObjectVersion& version) override;
  Result<Revision> Update(const ObjectKey& key, Revision expected,
                          const ObjectVersion& version) override;
  Result<Revision> Delete(const ObjectKey& key, Revision expected,
                          const EncodedObject& last_state) override;
  OperationRows& operations() override;
  Mailbox& mailbox() override;

 private:
  struct Staged {
    std::shared_ptr<Change> change;
    Revision previous = 0;
  };

  // The present state, checked against `expected` (0 for any).
  Result<Record> FindExpected(const ObjectKey& key, Revision expected);
  Result<Revision> Stage(std::shared_ptr<Change> change, Revision previous);
  Status Apply(const Staged& staged);
  // Makes the staged write, after a savepoint.
  Status Settle();
  // Puts the savepoint where there is none yet, and makes the staged write.
  Status EnterSavepoint();
  Status EndFunction(Status status);

  Database& database_;
  Resources& resources_;
  ObjectTable objects_;
  OperationTable operations_;
  MailboxTable mailbox_;
  Statement begin_;
  Statement commit_;
  Statement rollback_;
  Statement savepoint_;
  Statement release_;
  Statement undo_;

  Revision revision_;
  Status broken_;
  std::vector<std::shared_ptr<const Change>> changes_;

  // Of the function that runs. A savepoint copies each page that is changed after it, which costs
  // about as much as the write; a function with one write only (most) is spared it by making that
  // write last.
  std::optional<Staged> staged_;
  bool in_savepoint_ = false;
  std::size_t changes_before_ = 0;
  std::size_t resources_before_ = 0;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_TRANSACTION_H_
