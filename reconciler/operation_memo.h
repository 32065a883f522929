// The engine's own notes on an operation, kept in OperationRow.memo: what status shows and no
// column holds. Status is made from row and memo, so a status that somebody edits changes nothing.
#ifndef ASYNCOPS_RECONCILER_OPERATION_MEMO_H_
#define ASYNCOPS_RECONCILER_OPERATION_MEMO_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/asyncops/v1alpha1/steps.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/status.h"
#include "reconciler/rendered_request.h"

namespace asyncops::reconciler {

// A value. Carried over from one submission to the next.
struct OperationMemo {
  std::string progress;                 // "40"
  Json outputs;                         // object by name; null before there are any
  std::vector<FailureDetail> failures;  // newest first, at most kMaxFailureDetails
  std::optional<Time> start_time;       // of the first intent since the last reset
  std::string code;                     // why it is in this state; "" where that is ordinary
  std::string message;
  std::optional<Time> throttled_until;
  std::int64_t events = 0;  // events so far: makes their names

  bool not_sent = false;          // Backoff: nothing left us, the next send is the same submission
  bool maybe_started = false;     // some submission may have taken effect outside, known or not
  bool exists = false;            // Recovering: the system says that it exists already
  bool rejected = false;          // Recovering: a repeated send was refused for good
  std::optional<Time> resend_at;  // Recovering: no repeated send before it, whatever a look-up says
  int conflicts = 0;              // in a row
  int lookups = 0;                // looked for because the system forgot the operation

  bool suspended = false;       // spec.suspend, as it was told of last
  bool cancel_refused = false;  // a cancel was asked for, and there is no way to cancel it outside
  int progress_told = 0;        // the highest percentage that an Event was made of
  std::string shared_with;      // the AsyncOperation that claims the same operation outside

  std::string cancel_reason;  // Canceling: "CancelRequested", "Deleted" or "DeadlineExceeded"
  std::optional<Time> cancel_sent_at;  // the system took the cancel
  int cancel_failures = 0;

  std::optional<RenderedRequest> fetch;  // Fetching: where the result is read from
  int fetch_failures = 0;

  // The values of the annotations that were acted on: each acts once.
  std::string handled_retry;
  std::string handled_cancel;

  bool operator==(const OperationMemo&) const = default;
};

std::string EncodeMemo(const OperationMemo& memo);
// Of what EncodeMemo made; "" is an empty memo. InternalError where the text is damaged.
Result<OperationMemo> DecodeMemo(const std::string& text);

// Puts a failure first and drops the oldest beyond the bound.
void AddFailure(OperationMemo* memo, FailureDetail failure);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_OPERATION_MEMO_H_
