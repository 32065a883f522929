#include "storage/sqlite/mailbox_table.h"

#include <algorithm>

#include "base/limits.h"
#include "storage/sqlite/times.h"

namespace asyncops::storage {

MailboxTable::MailboxTable(Database& database)
    : database_(database),
      receive_(database,
               "INSERT INTO inbox(source, message_id, operation_uid, body, received_at) "
               "VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"),
      unmatched_(database,
                 "SELECT source, message_id, body, received_at FROM inbox "
                 "WHERE operation_uid = '' ORDER BY received_at, rowid LIMIT ?"),
      match_(database, "UPDATE inbox SET operation_uid = ? WHERE source = ? AND message_id = ?"),
      purge_(database, "DELETE FROM inbox WHERE received_at < ?"),
      send_(database,
            "INSERT INTO outbox(kind, dedup_name, payload, created_at) VALUES (?, ?, ?, ?)"),
      delivered_(database, "DELETE FROM outbox WHERE id = ?"),
      outbox_(database,
              "SELECT id, kind, dedup_name, payload, created_at FROM outbox ORDER BY id LIMIT ?") {}

Result<bool> MailboxTable::Receive(const InboxMessage& message) {
  Cursor cursor(receive_);
  cursor.Bind(message.source).Bind(message.message_id).Bind(message.operation_uid);
  cursor.Bind(message.body);
  BindTime(cursor, message.received_at);
  ASYNCOPS_RETURN_IF_ERROR(cursor.Run());
  return database_.changes() == 1;
}

Result<std::vector<InboxMessage>> MailboxTable::Unmatched(int limit) {
  std::vector<InboxMessage> messages;
  Cursor cursor(unmatched_);
  cursor.Bind(std::clamp(limit, 0, kMaxRowsPerRead));
  while (true) {
    const Result<bool> row = cursor.Step();
    if (!row.ok()) return row.status();
    if (!*row) return messages;
    messages.push_back({.source = cursor.Text(0),
                        .message_id = cursor.Text(1),
                        .operation_uid = "",
                        .body = cursor.Text(2),
                        .received_at = TimeAt(cursor, 3)});
  }
}

Status MailboxTable::Match(std::string_view source, std::string_view message_id,
                           std::string_view operation_uid) {
  const std::string uid(operation_uid);
  const std::string from(source);
  const std::string id(message_id);
  ASYNCOPS_RETURN_IF_ERROR(Cursor(match_).Bind(uid).Bind(from).Bind(id).Run());
  if (database_.changes() == 1) return Status::Ok();
  return Status(Reason::kNotFound, "message " + id + " of " + from + " not found");
}

Result<int> MailboxTable::PurgeReceivedBefore(Time time) {
  Cursor cursor(purge_);
  BindTime(cursor, time);
  ASYNCOPS_RETURN_IF_ERROR(cursor.Run());
  return static_cast<int>(database_.changes());
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

}  // namespace asyncops::storage
