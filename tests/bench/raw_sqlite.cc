// The reference of durable writes: what SQLite alone does with rows of the same size on the same
// disk, 100 to a transaction. `raw_sqlite FILE SECONDS ROW_BYTES insert` adds rows until the time
// is over, `update` rewrites those that are there, by name and in no order; it prints how many, and
// the microseconds they took.
#include <charconv>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <sqlite3.h>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace asyncops {
namespace {

constexpr int kRowsPerTransaction = 100;
constexpr std::string_view kNamespace = "bench";

// The settings of the store's own writer. A checkpoint each 4096 pages is its too: SQLite's default
// of 1000 would make the reference slower.
constexpr const char* kOpen =
    "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
    "PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 4096;"
    "CREATE TABLE IF NOT EXISTS objects(id INTEGER PRIMARY KEY, ns TEXT NOT NULL,"
    " name TEXT NOT NULL, body TEXT NOT NULL);"
    "CREATE UNIQUE INDEX IF NOT EXISTS names ON objects(ns, name)";
constexpr const char* kInsert = "INSERT INTO objects(ns, name, body) VALUES (?1, ?2, ?3)";
constexpr const char* kUpdate = "UPDATE objects SET body = ?3 WHERE ns = ?1 AND name = ?2";

struct Closer {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using UniqueDatabase = std::unique_ptr<sqlite3, Closer>;
using UniqueStatement = std::unique_ptr<sqlite3_stmt, Closer>;

std::optional<int> ParseCount(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

bool Execute(sqlite3* database, const char* sql) {
  return sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
}

// Rows of one file are numbered on from those that are there.
std::int64_t CountRows(sqlite3* database) {
  sqlite3_stmt* made = nullptr;
  sqlite3_prepare_v2(database, "SELECT max(id) FROM objects", -1, &made, nullptr);
  const UniqueStatement statement(made);
  return sqlite3_step(statement.get()) == SQLITE_ROW ? sqlite3_column_int64(statement.get(), 0) : 0;
}

bool Bind(sqlite3_stmt* statement, int place, std::string_view text) {
  return sqlite3_bind_text(statement, place, text.data(), static_cast<int>(text.size()),
                           SQLITE_STATIC) == SQLITE_OK;
}

// In no order, as generated names are: odd factors permute the 32-bit numbers, and so no two rows
// have the same.
std::string NameOf(std::int64_t number) {
  constexpr std::uint32_t kFactor = 2654435761U;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::uint32_t mixed = static_cast<std::uint32_t>(number) * kFactor;
  std::string name = "00000000-row";
  for (std::size_t i = 8; i > 0; --i, mixed /= 16) name[i - 1] = kDigits[mixed % 16];
  return name;
}

bool WriteRow(sqlite3_stmt* insert, std::int64_t number, std::string* body) {
  const std::string name = NameOf(number);
  body->replace(0, name.size(), name);
  const bool done = Bind(insert, 1, kNamespace) && Bind(insert, 2, name) &&
                    Bind(insert, 3, *body) && sqlite3_step(insert) == SQLITE_DONE;
  sqlite3_reset(insert);
  return done;
}

bool RunTransaction(sqlite3* database, sqlite3_stmt* insert, std::int64_t first,
                    std::string* body) {
  if (!Execute(database, "BEGIN IMMEDIATE")) return false;
  for (int i = 0; i < kRowsPerTransaction; ++i)
    if (!WriteRow(insert, first + i, body)) return false;
  return Execute(database, "COMMIT");
}

int Fail(sqlite3* database) {
  std::cerr << "raw_sqlite: " << sqlite3_errmsg(database) << "\n";
  return 1;
}

int Run(const char* path, int seconds, int row_bytes, bool update) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open(path, &opened);
  const UniqueDatabase database(opened);
  if (code != SQLITE_OK || !Execute(database.get(), kOpen)) return Fail(database.get());
  sqlite3_stmt* made = nullptr;
  if (sqlite3_prepare_v2(database.get(), update ? kUpdate : kInsert, -1, &made, nullptr) !=
      SQLITE_OK)
    return Fail(database.get());
  const UniqueStatement statement(made);
  std::string body(static_cast<std::size_t>(row_bytes), 'x');
  const std::int64_t before = CountRows(database.get());
  if (update && before <= kRowsPerTransaction) {
    std::cerr << "raw_sqlite: there are too few rows to update\n";
    return 1;
  }
  const SystemClock clock;
  const auto start = clock.SteadyNow();
  auto taken = clock.SteadyNow() - start;
  std::int64_t rows = 0;
  for (; taken < std::chrono::seconds(seconds); taken = clock.SteadyNow() - start) {
    // SQLite leaves a page alone where an update changes nothing.
    body.back() = static_cast<char>('a' + rows / kRowsPerTransaction % 26);
    const std::int64_t first = update ? rows % (before - kRowsPerTransaction) : before + rows;
    if (!RunTransaction(database.get(), statement.get(), first + 1, &body))
      return Fail(database.get());
    rows += kRowsPerTransaction;
  }
  std::cout << rows << " " << std::chrono::duration_cast<std::chrono::microseconds>(taken).count()
            << "\n";
  return 0;
}

int Main(int count, char** arguments) {
  const auto seconds = count == 5 ? ParseCount(arguments[2]) : std::nullopt;
  const auto row_bytes = count == 5 ? ParseCount(arguments[3]) : std::nullopt;
  const std::string_view mode = count == 5 ? arguments[4] : "";
  if (!seconds || !row_bytes || *row_bytes < 16 || (mode != "insert" && mode != "update")) {
    std::cerr << "usage: raw_sqlite FILE SECONDS ROW_BYTES (at least 16) insert|update\n";
    return 2;
  }
  return Run(arguments[1], *seconds, *row_bytes, mode == "update");
}

}  // namespace
}  // namespace asyncops

int main(int count, char** arguments) { return asyncops::Main(count, arguments); }
