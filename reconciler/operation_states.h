// status.state of an AsyncOperation, as rows keep it.
#ifndef ASYNCOPS_RECONCILER_OPERATION_STATES_H_
#define ASYNCOPS_RECONCILER_OPERATION_STATES_H_

#include <algorithm>
#include <array>
#include <string_view>

namespace asyncops::reconciler::state {

inline constexpr std::string_view kPending = "Pending";  // no row yet
inline constexpr std::string_view kIntent = "Intent";    // about to be sent, or was
inline constexpr std::string_view kSubmitted = "Submitted";
inline constexpr std::string_view kRunning = "Running";
inline constexpr std::string_view kFetching = "Fetching";      // done outside, result to be read
inline constexpr std::string_view kBackoff = "Backoff";        // surely not running outside
inline constexpr std::string_view kRecovering = "Recovering";  // may be running outside
inline constexpr std::string_view kOutcomeUnknown = "OutcomeUnknown";  // parked
inline constexpr std::string_view kCanceling = "Canceling";
inline constexpr std::string_view kSucceeded = "Succeeded";
inline constexpr std::string_view kFailed = "Failed";
inline constexpr std::string_view kCanceled = "Canceled";

// The constant above that says the same; "" where it is none of them.
constexpr std::string_view Known(std::string_view state) {
  constexpr std::array kAll = {kPending,   kIntent,    kSubmitted,  kRunning,
                               kFetching,  kBackoff,   kRecovering, kOutcomeUnknown,
                               kCanceling, kSucceeded, kFailed,     kCanceled};
  const auto* const it = std::find(kAll.begin(), kAll.end(), state);
  return it == kAll.end() ? std::string_view("") : *it;
}

// The code of what waits in Recovering until a look-up that found nothing counts.
inline constexpr std::string_view kLookupNotSettled = "LookupNotSettled";

constexpr bool IsFinal(std::string_view state) {
  return state == kSucceeded || state == kFailed || state == kCanceled;
}

}  // namespace asyncops::reconciler::state

#endif  // ASYNCOPS_RECONCILER_OPERATION_STATES_H_
