#include "storage/sqlite/object_reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "storage/selection.h"

namespace asyncops::storage {
namespace {

// Rows that one statement reads by their revisions: a statement for each costs as much as its row.
// A page is sent in parts of about half as many.
constexpr std::size_t kMaxKnownRows = 64;

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

ListRow ReadRow(const ListQuery& query, bool whole, const Cursor& cursor) {
  ListRow row = ReadHead(query, cursor);
  if (whole) ReadVersion(cursor, kHeadColumns, &row);
  return row;
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

// Where names go on.
NameView After(const ListPosition& position) {
  return {.namespace_name = position.after_namespace, .name = position.after_name};
}

// Whether they say what follows the position.
bool Reaches(const FoundNames& found, const ListPosition& position) {
  return found.all || found.names.UpperBound(After(position)) < found.names.size();
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

ObjectReader::ObjectReader(Database& database, const Resources& resources, MatchedCache& cache)
    : resources_(resources),
      get_(database,
           "SELECT v.rev, v.uid, v.json FROM current c CROSS JOIN versions v ON v.rev = c.rev "
           "WHERE c.resource = ? AND c.namespace = ? AND c.name = ?"),
      bounds_(database,
              "SELECT max(1, coalesce((SELECT max(rev) FROM versions), 0), value), value "
              "FROM meta WHERE name = 'compacted'"),
      version_(database, "SELECT labels, fields, uid, json FROM versions WHERE rev = ?"),
      known_(database,
             "SELECT v.rev, v.labels, v.fields, v.uid, v.json FROM json_each(?) j "
             "CROSS JOIN versions v ON v.rev = j.value"),
      log_(database,
           "SELECT v.rev, v.deleted, v.resource, v.namespace, v.name, v.uid, v.labels, v.fields, "
           "v.json, p.labels, p.fields FROM versions v LEFT JOIN versions p ON p.rev = v.prev "
           "WHERE v.rev > ? ORDER BY v.rev LIMIT ?"),
      begin_(database, "BEGIN"),
      end_(database, "COMMIT"),
      statements_(database),
      finder_(database, cache) {}

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

Result<LogBounds> ObjectReader::ReadBounds() {
  Cursor cursor(bounds_);
  const Result<bool> row = cursor.Step();
  if (!row.ok()) return row.status();
  if (!*row) return FaultStatus(Fault::kDamaged);
  return LogBounds{.newest = cursor.Int(0), .compacted = cursor.Int(1)};
}

Result<Revision> ObjectReader::NewestRevision() {
  const Result<LogBounds> bounds = ReadBounds();
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
  const Result<LogBounds> bounds = ReadBounds();
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
  listing->resource = resource;
  // The newest state needs no look at the past.
  if (position->at == bounds->newest) position->at = 0;
  if (ContradictsItself(query)) return true;
  const int limit = std::clamp(query.limit, 1, kMaxRowsPerRead);
  position->rows = (Selects(query) ? kMaxRowsPerRead : limit) + 1;
  std::shared_ptr<const FoundNames>& found = listing->end.found;
  if (found == nullptr || !Reaches(*found, *position)) {
    Result<Candidates> candidates = finder_.Find(query, resource, *position, *bounds);
    if (!candidates.ok()) return candidates.status();
    found = std::move(candidates->found);
    if (const auto& matched = candidates->matched) {
      const std::string namespace_name = NamespaceOf(query);
      return ReadNamed(matched->After(After(*position), namespace_name), matched.get(), position,
                       listing);
    }
    if (found == nullptr) return ReadRows(PlanScan(query, resource, *position), position, listing);
  }
  const std::shared_ptr<const FoundNames> held = found;
  const NameList none;
  const Result<bool> ended =
      ReadNamed(NameWalk(held->names, none, After(*position), ""), nullptr, position, listing);
  return ended.ok() && *ended ? held->all : ended;
}

Result<bool> ObjectReader::ReadNamed(NameWalk names, const MatchedNames* matched,
                                     ListPosition* position, Listing* listing) {
  // Summaries are of the newest state: they are not found by a revision.
  const bool by_revision = matched != nullptr && listing->query.parts.summary_prefix.empty();
  const ListScan scan = PlanRow(listing->query, *position);
  std::vector<ListRow> known;
  for (int rows = 0;; ++rows) {
    const bool stops = rows == kMaxRowsPerRead;
    const std::optional<NameWalk::Name> next = stops ? std::nullopt : names.Next();
    const Revision revision = next && by_revision ? matched->RevisionOf(*next) : 0;
    if (revision != 0) {
      known.push_back({.namespace_name = next->view.namespace_name,
                       .name = next->view.name,
                       .revision = revision});
      if (known.size() < kMaxKnownRows) continue;
    }
    const Result<bool> shown = ReadByRevision(std::exchange(known, {}), position, listing);
    if (!shown.ok() || !*shown) return shown;
    if (!next) return !stops;
    if (revision != 0) continue;
    const Result<bool> named = ReadByName(scan, *next, matched, position, listing);
    if (!named.ok() || !*named) return named;
  }
}

Result<bool> ObjectReader::ReadByRevision(const std::vector<ListRow>& rows, ListPosition* position,
                                          Listing* listing) {
  if (rows.empty()) return true;
  std::string revisions;
  for (const ListRow& row : rows)
    revisions.append(revisions.empty() ? "[" : ",").append(std::to_string(row.revision));
  revisions += "]";
  Cursor cursor(known_);
  cursor.Bind(revisions);
  for (ListRow row : rows) {
    const Result<bool> stepped = cursor.Step();
    if (!stepped.ok()) return stepped.status();
    if (!*stepped || cursor.Int(0) != row.revision) return FaultStatus(Fault::kDamaged);
    ReadVersion(cursor, 1, &row);
    const Result<bool> shown = ShowRow(row, true, position, listing);
    if (!shown.ok() || !*shown) return shown;
  }
  return true;
}

Result<bool> ObjectReader::ReadByName(const ListScan& scan, const NameWalk::Name& which,
                                      const MatchedNames* matched, ListPosition* position,
                                      Listing* listing) {
  const std::string namespace_name(which.view.namespace_name);
  const std::string name(which.view.name);
  Cursor cursor(statements_.Of(scan.sql));
  cursor.Bind(listing->resource).Bind(namespace_name).Bind(name);
  if (position->at != 0) cursor.Bind(position->at);
  const Result<bool> stepped = cursor.Step();
  if (!stepped.ok()) return stepped.status();
  position->after_namespace = namespace_name;
  position->after_name = name;
  if (!*stepped) return true;
  const ListRow row = ReadRow(listing->query, scan.whole, cursor);
  if (matched != nullptr) matched->Learn(which, row.revision);
  return ShowRow(row, scan.whole, position, listing);
}

Result<bool> ObjectReader::ReadRows(const ListScan& scan, ListPosition* position,
                                    Listing* listing) {
  Cursor cursor(statements_.Of(scan.sql));
  BindAll(scan.values, &cursor);
  for (int rows = 0;; ++rows) {
    const Result<bool> stepped = cursor.Step();
    if (!stepped.ok()) return stepped.status();
    if (!*stepped) return rows < position->rows;
    const Result<bool> shown =
        ShowRow(ReadRow(listing->query, scan.whole, cursor), scan.whole, position, listing);
    if (!shown.ok() || !*shown) return shown;
  }
}

Result<bool> ObjectReader::ShowRow(ListRow row, bool whole, ListPosition* position,
                                   Listing* listing) {
  const ListQuery& query = listing->query;
  if (std::exchange(listing->last, row.revision) == row.revision) return true;
  position->after_namespace = row.namespace_name;
  position->after_name = row.name;
  std::optional<Cursor> version;
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
  const Result<LogBounds> bounds = ReadBounds();
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
