#include "storage/sqlite/database_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/limits.h"
#include "storage/sqlite/migrations.h"

namespace asyncops::storage {
namespace {

constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);

// 8 KiB pages hold three of our 2 KB rows where 4 KiB ones hold one and waste half.
constexpr const char* kNewFilePragmas =
    "PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = DELETE;"
    "PRAGMA synchronous = FULL";

constexpr const char* kConnectionPragmas =
    "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;"
    "PRAGMA cache_size = -2048";

constexpr const char* kWriterPragmas =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864;"
    "PRAGMA cache_size = -8192";

Status Refuse(std::string message) { return {Reason::kServiceUnavailable, std::move(message)}; }

Status Damaged(std::string_view how) {
  return Refuse("it is damaged (" + std::string(how) + "): restore it from a backup");
}

std::string SystemError() { return std::generic_category().message(errno); }

// The size of a file; nothing where there is none.
Result<std::optional<std::int64_t>> SizeOf(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return std::optional<std::int64_t>();
    return Refuse("cannot look at it: " + SystemError());
  }
  if (!S_ISREG(info.st_mode)) return Refuse("it is not a file");
  return std::optional<std::int64_t>(info.st_size);
}

// Makes a rename or a new file durable.
Status SyncPath(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Refuse("cannot open " + path + ": " + SystemError());
  const bool synced = ::fsync(fd) == 0;
  const std::string error = synced ? "" : SystemError();
  ::close(fd);
  return synced ? Status::Ok() : Refuse("cannot sync " + path + ": " + error);
}

