// What to do next about an operation: a pure function of what is known and the time.
#ifndef ASYNCOPS_RECONCILER_DECIDE_H_
#define ASYNCOPS_RECONCILER_DECIDE_H_

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "api/operations/v1alpha1/async_operation.h"
#include "reconciler/operation_memo.h"
#include "reconciler/protocol.h"
#include "storage/operation_row.h"

namespace asyncops::reconciler {

// Why an operation cannot go on now: becomes the reason and message of its Ready condition.
struct Blocked {
  std::string reason;
  std::string message;
  // It only waits for its turn to call, until then: the condition is Throttled, not Ready.
  std::optional<Time> throttled_until = {};

  bool operator==(const Blocked&) const = default;
};

namespace action {

// Only a change of the object brings it on.
struct Nothing {
  bool operator==(const Nothing&) const = default;
};
struct Wait {
  Time until{};
  bool operator==(const Wait&) const = default;
};
// Says why, and waits for the cause to go.
struct Block {
  Blocked why;
  bool operator==(const Block&) const = default;
};
// spec.suspend has changed: tells of it.
struct TakeSuspend {
  bool operator==(const TakeSuspend&) const = default;
};
// A user asked for what cannot be done: says why, once.
struct Refuse {
  std::string_view annotation;  // by which it was asked
  std::string why;
  bool operator==(const Refuse&) const = default;
};
// A user asked for a retry of something that waits: the wait is over.
struct Wake {
  bool operator==(const Wake&) const = default;
};
// Writes the intent, then sends it in the same pass.
struct Submit {
  bool same_submission = false;  // the same bytes and key: nothing of it was sent
  bool reset = false;            // retries count from 0: a user asked for it
  bool mended = false;           // the same, since what failed may have been mended
  bool operator==(const Submit&) const = default;
};
// Sends the bytes and key of the row again.
struct Resend {
  bool operator==(const Resend&) const = default;
};
// Asks whether the submit took effect.
struct Lookup {
  bool mended = false;  // a repeated send need not wait: what refused the last one has changed
  bool operator==(const Lookup&) const = default;
};
// Stops until a user resolves it.
struct Park {
  std::string why;
  bool operator==(const Park&) const = default;
};
// Follows it under this operation ID, as a user says, or a callback.
struct Adopt {
  std::string operation_id;
  bool force = false;  // although another operation follows that ID
  bool told = false;   // by a callback
  bool operator==(const Adopt&) const = default;
};
struct Poll {
  bool operator==(const Poll&) const = default;
};
// Reads the result.
struct Fetch {
  bool operator==(const Fetch&) const = default;
};
// Writes that it is to be cancelled.
struct BeginCancel {
  std::string reason;
  bool operator==(const BeginCancel&) const = default;
};
struct SendCancel {
  bool operator==(const SendCancel&) const = default;
};
struct Finish {
  std::string_view state;
  std::string code;
  std::string message;
  bool operator==(const Finish&) const = default;
};
// Deletes the object with its rows.
struct Remove {
  bool forced = false;  // before its time: what it may have made outside is left behind
  bool operator==(const Remove&) const = default;
};

}  // namespace action

using Action =
    std::variant<action::Nothing, action::Wait, action::Block, action::Wake, action::Submit,
                 action::Resend, action::Lookup, action::Park, action::Adopt, action::Poll,
                 action::TakeSuspend, action::Refuse, action::Fetch, action::BeginCancel,
                 action::SendCancel, action::Finish, action::Remove>;

// All that a decision rests on.
struct Situation {
  const AsyncOperation& operation;
  const storage::OperationRow* row = nullptr;  // the latest submission's; null before the first
  const OperationMemo& memo;
  const Protocol::Policy* policy = nullptr;  // null where there is no protocol; then see `problem`
  Blocked problem;                           // why there is none
  bool hopeless = false;                     // of `problem`: the declaration itself is wrong
  bool can_cancel = false;                   // the declaration has a cancel
  bool nudged = false;                       // as WorkItem
  Time now{};
  std::optional<Time> poll_due;        // when the next poll is due; nothing: now
  std::optional<Time> completed = {};  // row->completed_at, true to the present clock
  // The ID that callbacks give what this submission started, while nothing else tells it; "" for
  // none.
  std::string told_id = {};
};

// A pass that begins with a row in Intent follows one that never learnt what came of its call.
Action Decide(const Situation& situation);

// When its time is over by what it says itself; nothing where it has begun nothing, or has no
// deadline.
std::optional<Time> DeadlineOf(const AsyncOperation& operation, std::optional<Time> start);

// Whether it ended because its time was over, and nobody ever said how it went outside.
bool EndedInDoubt(const storage::OperationRow& row, const OperationMemo& memo);

// Whether a callback says that the submission of the row took effect, of which no answer does: only
// who was sent it knows the URL.
bool IsCalledBack(const storage::OperationRow& row);

// Whether the row's idempotency key may still be relied on: the system surely remembers it.
bool KeyHolds(const storage::OperationRow& row, const Protocol::Policy& policy, Time now);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_DECIDE_H_
