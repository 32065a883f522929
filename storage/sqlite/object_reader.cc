#include "storage/sqlite/object_reader.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/limits.h"
#include "storage/sqlite/pairs.h"

namespace asyncops::storage {
namespace {

constexpr std::size_t kMaxListStatements = 64;
// Sorting so many entries costs less than finding out what else could be done.
constexpr std::int64_t kAlwaysLookedUp = 500;

// A read transaction: what its statements see is one state.
class Snapshot {
 public:
  Snapshot(Statement& begin, Statement& end) : end_(end), status_(Cursor(begin).Run()) {}
  ~Snapshot() {
    // Ending a read cannot lose anything; a failure shows at the next Begin.
    if (status_.ok()) status_ = Cursor(end_).Run();
  }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  const Status& status() const { return status_; }

 private:
  Statement& end_;
  Status status_;
};

Status TooOld(Revision revision, Revision compacted) {
  return Status(Reason::kExpired, "too old resource version: " + std::to_string(revision) + " (" +
                                      std::to_string(compacted) + ")");
}

void BindAll(const std::vector<std::variant<std::int64_t, std::string>>& values, Cursor* cursor) {
  for (const auto& value : values) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      cursor->Bind(*number);
    } else {
      cursor->Bind(std::get<std::string>(value));
    }
  }
}

// From the columns of a list's row, without its body.
Record ReadHead(const Cursor& cursor, const std::string& resource) {
  Record record;
  record.key.resource = resource;
  record.key.namespace_name = cursor.Text(0);
  record.key.name = cursor.Text(1);
  record.revision = cursor.Int(2);
  record.uid = cursor.Text(3);
  record.labels = DecodePairs(cursor.View(4));
  record.fields = DecodePairs(cursor.View(5));
  return record;
}

std::shared_ptr<const Change> ReadChange(const Cursor& cursor, std::string resource) {
  auto change = std::make_shared<Change>();
  Record& record = change->record;
  record.revision = cursor.Int(0);
  record.key = {std::move(resource), cursor.Text(3), cursor.Text(4)};
  record.uid = cursor.Text(5);
  record.labels = DecodePairs(cursor.View(6));
  record.fields = DecodePairs(cursor.View(7));
  record.json = cursor.Text(8);
  if (cursor.IsNull(9)) return change;
  change->type = cursor.Int(1) != 0 ? ChangeType::kDeleted : ChangeType::kModified;
  change->previous_labels = DecodePairs(cursor.View(9));
  change->previous_fields = DecodePairs(cursor.View(10));
  return change;
}

}  // namespace

ObjectReader::ObjectReader(Database& database, const Resources& resources)
    : database_(database),
      resources_(resources),
      get_(database,
           "SELECT c.namespace, c.name, v.rev, v.uid, v.labels, v.fields, v.json FROM current c "
           "CROSS JOIN versions v ON v.rev = c.rev "
           "WHERE c.resource = ? AND c.namespace = ? AND c.name = ?"),
      bounds_(database,
              "SELECT max(1, coalesce((SELECT max(rev) FROM versions), 0), value), value "
              "FROM meta WHERE name = 'compacted'"),
      version_(database,
               "SELECT namespace, name, rev, uid, labels, fields, json FROM versions "
               "WHERE rev = ?"),
      log_(database,
           "SELECT v.rev, v.deleted, v.resource, v.namespace, v.name, v.uid, v.labels, v.fields, "
           "v.json, p.labels, p.fields FROM versions v LEFT JOIN versions p ON p.rev = v.prev "
           "WHERE v.rev > ? ORDER BY v.rev LIMIT ?"),
      begin_(database, "BEGIN"),
      end_(database, "COMMIT") {}

