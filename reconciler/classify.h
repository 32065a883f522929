// What an HTTP status means for the next step: a table of its own, without state.
#ifndef ASYNCOPS_RECONCILER_CLASSIFY_H_
#define ASYNCOPS_RECONCILER_CLASSIFY_H_

#include <optional>
#include <string>
#include <string_view>

#include "reconciler/protocol.h"

namespace asyncops::reconciler {

// A class and the least wait that goes with it.
struct Classification {
  ErrorClass error_class = ErrorClass::kRecoverable;
  std::optional<Duration> delay;

  bool operator==(const Classification&) const = default;
};

// Of a complete answer that is no success. `sends_key`: the system takes an idempotency key, so
// 409 means that the first request with it is still under way. `adopts`: the status is one of
// recovery.adoptOn.
struct SubmitStatus {
  int status = 0;
  std::optional<Duration> retry_after;
  bool sends_key = false;
  bool adopts = false;
};
Classification ClassifySubmit(const SubmitStatus& seen);
// The same for calls that are safe to repeat: polls, lookups.
Classification ClassifyPoll(int status, std::optional<Duration> retry_after);

// The code as a condition's reason: letters, digits and "_", starting with a letter, at most 64
// bytes; `otherwise` where nothing of it is left. A bare number becomes "CodeN".
std::string ReasonCode(std::string_view code, std::string_view otherwise);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_CLASSIFY_H_
