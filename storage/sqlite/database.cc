#include "storage/sqlite/database.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <algorithm>
#include <sqlite3.h>
#include <utility>

#include "base/log.h"

namespace asyncops::storage {
namespace {

// How long a connection waits for another's lock; only a foreign tool on the file makes it wait.
constexpr int kBusyTimeoutMs = 5000;

Fault FaultOf(int extended) {
  if (extended == SQLITE_IOERR_SHMSIZE) return Fault::kFull;
  if (extended == SQLITE_IOERR_NOMEM) return Fault::kTransient;
  if (extended == SQLITE_IOERR_CORRUPTFS) return Fault::kDamaged;
  switch (extended & 0xFF) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE: return Fault::kNone;
    case SQLITE_FULL: return Fault::kFull;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return Fault::kDamaged;
    case SQLITE_IOERR: return Fault::kBroken;
    default: return Fault::kTransient;
  }
}

int NotePages(void* pages, sqlite3* /*connection*/, const char* /*name*/, int count) {
  *static_cast<int*>(pages) = count;
  return SQLITE_OK;
}

}  // namespace

Status FaultStatus(Fault fault) {
  switch (fault) {
    case Fault::kFull:
      return Status(Reason::kServiceUnavailable,
                    "the store cannot write: no space is left on its disk; writes go on by "
                    "themselves once there is some")
          .WithRetryAfter(5);
    case Fault::kDamaged:
      return Status(Reason::kServiceUnavailable,
                    "the store's file is damaged; it has to be restored from a backup");
    case Fault::kBroken:
      return Status(Reason::kServiceUnavailable,
                    "the store's disk failed; the server must be restarted once the disk is sound");
    case Fault::kNone:
    case Fault::kTransient: break;
  }
  return Status(Reason::kServiceUnavailable, "the store is busy").WithRetryAfter(1);
}

Database::Database(std::unique_ptr<SQLite::Database> handle) : handle_(std::move(handle)) {
  sqlite3_extended_result_codes(handle_->getHandle(), 1);
  sqlite3_wal_hook(handle_->getHandle(), &NotePages, &wal_pages_);
  RemoveWalOnClose(false);
}

Database::~Database() = default;

Result<std::unique_ptr<Database>> Database::Open(const DatabaseOptions& options) {
  try {
    // One thread at a time uses a connection, so SQLite's own mutex would only cost.
    const int flags =
        (options.read_only ? SQLite::OPEN_READONLY : SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE) |
        SQLite::OPEN_NOMUTEX;
    auto handle =
        std::make_unique<SQLite::Database>(options.path, flags, kBusyTimeoutMs, options.vfs);
    return std::unique_ptr<Database>(new Database(std::move(handle)));
  } catch (const SQLite::Exception& error) {
    return Status(Reason::kServiceUnavailable, error.what());
  }
}

Status Database::Fail(int code, std::string_view what) {
  const int extended = sqlite3_extended_errcode(handle_->getHandle());
  const Fault fault =
      std::max(FaultOf((extended & 0xFF) == (code & 0xFF) ? extended : code), Fault::kTransient);
  fault_ = std::max(fault_, fault);
  Log(LogLevel::kError, "store statement failed",
      {{"error", sqlite3_errmsg(handle_->getHandle())}, {"code", code}, {"statement", what}});
  return FaultStatus(fault);
}

void Database::RemoveWalOnClose(bool remove) {
  sqlite3_db_config(handle_->getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, remove ? 0 : 1,
                    nullptr);
}

Status Database::Execute(const char* sql) {
  const int code = handle_->tryExec(sql);
  return code == SQLITE_OK ? Status::Ok() : Fail(code, sql);
}

Result<std::int64_t> Database::QueryInt(const std::string& sql) {
  Statement statement(*this, sql);
  Cursor cursor(statement);
  const Result<bool> row = cursor.Step();
  if (!row.ok()) return row.status();
  return *row ? cursor.Int(0) : std::int64_t{0};
}

Result<std::string> Database::QueryText(const std::string& sql) {
  Statement statement(*this, sql);
  Cursor cursor(statement);
  const Result<bool> row = cursor.Step();
  if (!row.ok()) return row.status();
  return *row ? cursor.Text(0) : std::string();
}

void Database::ReleaseMemory() { sqlite3_db_release_memory(handle_->getHandle()); }

std::int64_t Database::changes() const { return sqlite3_changes64(handle_->getHandle()); }

std::int64_t Database::last_row_id() const {
  return sqlite3_last_insert_rowid(handle_->getHandle());
}

bool Database::in_transaction() const { return sqlite3_get_autocommit(handle_->getHandle()) == 0; }

Statement::Statement(Database& database, std::string sql)
    : database_(database), sql_(std::move(sql)) {}

Statement::~Statement() = default;

Cursor::Cursor(Statement& statement) : statement_(statement) {
  if (statement_.prepared_) return;
  try {
    statement_.prepared_ =
        std::make_unique<SQLite::Statement>(*statement_.database_.handle_, statement_.sql_);
  } catch (const SQLite::Exception& error) {
    status_ = statement_.database_.Fail(error.getErrorCode(), statement_.sql_);
  }
}

Cursor::~Cursor() {
  // The code that reset returns is that of the last step, which was reported already.
  if (statement_.prepared_) statement_.prepared_->tryReset();
}

Cursor& Cursor::Bind(std::int64_t value) {
  if (!status_.ok()) return *this;
  try {
    statement_.prepared_->bind(++bound_, value);
  } catch (const SQLite::Exception& error) {
    status_ = statement_.database_.Fail(error.getErrorCode(), statement_.sql_);
  }
  return *this;
}

Cursor& Cursor::Bind(const std::string& text) {
  if (!status_.ok()) return *this;
  try {
    statement_.prepared_->bindNoCopy(++bound_, text);
  } catch (const SQLite::Exception& error) {
    status_ = statement_.database_.Fail(error.getErrorCode(), statement_.sql_);
  }
  return *this;
}

Cursor& Cursor::BindNull() {
  if (!status_.ok()) return *this;
  try {
    statement_.prepared_->bind(++bound_);
  } catch (const SQLite::Exception& error) {
    status_ = statement_.database_.Fail(error.getErrorCode(), statement_.sql_);
  }
  return *this;
}

Result<bool> Cursor::Step() {
  if (!status_.ok()) return status_;
  const int code = statement_.prepared_->tryExecuteStep();
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  status_ = statement_.database_.Fail(code, statement_.sql_);
  return status_;
}

Status Cursor::Run() {
  while (true) {
    const Result<bool> row = Step();
    if (!row.ok()) return row.status();
    if (!*row) return Status::Ok();
  }
}

std::int64_t Cursor::Int(int column) const {
  return statement_.prepared_->getColumn(column).getInt64();
}

std::string Cursor::Text(int column) const { return std::string(View(column)); }

std::string_view Cursor::View(int column) const {
  const SQLite::Column value = statement_.prepared_->getColumn(column);
  const char* text = value.getText("");
  return {text, static_cast<std::size_t>(value.getBytes())};
}

bool Cursor::IsNull(int column) const { return statement_.prepared_->isColumnNull(column); }

}  // namespace asyncops::storage