Result<Record> ObjectReader::Get(const ObjectKey& key) {
  const auto resource = resources_.Find(key.resource);
  if (resource) {
    Cursor cursor(get_);
    const Result<bool> row = cursor.Bind(*resource).Bind(key.namespace_name).Bind(key.name).Step();
    if (!row.ok()) return row.status();
    if (*row) {
      Record record = ReadHead(cursor, key.resource);
      record.json = cursor.Text(6);
      return record;
    }
  }
  const std::string& ns = key.namespace_name;
  return Status(Reason::kNotFound,
                key.resource + " \"" + ns + (ns.empty() ? "" : "/") + key.name + "\" not found");
}

Result<ObjectReader::Bounds> ObjectReader::ReadBounds() {
  Cursor cursor(bounds_);
  const Result<bool> row = cursor.Step();
  if (!row.ok()) return row.status();
  if (!*row) return FaultStatus(Fault::kDamaged);
  return Bounds{.newest = cursor.Int(0), .compacted = cursor.Int(1)};
}

Result<Revision> ObjectReader::NewestRevision() {
  const Result<Bounds> bounds = ReadBounds();
  if (!bounds.ok()) return bounds.status();
  return bounds->newest;
}

Result<ListPage> ObjectReader::List(const ListQuery& query) {
  ListPage page;
  page.revision = query.at;
  ListPosition position{.at = query.at,
                        .after_namespace = query.after_namespace,
                        .after_name = query.after_name,
                        .rows = 0};
  while (true) {
    const Result<bool> ended = ScanOnce(query, &position, &page);
    if (!ended.ok()) return ended.status();
    if (*ended || page.more) return page;
    position.at = page.revision;
  }
}

Result<bool> ObjectReader::ScanOnce(const ListQuery& query, ListPosition* position,
                                    ListPage* page) {
  const Snapshot snapshot(begin_, end_);
  ASYNCOPS_RETURN_IF_ERROR(snapshot.status());
  const Result<Bounds> bounds = ReadBounds();
  if (!bounds.ok()) return bounds.status();
  if (position->at != 0 && position->at < bounds->compacted)
    return TooOld(position->at, bounds->compacted);
  if (position->at > bounds->newest) {
    return BadRequest("resource version " + std::to_string(position->at) +
                      " is in the future: the newest is " + std::to_string(bounds->newest));
  }
  if (page->revision == 0) page->revision = bounds->newest;
  // A resource that nobody wrote has no number; its list still tells the revision. Asked within the
  // snapshot: a first write in between would be neither in the list nor after its revision.
  const std::int64_t resource = resources_.Find(query.resource).value_or(0);
  // The newest state needs no look at the past.
  if (position->at == bounds->newest) position->at = 0;
  if (ContradictsItself(query)) return true;
  const bool selects = !query.labels.empty() || !query.fields.empty();
  const int limit = std::clamp(query.limit, 1, kMaxRowsPerRead);
  position->rows = (selects ? kMaxRowsPerRead : limit) + 1;
  const Result<ListScan> scan = Plan(query, resource, *position, bounds->newest);
  if (!scan.ok()) return scan.status();
  return ReadRows(query, *scan, position, page);
}

Result<ListScan> ObjectReader::Plan(const ListQuery& query, std::int64_t resource,
                                    const ListPosition& position, Revision newest) {
  // A lookup of m entries sorts them for each page; a scan of n rows passes n/m for each row of the
  // page. They cost the same where m is the root of n times the page.
  const double even = std::sqrt(static_cast<double>(newest) * position.rows);
  std::int64_t fewest = std::max(kAlwaysLookedUp, static_cast<std::int64_t>(even));
  const std::vector<Requirement> requirements = IndexedRequirements(query, resource);
  const Requirement* best = nullptr;
  for (const Requirement& requirement : requirements) {
    const Result<std::int64_t> entries = CountEntries(requirement, fewest);
    if (!entries.ok()) return entries.status();
    if (*entries >= fewest) continue;
    fewest = *entries;
    best = &requirement;
  }
  return best == nullptr ? PlanScan(query, resource, position)
                         : PlanLookup(query, resource, position, *best);
}

