#include "storage/sqlite/object_reader.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "storage/selection.h"

namespace asyncops::storage {
namespace {

constexpr std::size_t kMaxListStatements = 64;
// Sorting so many entries costs less than finding out what else could be done.
constexpr std::int64_t kAlwaysLookedUp = 500;
// Names that one search keeps for the rows that follow: some 200 KB for each list under way.
constexpr int kMaxFoundNames = 2048;

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

constexpr int kHeadColumns = 4;

ListRow ReadHead(const ListQuery& query, const Cursor& cursor) {
  ListRow row{.namespace_name = cursor.View(0), .name = cursor.View(1), .revision = cursor.Int(2)};
  const std::string& prefix = query.parts.summary_prefix;
  if (prefix.empty()) return row;
  const std::string_view summary = cursor.View(3);
  if (summary.substr(0, prefix.size()) == prefix) row.summary = summary;
  return row;
}

// From four columns, the first one given.
void ReadVersion(const Cursor& cursor, int first, ListRow* row) {
  row->labels = cursor.View(first);
  row->fields = cursor.View(first + 1);
  row->uid = cursor.View(first + 2);
  row->json = cursor.View(first + 3);
}

bool Selects(const ListQuery& query) { return !query.labels.empty() || !query.fields.empty(); }

bool IsSelected(const ListQuery& query, const ListRow& row) {
  return Matches(query.labels, query.fields,
                 {.namespace_name = row.namespace_name,
                  .name = row.name,
                  .labels = row.labels,
                  .fields = row.fields});
}

bool ShowsJson(const RowParts& parts, const ListRow& row) {
  return parts.json || (!parts.summary_prefix.empty() && row.summary.empty());
}

// Whether something of the row has to be read from the log still.
bool LacksVersion(const ListQuery& query, bool whole, const ListRow& row) {
  const bool shows_json = ShowsJson(query.parts, row);
  if (whole) return shows_json && !query.parts.json;
  return shows_json || query.parts.values || Selects(query);
}

// Without what nobody asked for.
ListRow Shown(const RowParts& parts, ListRow row) {
  if (!ShowsJson(parts, row)) row.uid = row.json = {};
  if (!parts.values) row.labels = row.fields = {};
  return row;
}

// The first name after the position.
std::vector<FoundName>::const_iterator NextName(const FoundNames& found,
                                                const ListPosition& position) {
  return std::upper_bound(
      found.names.begin(), found.names.end(),
      FoundName{.namespace_name = position.after_namespace, .name = position.after_name});
}

// Whether they say what follows the position.
bool Reaches(const FoundNames& found, const ListPosition& position) {
  return found.all || NextName(found, position) != found.names.end();
}

std::shared_ptr<const Change> ReadChange(const Cursor& cursor, std::string resource) {
  auto change = std::make_shared<Change>();
  Record& record = change->record;
  record.revision = cursor.Int(0);
  record.key = {std::move(resource), cursor.Text(3), cursor.Text(4)};
  record.uid = cursor.Text(5);
  record.labels = EncodedPairs::OfText(cursor.View(6));
  record.fields = EncodedPairs::OfText(cursor.View(7));
  record.json = cursor.Text(8);
  if (cursor.IsNull(9)) return change;
  change->type = cursor.Int(1) != 0 ? ChangeType::kDeleted : ChangeType::kModified;
  change->previous_labels = EncodedPairs::OfText(cursor.View(9));
  change->previous_fields = EncodedPairs::OfText(cursor.View(10));
  return change;
}

}  // namespace

ObjectReader::ObjectReader(Database& database, const Resources& resources)
    : database_(database),
      resources_(resources),
      get_(database,
           "SELECT v.rev, v.uid, v.json FROM current c CROSS JOIN versions v ON v.rev = c.rev "
           "WHERE c.resource = ? AND c.namespace = ? AND c.name = ?"),
      bounds_(database,
              "SELECT max(1, coalesce((SELECT max(rev) FROM versions), 0), value), value "
              "FROM meta WHERE name = 'compacted'"),
      version_(database, "SELECT labels, fields, uid, json FROM versions WHERE rev = ?"),
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
      Record record;
      record.key = key;
      record.revision = cursor.Int(0);
      record.uid = cursor.Text(1);
      record.json = cursor.Text(2);
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

Result<ListEnd> ObjectReader::List(const ListQuery& query, const RowFunction& row) {
  Listing listing{.query = query, .row = row, .end = {.revision = query.at}};
  ListPosition position{.at = query.at,
                        .after_namespace = query.after_namespace,
                        .after_name = query.after_name,
                        .rows = 0};
  listing.end.found = query.found;
  while (true) {
    const Result<bool> ended = ScanOnce(&position, &listing);
    if (!ended.ok()) return ended.status();
    if (*ended || listing.end.more) return std::move(listing.end);
    position.at = listing.end.revision;
  }
}

Result<bool> ObjectReader::ScanOnce(ListPosition* position, Listing* listing) {
  const ListQuery& query = listing->query;
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
  if (listing->end.revision == 0) listing->end.revision = bounds->newest;
  // A resource that nobody wrote has no number; its list still tells the revision. Asked within the
  // snapshot: a first write in between would be neither in the list nor after its revision.
  const std::int64_t resource = resources_.Find(query.resource).value_or(0);
  // The newest state needs no look at the past.
  if (position->at == bounds->newest) position->at = 0;
  if (ContradictsItself(query)) return true;
  const int limit = std::clamp(query.limit, 1, kMaxRowsPerRead);
  position->rows = (Selects(query) ? kMaxRowsPerRead : limit) + 1;
  std::shared_ptr<const FoundNames>& found = listing->end.found;
  if (found == nullptr || !Reaches(*found, *position)) {
    const auto requirement = Choose(query, resource, *position, bounds->newest);
    if (!requirement.ok()) return requirement.status();
    if (!*requirement) return ReadRows(PlanScan(query, resource, *position), position, listing);
    auto names = Find(query, resource, *position, **requirement);
    if (!names.ok()) return names.status();
    found = *std::move(names);
  }
  const std::shared_ptr<const FoundNames> held = found;
  return ReadFound(*held, resource, position, listing);
}

Result<std::optional<Requirement>> ObjectReader::Choose(const ListQuery& query,
                                                        std::int64_t resource,
                                                        const ListPosition& position,
                                                        Revision newest) {
  // A search of m entries sorts them; a scan of n rows passes n/m for each row of the page. They
  // cost the same where m is the root of n times the page.
  const double even = std::sqrt(static_cast<double>(newest) * position.rows);
  std::int64_t fewest = std::max(kAlwaysLookedUp, static_cast<std::int64_t>(even));
  std::optional<Requirement> best;
  for (Requirement& requirement : IndexedRequirements(query, resource)) {
    const Result<std::int64_t> entries = CountEntries(requirement, fewest);
    if (!entries.ok()) return entries.status();
    if (*entries >= fewest) continue;
    fewest = *entries;
    best = std::move(requirement);
  }
  return best;
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

Result<std::shared_ptr<const FoundNames>> ObjectReader::Find(const ListQuery& query,
                                                             std::int64_t resource,
                                                             ListPosition position,
                                                             const Requirement& requirement) {
  position.rows = kMaxFoundNames;
  const ListScan scan = PlanNames(query, resource, position, requirement);
  Cursor cursor(ListStatement(scan.sql));
  BindAll(scan.values, &cursor);
  auto found = std::make_shared<FoundNames>();
  for (int rows = 0;; ++rows) {
    const Result<bool> stepped = cursor.Step();
    if (!stepped.ok()) return stepped.status();
    if (!*stepped) {
      found->all = rows < kMaxFoundNames;
      return std::shared_ptr<const FoundNames>(std::move(found));
    }
    FoundName name{.namespace_name = cursor.Text(0), .name = cursor.Text(1)};
    if (found->names.empty() || found->names.back() != name)
      found->names.push_back(std::move(name));
  }
}

Result<bool> ObjectReader::ReadFound(const FoundNames& found, std::int64_t resource,
                                     ListPosition* position, Listing* listing) {
  const ListScan scan = PlanRow(listing->query, *position);
  Statement& row = ListStatement(scan.sql);
  auto name = NextName(found, *position);
  for (int rows = 0; name != found.names.end(); ++name) {
    if (rows++ == kMaxRowsPerRead) return false;
    Cursor cursor(row);
    cursor.Bind(resource).Bind(name->namespace_name).Bind(name->name);
    if (position->at != 0) cursor.Bind(position->at);
    const Result<bool> stepped = cursor.Step();
    if (!stepped.ok()) return stepped.status();
    position->after_namespace = name->namespace_name;
    position->after_name = name->name;
    if (!*stepped) continue;
    const Result<bool> shown = ShowRow(cursor, scan.whole, position, listing);
    if (!shown.ok() || !*shown) return shown;
  }
  return found.all;
}

Result<bool> ObjectReader::ReadRows(const ListScan& scan, ListPosition* position,
                                    Listing* listing) {
  Cursor cursor(ListStatement(scan.sql));
  BindAll(scan.values, &cursor);
  for (int rows = 0;; ++rows) {
    const Result<bool> stepped = cursor.Step();
    if (!stepped.ok()) return stepped.status();
    if (!*stepped) return rows < position->rows;
    const Result<bool> shown = ShowRow(cursor, scan.whole, position, listing);
    if (!shown.ok() || !*shown) return shown;
  }
}

Result<bool> ObjectReader::ShowRow(const Cursor& cursor, bool whole, ListPosition* position,
                                   Listing* listing) {
  const ListQuery& query = listing->query;
  ListRow row = ReadHead(query, cursor);
  if (std::exchange(listing->last, row.revision) == row.revision) return true;
  position->after_namespace = row.namespace_name;
  position->after_name = row.name;
  std::optional<Cursor> version;
  if (whole) ReadVersion(cursor, kHeadColumns, &row);
  if (LacksVersion(query, whole, row)) {
    const Result<bool> found = version.emplace(version_).Bind(row.revision).Step();
    if (!found.ok()) return found.status();
    if (!*found) return FaultStatus(Fault::kDamaged);
    ReadVersion(*version, 0, &row);
  }
  if (!IsSelected(query, row)) return true;
  const int limit = std::clamp(query.limit, 1, kMaxRowsPerRead);
  listing->end.more = listing->full || listing->shown == limit;
  if (listing->end.more) return false;
  ++listing->shown;
  listing->end.last_namespace = row.namespace_name;
  listing->end.last_name = row.name;
  listing->full = !listing->row(Shown(query.parts, row));
  return true;
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