std::string DirectoryOf(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Status FillNewFile(const std::string& path, const std::string& vfs) {
  auto opened = Database::Open({.path = path, .vfs = vfs, .read_only = false});
  if (!opened.ok()) return opened.status();
  Database& database = **opened;
  ASYNCOPS_RETURN_IF_ERROR(database.Execute(kNewFilePragmas));
  const std::string id = "PRAGMA application_id = " + std::to_string(kApplicationId);
  ASYNCOPS_RETURN_IF_ERROR(database.Execute(id.c_str()));
  return Migrate(database);
}

Status MakeFile(const std::string& path, const std::string& vfs) {
  const std::string unfinished = path + "-new";
  for (const char* suffix : {"", "-journal", "-wal", "-shm"})
    ::unlink((unfinished + suffix).c_str());
  const int fd = ::open(unfinished.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return Refuse("cannot make it: " + SystemError());
  ::close(fd);
  ASYNCOPS_RETURN_IF_ERROR(FillNewFile(unfinished, vfs));
  ASYNCOPS_RETURN_IF_ERROR(SyncPath(unfinished));
  if (std::rename(unfinished.c_str(), path.c_str()) != 0)
    return Refuse("cannot make it: " + SystemError());
  return SyncPath(DirectoryOf(path));
}

// What can be told from the bytes alone, before SQLite opens (and might change) anything.
Status CheckHeader(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Refuse("cannot open it: " + SystemError());
  std::array<char, 16> head{};
  const ssize_t size = ::read(fd, head.data(), head.size());
  ::close(fd);
  if (size == 0) return Damaged("it is empty");
  if (size != static_cast<ssize_t>(head.size()) ||
      std::string_view(head.data(), head.size()) != kSqliteMagic)
    return Refuse("it is no SQLite database: give the path of the store's file, or restore it");
  return Status::Ok();
}

// A failed read at opening is damage, a lock of a foreign tool, or a failing disk.
Status OpeningFailure(const Database& database, const Status& status) {
  if (database.fault() == Fault::kDamaged) return Damaged("SQLite cannot read it");
  if (database.fault() == Fault::kTransient)
    return Refuse("another program has it locked: close that program first");
  return status;
}

// What only we wrote: application_id and, after an unclean end, the WAL with what was acknowledged
// last.
Status CheckIdentity(Database& database, bool has_wal) {
  const Result<std::int64_t> id = database.QueryInt("PRAGMA application_id");
  if (!id.ok()) return OpeningFailure(database, id.status());
  if (*id != kApplicationId)
    return Refuse("it is a SQLite database of another program: give the path of the store's file");
  const Result<std::int64_t> version = database.QueryInt("PRAGMA user_version");
  if (!version.ok()) return OpeningFailure(database, version.status());
  if (*version < 1) return Damaged("its schema is missing");
  if (*version > NewestSchemaVersion()) return Migrate(database);
  const Result<std::int64_t> clean =
      database.QueryInt("SELECT value FROM meta WHERE name = 'clean'");
  if (!clean.ok()) return OpeningFailure(database, clean.status());
  if (*clean == 0 && !has_wal) {
    return Refuse(
        "its write-ahead log, the file beside it that ends in -wal, is missing: put it back. If "
        "this "
        "is a whole copy (sqlite3 .backup), say so with: UPDATE meta SET value = 1 WHERE name = "
        "'clean'");
  }
  return Status::Ok();
}

Status CheckContent(Database& database, std::int64_t size) {
  // The whole schema is parsed by this, whatever the size.
  const Result<std::int64_t> tables = database.QueryInt("SELECT count(*) FROM sqlite_schema");
  if (!tables.ok()) return OpeningFailure(database, tables.status());
  if (size > kCheckWholeFileBytes) return Status::Ok();
  const Result<std::string> verdict = database.QueryText("PRAGMA quick_check(1)");
  if (!verdict.ok()) return OpeningFailure(database, verdict.status());
  if (*verdict != "ok") return Damaged(*verdict);
  return Status::Ok();
}

}  // namespace

Result<std::unique_ptr<Database>> OpenDatabaseFile(const std::string& path,
                                                   const std::string& vfs) {
  const auto size = SizeOf(path);
  if (!size.ok()) return size.status();
  const auto wal_size = SizeOf(path + "-wal");
  if (!wal_size.ok()) return wal_size.status();
  if (!size->has_value()) {
    if (wal_size->has_value()) return Damaged("it is gone, while its write-ahead log is there");
    if (const Status made = MakeFile(path, vfs); !made.ok()) return made;
  } else if (const Status header = CheckHeader(path); !header.ok()) {
    return header;
  }

  auto opened = Database::Open({.path = path, .vfs = vfs, .read_only = false});
  if (!opened.ok()) return opened.status();
  Database& database = **opened;
  if (const Status set = database.Execute(kConnectionPragmas); !set.ok())
    return OpeningFailure(database, set);
  if (const Status known = CheckIdentity(database, wal_size->has_value()); !known.ok())
    return known;
  if (const Status whole = CheckContent(database, size->value_or(0)); !whole.ok()) return whole;
  if (const Status set = database.Execute(kWriterPragmas); !set.ok())
    return OpeningFailure(database, set);
  ASYNCOPS_RETURN_IF_ERROR(Migrate(database));
  // In the file itself, not only in the WAL: its loss must be seen.
  ASYNCOPS_RETURN_IF_ERROR(database.Execute("UPDATE meta SET value = 0 WHERE name = 'clean'"));
  ASYNCOPS_RETURN_IF_ERROR(database.Execute("PRAGMA wal_checkpoint(PASSIVE)"));
  return std::move(*opened);
}

Result<std::unique_ptr<Database>> OpenReadConnection(const std::string& path,
                                                     const std::string& vfs) {
  auto opened = Database::Open({.path = path, .vfs = vfs, .read_only = false});
  if (!opened.ok()) return opened.status();
  ASYNCOPS_RETURN_IF_ERROR((*opened)->Execute(kConnectionPragmas));
  ASYNCOPS_RETURN_IF_ERROR((*opened)->Execute("PRAGMA query_only = ON"));
  return std::move(*opened);
}

Status CloseDatabaseFile(Database& writer) {
  ASYNCOPS_RETURN_IF_ERROR(writer.Execute("UPDATE meta SET value = 1 WHERE name = 'clean'"));
  ASYNCOPS_RETURN_IF_ERROR(writer.Execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  writer.RemoveWalOnClose(true);
  return Status::Ok();
}

}  // namespace asyncops::storage
