#include "storage/sqlite/migrations.h"

#include <array>
#include <string>

#include "storage/sqlite/unsettled_step.h"

namespace asyncops::storage {
namespace {

// `versions` is the log: each write of an object is one row, made once and never changed. `prev` is
// the revision that it replaced. `current` and `past` say which rows are a state: the newest, or
// one that was replaced by `rev_to`. The body comes last in its row, so that selectors are checked
// without reading its pages.
// `objects` numbers the current objects by creation and holds what lists show of them without their
// body: many on a page where `versions` has a few. `selectable` finds these numbers by label or
// field (selector_index.h), `object_names` their names, without the summaries. All three grow at
// their end when objects are made.
constexpr const char* kFirst = R"sql(
CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta(name, value) VALUES ('compacted', 0), ('clean', 1);
CREATE TABLE resources(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE versions(
  rev INTEGER PRIMARY KEY,
  prev INTEGER,
  deleted INTEGER NOT NULL,
  resource INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  uid TEXT NOT NULL,
  labels TEXT NOT NULL,
  fields TEXT NOT NULL,
  json TEXT NOT NULL);
CREATE TABLE current(
  resource INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  rev INTEGER NOT NULL,
  object INTEGER NOT NULL,
  PRIMARY KEY(resource, namespace, name)) WITHOUT ROWID;
CREATE TABLE past(
  resource INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  rev INTEGER NOT NULL,
  rev_to INTEGER NOT NULL,
  PRIMARY KEY(resource, namespace, name, rev)) WITHOUT ROWID;
CREATE TABLE objects(
  id INTEGER PRIMARY KEY,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  summary TEXT NOT NULL);
CREATE UNIQUE INDEX object_names ON objects(id, namespace, name);
CREATE TABLE selectable(entry INTEGER PRIMARY KEY);
CREATE TABLE revision_times(rev INTEGER PRIMARY KEY, time INTEGER NOT NULL);

CREATE TABLE operations(
  uid TEXT NOT NULL,
  submission INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  state TEXT NOT NULL,
  owner_epoch INTEGER NOT NULL,
  method TEXT NOT NULL,
  url TEXT NOT NULL,
  headers TEXT NOT NULL,
  body TEXT NOT NULL,
  body_sha256 TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  correlation_id TEXT NOT NULL,
  callback_token_hash TEXT NOT NULL,
  intent_at INTEGER NOT NULL,
  sent_at INTEGER,
  submitted_at INTEGER,
  operation_id TEXT NOT NULL,
  poll_url TEXT NOT NULL,
  resource_id TEXT NOT NULL,
  console_url TEXT NOT NULL,
  submit_response TEXT NOT NULL,
  remote_outcome TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  retry_count INTEGER NOT NULL,
  poll_failures INTEGER NOT NULL,
  polls INTEGER NOT NULL,
  next_attempt_at INTEGER,
  last_poll_at INTEGER,
  completed_at INTEGER,
  hints INTEGER NOT NULL,
  hinted_at INTEGER,
  hints_answered INTEGER NOT NULL,
  memo TEXT NOT NULL,
  PRIMARY KEY(uid, submission));
CREATE INDEX operations_by_id ON operations(operation_id, namespace) WHERE operation_id <> '';
CREATE TABLE attempts(
  uid TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  submission INTEGER NOT NULL,
  at INTEGER NOT NULL,
  action TEXT NOT NULL,
  method TEXT NOT NULL,
  url TEXT NOT NULL,
  http_status INTEGER NOT NULL,
  error_class TEXT NOT NULL,
  message TEXT NOT NULL,
  state TEXT NOT NULL,
  next_step TEXT NOT NULL,
  next_attempt_at INTEGER,
  shard INTEGER NOT NULL,
  owner_epoch INTEGER NOT NULL,
  PRIMARY KEY(uid, sequence)) WITHOUT ROWID;
CREATE TABLE inbox(
  source TEXT NOT NULL,
  message_id TEXT NOT NULL,
  operation_uid TEXT NOT NULL,
  submission INTEGER NOT NULL,
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY(source, message_id));
CREATE INDEX inbox_unmatched ON inbox(source, subject) WHERE operation_uid = '';
CREATE INDEX inbox_bodies ON inbox(operation_uid, submission) WHERE body <> '';
CREATE INDEX inbox_received ON inbox(received_at);
CREATE TABLE outbox(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  dedup_name TEXT NOT NULL,
  payload TEXT NOT NULL,
  created_at INTEGER NOT NULL);
)sql";

struct Step {
  const char* sql;
  Status (*more)(Database&);  // what SQL cannot say; null for nothing
};

// Append only: a released step is never changed.
constexpr std::array<Step, 2> kSteps = {Step{kFirst, nullptr}, Step{"", &MarkUnsettled}};

Status RunStep(Database& database, std::size_t step) {
  ASYNCOPS_RETURN_IF_ERROR(database.Execute("BEGIN IMMEDIATE"));
  const Step& what = kSteps.at(step);
  Status status = database.Execute(what.sql);
  if (status.ok() && what.more != nullptr) status = what.more(database);
  if (status.ok()) {
    const std::string version = "PRAGMA user_version = " + std::to_string(step + 1);
    status = database.Execute(version.c_str());
  }
  if (status.ok()) status = database.Execute("COMMIT");
  if (!status.ok() && database.in_transaction()) {
    // The failure that is returned is the first one.
    if (const Status undone = database.Execute("ROLLBACK"); !undone.ok()) return status;
  }
  return status;
}

}  // namespace

int NewestSchemaVersion() { return static_cast<int>(kSteps.size()); }

Status Migrate(Database& database) {
  const Result<std::int64_t> version = database.QueryInt("PRAGMA user_version");
  if (!version.ok()) return version.status();
  if (*version < 0 || *version > NewestSchemaVersion()) {
    return Status(Reason::kServiceUnavailable,
                  "it has schema version " + std::to_string(*version) +
                      ", this binary knows up to " + std::to_string(NewestSchemaVersion()) +
                      ": start the newer binary that wrote it, or restore a backup");
  }
  for (auto step = static_cast<std::size_t>(*version); step < kSteps.size(); ++step)
    ASYNCOPS_RETURN_IF_ERROR(RunStep(database, step));
  return Status::Ok();
}

}  // namespace asyncops::storage
