// Inbox and outbox: written on the writer's connection, the outbox is read on any.
#ifndef ASYNCOPS_STORAGE_SQLITE_MAILBOX_TABLE_H_
#define ASYNCOPS_STORAGE_SQLITE_MAILBOX_TABLE_H_

#include <string_view>
#include <vector>

#include "storage/mailbox.h"
#include "storage/sqlite/database.h"

namespace asyncops::storage {

// For one thread at a time; the connection outlives it.
class MailboxTable final : public Mailbox {
 public:
  explicit MailboxTable(Database& database);

  Result<bool> Receive(const InboxMessage& message) override;
  Result<std::vector<InboxMessage>> Unmatched(int limit) override;
  Status Match(std::string_view source, std::string_view message_id,
               std::string_view operation_uid) override;
  Result<int> PurgeReceivedBefore(Time time) override;
  Status Send(const OutboxMessage& message) override;
  Status Delivered(std::int64_t id) override;

  // As EngineReader::Outbox.
  Result<std::vector<OutboxMessage>> Outbox(int limit);

 private:
  Database& database_;
  Statement receive_;
  Statement unmatched_;
  Statement match_;
  Statement purge_;
  Statement send_;
  Statement delivered_;
  Statement outbox_;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_MAILBOX_TABLE_H_
