#include "storage/sqlite/mailbox_table.h"

#include <algorithm>

#include "base/limits.h"
#include "storage/sqlite/times.h"

namespace asyncops::storage {

MailboxTable::MailboxTable(Database& database)
    : database_(database),
      receive_(database,
               "INSERT INTO inbox(source, message_id, operation_uid, submission, subject, body, "
               "received_at) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"),
      count_unmatched_(database,
                       "SELECT count(*) FROM (SELECT 1 FROM inbox WHERE source = ? AND "
                       "operation_uid = '' LIMIT ?)"),
      match_(database,
             "UPDATE inbox SET operation_uid = ?, submission = ? WHERE source = ? AND subject = ? "
             "AND operation_uid = ''"),
      at_most_(
          database,
          // Rows that were deleted in between count, unless that would make too great a number.
          "SELECT CASE WHEN span <= 100000 THEN span ELSE (SELECT count(*) FROM inbox) END "
          "FROM (SELECT coalesce((SELECT max(rowid) FROM inbox) - (SELECT min(rowid) FROM "
          "inbox) + 1, 0) AS span)"),
      purge_matched_(database,
                     "DELETE FROM inbox WHERE rowid IN (SELECT rowid FROM inbox WHERE "
                     "received_at < ? AND operation_uid <> '' LIMIT ?)"),
      purge_unmatched_(database,
                       "DELETE FROM inbox WHERE rowid IN (SELECT rowid FROM inbox WHERE "
                       "received_at < ? AND operation_uid = '' LIMIT ?)"),
      inbox_(database,
             "SELECT source, message_id, subject, body, received_at FROM inbox WHERE "
             "operation_uid = ? AND submission = ? AND body <> '' ORDER BY rowid LIMIT ?"),
      send_(database,
            "INSERT INTO outbox(kind, dedup_name, payload, created_at) VALUES (?, ?, ?, ?)"),
      delivered_(database, "DELETE FROM outbox WHERE id = ?"),
      outbox_(database,
              "SELECT id, kind, dedup_name, payload, created_at FROM outbox ORDER BY id LIMIT ?") {}

Result<bool> MailboxTable::Receive(const InboxMessage& message) {
  Cursor cursor(receive_);
  cursor.Bind(message.source).Bind(message.message_id).Bind(message.operation_uid);
  cursor.Bind(message.submission).Bind(message.subject).Bind(message.body);
  BindTime(cursor, message.received_at);
  ASYNCOPS_RETURN_IF_ERROR(cursor.Run());
  return database_.changes() == 1;
}

Result<int> MailboxTable::CountUnmatched(std::string_view source, int limit) {
  const std::string from(source);
  Cursor cursor(count_unmatched_);
  const Result<bool> row = cursor.Bind(from).Bind(limit).Step();
  if (!row.ok()) return row.status();
  return static_cast<int>(cursor.Int(0));
}

Result<int> MailboxTable::Match(std::string_view source, std::string_view subject,
                                std::string_view operation_uid, int submission) {
  const std::string uid(operation_uid);
  const std::string from(source);
  const std::string about(subject);
  ASYNCOPS_RETURN_IF_ERROR(Cursor(match_).Bind(uid).Bind(submission).Bind(from).Bind(about).Run());
  return static_cast<int>(database_.changes());
}

Result<std::int64_t> MailboxTable::AtMost() {
  Cursor cursor(at_most_);
  const Result<bool> row = cursor.Step();
  if (!row.ok()) return row.status();
  return cursor.Int(0);
}

Result<int> MailboxTable::Purge(Time matched_before, Time unmatched_before, int limit) {
  {
    Cursor cursor(purge_matched_);
    BindTime(cursor, matched_before);
    ASYNCOPS_RETURN_IF_ERROR(cursor.Bind(limit).Run());
  }
  const auto matched = static_cast<int>(database_.changes());
  Cursor cursor(purge_unmatched_);
  BindTime(cursor, unmatched_before);
  ASYNCOPS_RETURN_IF_ERROR(cursor.Bind(limit).Run());
  return matched + static_cast<int>(database_.changes());
}

Status MailboxTable::Send(const OutboxMessage& message) {
  Cursor cursor(send_);
  cursor.Bind(message.kind).Bind(message.dedup_name).Bind(message.payload);
  BindTime(cursor, message.created_at);
  return cursor.Run();
}

Status MailboxTable::Delivered(std::int64_t id) { return Cursor(delivered_).Bind(id).Run(); }

Result<std::vector<OutboxMessage>> MailboxTable::Outbox(int limit) {
  std::vector<OutboxMessage> messages;
  Cursor cursor(outbox_);
  cursor.Bind(std::clamp(limit, 0, kMaxRowsPerRead));
  while (true) {
    const Result<bool> row = cursor.Step();
    if (!row.ok()) return row.status();
    if (!*row) return messages;
    messages.push_back({.id = cursor.Int(0),
                        .kind = cursor.Text(1),
                        .dedup_name = cursor.Text(2),
                        .payload = cursor.Text(3),
                        .created_at = TimeAt(cursor, 4)});
  }
}

Result<std::vector<InboxMessage>> MailboxTable::Inbox(std::string_view uid, int submission,
                                                      int limit) {
  const std::string key(uid);
  std::vector<InboxMessage> messages;
  Cursor cursor(inbox_);
  cursor.Bind(key).Bind(submission).Bind(std::clamp(limit, 0, kMaxRowsPerRead));
  while (true) {
    const Result<bool> row = cursor.Step();
    if (!row.ok()) return row.status();
    if (!*row) return messages;
    messages.push_back({.source = cursor.Text(0),
                        .message_id = cursor.Text(1),
                        .operation_uid = key,
                        .submission = submission,
                        .subject = cursor.Text(2),
                        .body = cursor.Text(3),
                        .received_at = TimeAt(cursor, 4)});
  }
}

}  // namespace asyncops::storage
