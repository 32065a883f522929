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
  Result<int> CountUnmatched(std::string_view source, int limit) override;
  Result<int> Match(std::string_view source, std::string_view subject,
                    std::string_view operation_uid, int submission) override;
  Result<std::int64_t> AtMost() override;
  Result<int> Purge(Time matched_before, Time unmatched_before, int limit) override;
  Status Send(const OutboxMessage& message) override;
  Status Delivered(std::int64_t id) override;

  // As EngineReader::Outbox.
  Result<std::vector<OutboxMessage>> Outbox(int limit);
  // As EngineReader::Inbox.
  Result<std::vector<InboxMessage>> Inbox(std::string_view uid, int submission, int limit);

 private:
  Database& database_;
  Statement receive_;
  Statement count_unmatched_;
  Statement match_;
  Statement at_most_;
  Statement purge_matched_;
  Statement purge_unmatched_;
  Statement inbox_;
  Statement send_;
  Statement delivered_;
  Statement outbox_;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_MAILBOX_TABLE_H_
