#include "storage/sqlite/compactor.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "storage/sqlite/times.h"

namespace asyncops::storage {
namespace {

// How exactly the retention is kept, and how often the clock is acted upon.
constexpr std::chrono::seconds kInterval{1};

// Also where the clock was set back.
bool IsDue(Time last, Time now) { return now < last || now - last >= kInterval; }

struct Replaced {
  Revision revision = 0;
  std::optional<Revision> previous;
  bool deleted = false;
  std::int64_t resource = 0;
  std::string namespace_name;
  std::string name;
};

}  // namespace

Compactor::Compactor(Database& database, const Clock& clock)
    : clock_(clock),
      note_(database, "INSERT OR REPLACE INTO revision_times(rev, time) VALUES (?, ?)"),
      newest_note_(database, "SELECT rev, time FROM revision_times ORDER BY rev DESC LIMIT 1"),
      find_target_(database, "SELECT max(rev) FROM revision_times WHERE time <= ?"),
      forget_notes_(database, "DELETE FROM revision_times WHERE rev < ?"),
      read_compacted_(database, "SELECT value FROM meta WHERE name = 'compacted'"),
      set_compacted_(database, "UPDATE meta SET value = ? WHERE name = 'compacted'"),
      log_(database,
           "SELECT rev, prev, deleted, resource, namespace, name FROM versions "
           "WHERE rev > ? AND rev <= ? ORDER BY rev LIMIT ?"),
      delete_version_(database, "DELETE FROM versions WHERE rev = ?"),
      delete_past_(database,
                   "DELETE FROM past WHERE resource = ? AND namespace = ? AND name = ? AND "
                   "rev = ?") {}

Status Compactor::Step(Revision committed, int rows) {
  committed_ = committed;
  if (!loaded_) ASYNCOPS_RETURN_IF_ERROR(Remember());
  const Time now = clock_.Now();
  if (committed > noted_ && IsDue(noted_at_, now)) ASYNCOPS_RETURN_IF_ERROR(Note(committed, now));
  if (IsDue(looked_at_, now)) ASYNCOPS_RETURN_IF_ERROR(FindTarget(now));
  return behind() ? RemoveReplaced(rows) : Status::Ok();
}

Status Compactor::Remember() {
  Cursor compacted(read_compacted_);
  const Result<bool> row = compacted.Step();
  if (!row.ok()) return row.status();
  if (*row) compacted_ = compacted.Int(0);
  noted_ = 0;
  noted_at_ = Time();
  Cursor note(newest_note_);
  const Result<bool> noted = note.Step();
  if (!noted.ok()) return noted.status();
  if (*noted) {
    noted_ = note.Int(0);
    noted_at_ = TimeAt(note, 1);
  }
  loaded_ = true;
  return Status::Ok();
}

Status Compactor::Note(Revision committed, Time now) {
  Cursor cursor(note_);
  cursor.Bind(committed);
  BindTime(cursor, now);
  ASYNCOPS_RETURN_IF_ERROR(cursor.Run());
  noted_ = committed;
  noted_at_ = now;
  return Status::Ok();
}

Status Compactor::FindTarget(Time now) {
  Cursor cursor(find_target_);
  BindTime(cursor, now - kChangeLogRetention);
  const Result<bool> row = cursor.Step();
  if (!row.ok()) return row.status();
  if (*row && !cursor.IsNull(0)) target_ = cursor.Int(0);
  looked_at_ = now;
  return Status::Ok();
}

Status Compactor::RemoveReplaced(int rows) {
  std::vector<Replaced> replaced;
  {
    Cursor cursor(log_);
    cursor.Bind(compacted_).Bind(target_).Bind(rows);
    while (true) {
      const Result<bool> row = cursor.Step();
      if (!row.ok()) return row.status();
      if (!*row) break;
      Replaced& next = replaced.emplace_back();
      next.revision = cursor.Int(0);
      if (!cursor.IsNull(1)) next.previous = cursor.Int(1);
      next.deleted = cursor.Int(2) != 0;
      next.resource = cursor.Int(3);
      next.namespace_name = cursor.Text(4);
      next.name = cursor.Text(5);
    }
  }
  for (const Replaced& row : replaced) {
    if (row.deleted) ASYNCOPS_RETURN_IF_ERROR(Remove(row.revision));
    if (!row.previous) continue;
    ASYNCOPS_RETURN_IF_ERROR(Remove(*row.previous));
    ASYNCOPS_RETURN_IF_ERROR(Cursor(delete_past_)
                                 .Bind(row.resource)
                                 .Bind(row.namespace_name)
                                 .Bind(row.name)
                                 .Bind(*row.previous)
                                 .Run());
  }
  const bool ended = static_cast<int>(replaced.size()) < rows;
  const Revision through = ended ? target_ : replaced.back().revision;
  ASYNCOPS_RETURN_IF_ERROR(Cursor(set_compacted_).Bind(through).Run());
  ASYNCOPS_RETURN_IF_ERROR(Cursor(forget_notes_).Bind(through).Run());
  compacted_ = through;
  return Status::Ok();
}

Status Compactor::Remove(Revision revision) { return Cursor(delete_version_).Bind(revision).Run(); }

}  // namespace asyncops::storage
