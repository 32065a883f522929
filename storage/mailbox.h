// Inbox and outbox: messages received and not yet acted upon, messages to send once their cause is
// committed.
#ifndef ASYNCOPS_STORAGE_MAILBOX_H_
#define ASYNCOPS_STORAGE_MAILBOX_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"

namespace asyncops::storage {

// A callback or queue message; (source, message_id) is unique, which makes redelivery harmless.
struct InboxMessage {
  std::string source;
  std::string message_id;
  // "" while it matches no operation (it may precede our record of the answer).
  std::string operation_uid;
  int submission = 0;   // of the operation that it matches
  std::string subject;  // the operation ID that it speaks of, by which it is matched later
  // What may be judged like the answer to a poll; "" where it is no more than a hint.
  std::string body;
  Time received_at{};

  bool operator==(const InboxMessage&) const = default;
};

// Something to deliver at least once after the transaction that wrote it: an Event, a queue
// message.
struct OutboxMessage {
  std::int64_t id = 0;     // given by the store, ascending
  std::string kind;        // "event", "queue"
  std::string dedup_name;  // the same for each delivery of the same thing
  std::string payload;     // JSON
  Time created_at{};

  bool operator==(const OutboxMessage&) const = default;
};

// Inside a write transaction. Not shared between threads.
class Mailbox {
 public:
  virtual ~Mailbox() = default;
  // False where (source, message_id) is already there.
  virtual Result<bool> Receive(const InboxMessage& message) = 0;
  // Messages of this source without an operation, counted up to `limit`.
  virtual Result<int> CountUnmatched(std::string_view source, int limit) = 0;
  // Gives the messages of this source and subject that have no operation to this one; how many.
  virtual Result<int> Match(std::string_view source, std::string_view subject,
                            std::string_view operation_uid, int submission) = 0;
  // How many messages there are, or some more: cheap, whatever their number.
  virtual Result<std::int64_t> AtMost() = 0;
  // Deletes messages received before these times, at most `limit` of each kind; how many.
  virtual Result<int> Purge(Time matched_before, Time unmatched_before, int limit) = 0;
  virtual Status Send(const OutboxMessage& message) = 0;
  // OK where it is gone already.
  virtual Status Delivered(std::int64_t id) = 0;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_MAILBOX_H_
