// One connection to a SQLite file and its statements: the only code that sees SQLiteCpp. Everything
// that it throws ends here, as a Status and a Fault.
#ifndef ASYNCOPS_STORAGE_SQLITE_DATABASE_H_
#define ASYNCOPS_STORAGE_SQLITE_DATABASE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace SQLite {
class Database;
class Statement;
}  // namespace SQLite

namespace asyncops::storage {

// What a failure of SQLite means for those who go on, the worst last.
enum class Fault {
  kNone,
  kTransient,  // busy, out of memory: the next try may succeed
  kFull,       // no space left: writes fail until there is some
  kDamaged,    // the file's content is not what was written
  kBroken,  // an I/O error: what is on the disk is not known, nothing may be acknowledged any more
};

// The failure that a fault is reported as: ServiceUnavailable, with a second to come back where
// that helps.
Status FaultStatus(Fault fault);

struct DatabaseOptions {
  std::string path;
  std::string vfs;  // name of a registered SQLite VFS; "" for the operating system's
  bool read_only = false;
};

// A connection. For one thread at a time; neither copied nor moved. Opening does not read the file
// yet.
class Database {
 public:
  static Result<std::unique_ptr<Database>> Open(const DatabaseOptions& options);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Runs SQL that returns nothing of interest.
  Status Execute(const char* sql);
  // The first column of the first row; 0 and "" where there is no row.
  Result<std::int64_t> QueryInt(const std::string& sql);
  Result<std::string> QueryText(const std::string& sql);

  // Rows that the latest statement changed.
  std::int64_t changes() const;
  // The INTEGER PRIMARY KEY of the latest row that was inserted.
  std::int64_t last_row_id() const;
  // Whether a transaction is open: SQLite ends one by itself on some failures.
  bool in_transaction() const;
  // Pages in the WAL after the latest commit of this connection. Nothing checkpoints it but
  // "PRAGMA wal_checkpoint": a failed sync in a checkpoint that SQLite starts by itself would go
  // unseen.
  int wal_pages() const { return wal_pages_; }
  // Whether closing the last connection checkpoints and removes the WAL; false until it is set. A
  // file whose disk failed must keep its WAL.
  void RemoveWalOnClose(bool remove);
  // Drops the pages that it has in memory; those that are needed are read again.
  void ReleaseMemory();
  // The worst failure of this connection since ClearFault; kNone where there was none.
  Fault fault() const { return fault_; }
  void ClearFault() { fault_ = Fault::kNone; }

 private:
  friend class Statement;
  friend class Cursor;
  explicit Database(std::unique_ptr<SQLite::Database> handle);
  // Remembers and logs the connection's latest failure.
  Status Fail(int code, std::string_view what);

  std::unique_ptr<SQLite::Database> handle_;
  Fault fault_ = Fault::kNone;
  int wal_pages_ = 0;
};

// A statement of one connection, prepared at its first run and kept. The connection outlives it.
class Statement {
 public:
  Statement(Database& database, std::string sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

 private:
  friend class Cursor;
  Database& database_;
  const std::string sql_;
  std::unique_ptr<SQLite::Statement> prepared_;
};

// One run of a statement: values are bound in the order of its parameters, rows are stepped
// through, and the statement is reset when the cursor goes, so that no read outlives it. A failure
// to prepare or bind is kept and returned by Step and Run. One cursor of a statement at a time.
class Cursor {
 public:
  explicit Cursor(Statement& statement);
  ~Cursor();
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  Cursor& Bind(std::int64_t value);
  // Not copied: the text outlives the cursor.
  Cursor& Bind(const std::string& text);
  Cursor& Bind(std::string&& text) = delete;
  Cursor& BindNull();

  // Whether there is a (further) row.
  Result<bool> Step();
  // Steps to the end.
  Status Run();

  // Columns of the present row, from 0.
  std::int64_t Int(int column) const;
  std::string Text(int column) const;
  // Valid until the next step.
  std::string_view View(int column) const;
  bool IsNull(int column) const;

 private:
  Statement& statement_;
  Status status_;
  int bound_ = 0;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_DATABASE_H_
