// The engine's own memory of operations: what was about to be sent, what came back, each attempt.
// Written in the order of the write-ahead rule: an intent is on disk before the call that it
// describes.
#ifndef ASYNCOPS_STORAGE_OPERATION_ROW_H_
#define ASYNCOPS_STORAGE_OPERATION_ROW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"

namespace asyncops::storage {

// One submission of one AsyncOperation: an intent to start it outside, with its own idempotency
// key. (uid, submission) is unique in the store, so that an intent can be recorded once only. A
// value.
struct OperationRow {
  std::string uid;  // of the AsyncOperation
  int submission = 1;
  std::string namespace_name;
  std::string name;

  std::string state;             // as status.state: "Intent", "Submitted", ...
  std::int64_t owner_epoch = 0;  // of the process that may change the row

  // The rendered request, byte for byte what is (re)sent. Header values that come from a Secret are
  // kept as references, never as values.
  std::string method;
  std::string url;
  std::string headers;  // JSON: [{"name":..,"value":..} | {"name":..,"secretKeyRef":{name,key}}]
  std::string body;
  std::string body_sha256;
  std::string idempotency_key;
  std::string correlation_id;
  std::string callback_token_hash;  // SHA-256 in hex; "" where no callback is asked for
  Time intent_at{};
  std::optional<Time> sent_at;       // of the latest call; what settle times count from
  std::optional<Time> submitted_at;  // the answer was stored

  // What the external system said.
  std::string operation_id;
  std::string poll_url;
  std::string resource_id;
  std::string console_url;
  // JSON {status, headers, body}, redacted, bounded; "" before there is one.
  std::string submit_response;
  std::string remote_outcome;  // "Succeeded", "Failed" or "Canceled" once known; "" before

  // Progress of our own work.
  int attempt = 0;        // calls of this submission so far
  int retry_count = 0;    // failures since the last success or reset
  int poll_failures = 0;  // in a row
  int polls = 0;          // polls so far
  std::optional<Time> next_attempt_at;
  std::optional<Time> last_poll_at;
  std::optional<Time> completed_at;
  // Callbacks and messages that ask for a poll now: how many came, and when the first came that was
  // not answered yet. Written by OperationRows::Hint alone, so that a step that began before does
  // not undo it.
  std::int64_t hints = 0;
  std::optional<Time> hinted_at;
  std::int64_t hints_answered = 0;  // by a poll that began after them
  // The engine's own notes on the submission (outputs, progress, failures, which requests of users
  // were acted on): JSON that the store keeps as it is; "" for none.
  std::string memo = {};

  bool operator==(const OperationRow&) const = default;
};

// One line of history: a call or a change of state. Never holds a credential.
struct Attempt {
  std::string uid;
  std::int64_t sequence = 0;  // per uid, from 1; given by the store
  int submission = 0;
  Time at{};
  std::string action;  // "Intent", "Submit", "Poll", "Lookup", "Fetch", "Cancel", "Finish", ...
  std::string method;  // "" for a change without a call
  std::string url;
  int http_status = 0;  // 0 where no answer came
  // "" | "Recoverable" | "Ambiguous" | "Throttled" | "Conflict" | "Terminal"
  std::string error_class;
  std::string message;    // bounded, redacted
  std::string state;      // after it
  std::string next_step;  // what happens next, in words
  std::optional<Time> next_attempt_at;
  int shard = 0;
  std::int64_t owner_epoch = 0;

  bool operator==(const Attempt&) const = default;
};

// Operation rows inside a write transaction. Not shared between threads.
class OperationRows {
 public:
  virtual ~OperationRows() = default;
  // AlreadyExists where this (uid, submission) has a row.
  virtual Status Insert(const OperationRow& row) = 0;
  // Replaces the row, but for its hints, where it still is in `expected_state` and owned by
  // row.owner_epoch or an earlier one; Conflict otherwise (someone else went on), NotFound where
  // there is none.
  virtual Status Update(const OperationRow& row, std::string_view expected_state) = 0;
  // The row of the latest submission; NotFound where there is none.
  virtual Result<OperationRow> Latest(std::string_view uid) = 0;
  // Counts one more hint for this submission: it is to be polled now. NotFound where there is none.
  virtual Status Hint(std::string_view uid, int submission, Time now) = 0;
  // Latest submissions in this namespace that the external systems know by this ID, newest first,
  // at most `limit`. Several systems may use one ID.
  virtual Result<std::vector<OperationRow>> FindByOperationId(std::string_view namespace_name,
                                                              std::string_view operation_id,
                                                              int limit) = 0;
  // Appends to the history; the sequence is given here.
  virtual Status AppendAttempt(const Attempt& attempt) = 0;
  // Deletes rows and history of the operation; OK where there are none.
  virtual Status Purge(std::string_view uid) = 0;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_OPERATION_ROW_H_