Result<std::int64_t> ObjectReader::CountEntries(const Requirement& requirement,
                                                std::int64_t limit) {
  std::int64_t entries = 0;
  for (const std::int64_t mark : requirement) {
    const ListScan count = PlanCount(mark, limit - entries);
    Cursor cursor(ListStatement(count.sql));
    BindAll(count.values, &cursor);
    const Result<bool> row = cursor.Step();
    if (!row.ok()) return row.status();
    entries += cursor.Int(0);
    if (entries >= limit) break;
  }
  return entries;
}

Result<bool> ObjectReader::ReadRows(const ListQuery& query, const ListScan& scan,
                                    ListPosition* position, ListPage* page) {
  Cursor cursor(ListStatement(scan.sql));
  BindAll(scan.values, &cursor);
  const auto limit = static_cast<std::size_t>(std::clamp(query.limit, 1, kMaxRowsPerRead));
  int rows = 0;
  while (true) {
    const Result<bool> row = cursor.Step();
    if (!row.ok()) return row.status();
    if (!*row) return rows < position->rows;
    ++rows;
    std::optional<Cursor> version;
    if (!scan.whole) {
      const Result<bool> found = version.emplace(version_).Bind(cursor.Int(2)).Step();
      if (!found.ok()) return found.status();
      if (!*found) return FaultStatus(Fault::kDamaged);
    }
    const Cursor& columns = scan.whole ? cursor : *version;
    Record record = ReadHead(columns, query.resource);
    // Marks that happen to be the same may show a row twice.
    if (!page->rows.empty() && page->rows.back().key == record.key) continue;
    position->after_namespace = record.key.namespace_name;
    position->after_name = record.key.name;
    if (!Matches(query, record)) continue;
    page->more = page->rows.size() == limit;
    if (page->more) return false;
    record.json = columns.Text(6);
    page->rows.push_back(std::move(record));
  }
}

Statement& ObjectReader::ListStatement(const std::string& sql) {
  if (const auto found = lists_.find(sql); found != lists_.end()) return *found->second;
  if (lists_.size() >= kMaxListStatements) lists_.clear();
  return *lists_.emplace(sql, std::make_unique<Statement>(database_, sql)).first->second;
}

Result<ChangeBatch> ObjectReader::Changes(std::string_view resource,
                                          std::string_view namespace_name, Revision after,
                                          int limit) {
  ChangeBatch batch;
  batch.through = after;
  while (true) {
    const Result<bool> ended = ReadLog(resource, namespace_name, limit, &batch);
    if (!ended.ok()) return ended.status();
    if (*ended || static_cast<int>(batch.changes.size()) >= limit) return batch;
  }
}

Result<bool> ObjectReader::ReadLog(std::string_view resource, std::string_view namespace_name,
                                   int limit, ChangeBatch* batch) {
  const Snapshot snapshot(begin_, end_);
  ASYNCOPS_RETURN_IF_ERROR(snapshot.status());
  const Result<Bounds> bounds = ReadBounds();
  if (!bounds.ok()) return bounds.status();
  if (batch->through < bounds->compacted) return TooOld(batch->through, bounds->compacted);
  // Within the snapshot, as in ScanOnce: a first write in between would be passed over.
  const std::int64_t id = resources_.Find(resource).value_or(0);
  Cursor cursor(log_);
  cursor.Bind(batch->through).Bind(kMaxRowsPerRead);
  for (int rows = 0;; ++rows) {
    if (static_cast<int>(batch->changes.size()) >= limit) return false;
    const Result<bool> row = cursor.Step();
    if (!row.ok()) return row.status();
    if (!*row) return rows < kMaxRowsPerRead;
    batch->through = cursor.Int(0);
    if (cursor.Int(2) != id) continue;
    if (!namespace_name.empty() && cursor.View(3) != namespace_name) continue;
    batch->changes.push_back(ReadChange(cursor, resources_.Name(id)));
  }
}

}  // namespace asyncops::storage
