#include "storage/sqlite/operation_table.h"

#include <algorithm>

#include "base/limits.h"
#include "storage/sqlite/times.h"

namespace asyncops::storage {
namespace {

// In the order of BindRow and ReadRow. What hints are, an update leaves alone.
constexpr const char* kColumns =
    "uid, submission, namespace, name, state, owner_epoch, method, url, headers, body, "
    "body_sha256, idempotency_key, correlation_id, callback_token_hash, intent_at, sent_at, "
    "submitted_at, operation_id, poll_url, resource_id, console_url, submit_response, "
    "remote_outcome, attempt, retry_count, poll_failures, polls, next_attempt_at, last_poll_at, "
    "completed_at, hints_answered, memo";
constexpr const char* kHintColumns = ", hints, hinted_at";
constexpr const char* kPlaceholders =
    "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
    "?";

constexpr const char* kAttemptColumns =
    "sequence, submission, at, action, method, url, http_status, error_class, message, state, "
    "next_step, next_attempt_at, shard, owner_epoch";

void BindRow(Cursor& cursor, const OperationRow& row) {
  cursor.Bind(row.uid).Bind(row.submission).Bind(row.namespace_name).Bind(row.name);
  cursor.Bind(row.state).Bind(row.owner_epoch);
  cursor.Bind(row.method).Bind(row.url).Bind(row.headers).Bind(row.body).Bind(row.body_sha256);
  cursor.Bind(row.idempotency_key).Bind(row.correlation_id).Bind(row.callback_token_hash);
  BindTime(cursor, row.intent_at);
  BindTime(cursor, row.sent_at);
  BindTime(cursor, row.submitted_at);
  cursor.Bind(row.operation_id).Bind(row.poll_url).Bind(row.resource_id).Bind(row.console_url);
  cursor.Bind(row.submit_response).Bind(row.remote_outcome);
  cursor.Bind(row.attempt).Bind(row.retry_count).Bind(row.poll_failures).Bind(row.polls);
  BindTime(cursor, row.next_attempt_at);
  BindTime(cursor, row.last_poll_at);
  BindTime(cursor, row.completed_at);
  cursor.Bind(row.hints_answered).Bind(row.memo);
}

int SmallInt(const Cursor& cursor, int column) { return static_cast<int>(cursor.Int(column)); }

OperationRow ReadRow(const Cursor& cursor) {
  OperationRow row;
  int column = 0;
  row.uid = cursor.Text(column++);
  row.submission = SmallInt(cursor, column++);
  row.namespace_name = cursor.Text(column++);
  row.name = cursor.Text(column++);
  row.state = cursor.Text(column++);
  row.owner_epoch = cursor.Int(column++);
  for (std::string* text : {&row.method, &row.url, &row.headers, &row.body, &row.body_sha256,
                            &row.idempotency_key, &row.correlation_id, &row.callback_token_hash})
    *text = cursor.Text(column++);
  row.intent_at = TimeAt(cursor, column++);
  row.sent_at = OptionalTimeAt(cursor, column++);
  row.submitted_at = OptionalTimeAt(cursor, column++);
  for (std::string* text : {&row.operation_id, &row.poll_url, &row.resource_id, &row.console_url,
                            &row.submit_response, &row.remote_outcome})
    *text = cursor.Text(column++);
  for (int* number : {&row.attempt, &row.retry_count, &row.poll_failures, &row.polls})
    *number = SmallInt(cursor, column++);
  row.next_attempt_at = OptionalTimeAt(cursor, column++);
  row.last_poll_at = OptionalTimeAt(cursor, column++);
  row.completed_at = OptionalTimeAt(cursor, column++);
  row.hints_answered = cursor.Int(column++);
  row.memo = cursor.Text(column++);
  row.hints = cursor.Int(column++);
  row.hinted_at = OptionalTimeAt(cursor, column);
  return row;
}

Attempt ReadAttempt(const Cursor& cursor, std::string_view uid) {
  Attempt attempt;
  int column = 0;
  attempt.uid = uid;
  attempt.sequence = cursor.Int(column++);
  attempt.submission = SmallInt(cursor, column++);
  attempt.at = TimeAt(cursor, column++);
  attempt.action = cursor.Text(column++);
  attempt.method = cursor.Text(column++);
  attempt.url = cursor.Text(column++);
  attempt.http_status = SmallInt(cursor, column++);
  attempt.error_class = cursor.Text(column++);
  attempt.message = cursor.Text(column++);
  attempt.state = cursor.Text(column++);
  attempt.next_step = cursor.Text(column++);
  attempt.next_attempt_at = OptionalTimeAt(cursor, column++);
  attempt.shard = SmallInt(cursor, column++);
  attempt.owner_epoch = cursor.Int(column);
  return attempt;
}

std::string Describe(const std::string& uid, int submission) {
  return "submission " + std::to_string(submission) + " of operation " + uid;
}

}  // namespace

OperationTable::OperationTable(Database& database)
    : database_(database),
      insert_(database, std::string("INSERT INTO operations(") + kColumns + kHintColumns +
                            ") VALUES (" + kPlaceholders + ", ?, ?) ON CONFLICT DO NOTHING"),
      update_(database, std::string("UPDATE operations SET (") + kColumns + ") = (" +
                            kPlaceholders +
                            ") WHERE uid = ?1 AND submission = ?2 AND state = ?33 AND "
                            "owner_epoch <= ?6"),
      exists_(database, "SELECT 1 FROM operations WHERE uid = ? AND submission = ?"),
      latest_(database, std::string("SELECT ") + kColumns + kHintColumns +
                            " FROM operations WHERE uid = ? ORDER BY submission DESC LIMIT 1"),
      hint_(database,
            "UPDATE operations SET hints = hints + 1, hinted_at = CASE WHEN hints > hints_answered "
            "THEN hinted_at ELSE ?1 END WHERE uid = ?2 AND submission = ?3"),
      find_(database, std::string("SELECT ") + kColumns + kHintColumns +
                          " FROM operations AS o WHERE operation_id = ? AND namespace = ? AND "
                          "operation_id <> '' AND submission = (SELECT max(submission) FROM "
                          "operations WHERE uid = o.uid) ORDER BY intent_at DESC LIMIT ?"),
      append_(database, std::string("INSERT INTO attempts(uid, ") + kAttemptColumns +
                            ") VALUES (?1, (SELECT coalesce(max(sequence), 0) + 1 FROM attempts "
                            "WHERE uid = ?1), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      history_(database, std::string("SELECT ") + kAttemptColumns +
                             " FROM attempts WHERE uid = ? AND sequence > ? ORDER BY sequence "
                             "LIMIT ?"),
      purge_rows_(database, "DELETE FROM operations WHERE uid = ?"),
      purge_history_(database, "DELETE FROM attempts WHERE uid = ?") {}

Status OperationTable::Insert(const OperationRow& row) {
  Cursor cursor(insert_);
  BindRow(cursor, row);
  cursor.Bind(row.hints);
  BindTime(cursor, row.hinted_at);
  ASYNCOPS_RETURN_IF_ERROR(cursor.Run());
  if (database_.changes() == 1) return Status::Ok();
  return Status(Reason::kAlreadyExists, Describe(row.uid, row.submission) + " already exists");
}

Status OperationTable::Update(const OperationRow& row, std::string_view expected_state) {
  const std::string expected(expected_state);
  {
    Cursor cursor(update_);
    BindRow(cursor, row);
    ASYNCOPS_RETURN_IF_ERROR(cursor.Bind(expected).Run());
  }
  if (database_.changes() == 1) return Status::Ok();
  Cursor cursor(exists_);
  const Result<bool> exists = cursor.Bind(row.uid).Bind(row.submission).Step();
  if (!exists.ok()) return exists.status();
  if (!*exists) return Status(Reason::kNotFound, Describe(row.uid, row.submission) + " not found");
  return Status(Reason::kConflict, Describe(row.uid, row.submission) + " is no longer in state " +
                                       expected + " or has a later owner");
}

Result<OperationRow> OperationTable::Latest(std::string_view uid) {
  const std::string key(uid);
  Cursor cursor(latest_);
  const Result<bool> row = cursor.Bind(key).Step();
  if (!row.ok()) return row.status();
  if (!*row) return Status(Reason::kNotFound, "operation " + key + " not found");
  return ReadRow(cursor);
}

Status OperationTable::Hint(std::string_view uid, int submission, Time now) {
  const std::string key(uid);
  {
    Cursor cursor(hint_);
    BindTime(cursor, now);
    ASYNCOPS_RETURN_IF_ERROR(cursor.Bind(key).Bind(submission).Run());
  }
  if (database_.changes() == 1) return Status::Ok();
  return Status(Reason::kNotFound, Describe(key, submission) + " not found");
}

Result<std::vector<OperationRow>> OperationTable::FindByOperationId(std::string_view namespace_name,
                                                                    std::string_view operation_id,
                                                                    int limit) {
  const std::string id(operation_id);
  const std::string name(namespace_name);
  std::vector<OperationRow> rows;
  Cursor cursor(find_);
  cursor.Bind(id).Bind(name).Bind(std::clamp(limit, 0, kMaxRowsPerRead));
  while (true) {
    const Result<bool> row = cursor.Step();
    if (!row.ok()) return row.status();
    if (!*row) return rows;
    rows.push_back(ReadRow(cursor));
  }
}

Status OperationTable::AppendAttempt(const Attempt& attempt) {
  Cursor cursor(append_);
  cursor.Bind(attempt.uid).Bind(attempt.submission);
  BindTime(cursor, attempt.at);
  cursor.Bind(attempt.action).Bind(attempt.method).Bind(attempt.url).Bind(attempt.http_status);
  cursor.Bind(attempt.error_class).Bind(attempt.message).Bind(attempt.state);
  cursor.Bind(attempt.next_step);
  BindTime(cursor, attempt.next_attempt_at);
  return cursor.Bind(attempt.shard).Bind(attempt.owner_epoch).Run();
}

Status OperationTable::Purge(std::string_view uid) {
  const std::string key(uid);
  ASYNCOPS_RETURN_IF_ERROR(Cursor(purge_rows_).Bind(key).Run());
  return Cursor(purge_history_).Bind(key).Run();
}

Result<std::vector<Attempt>> OperationTable::History(std::string_view uid, std::int64_t after,
                                                     int limit) {
  const std::string key(uid);
  std::vector<Attempt> attempts;
  Cursor cursor(history_);
  cursor.Bind(key).Bind(after).Bind(std::clamp(limit, 0, kMaxHistoryRows));
  while (true) {
    const Result<bool> row = cursor.Step();
    if (!row.ok()) return row.status();
    if (!*row) return attempts;
    attempts.push_back(ReadAttempt(cursor, uid));
  }
}

}  // namespace asyncops::storage
