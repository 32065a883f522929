// status.state of an AsyncOperation, as rows keep it.
#ifndef ASYNCOPS_RECONCILER_OPERATION_STATES_H_
#define ASYNCOPS_RECONCILER_OPERATION_STATES_H_

#include <algorithm>
#include <array>
#include <cstdint>
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

// All of them behind "", which stands for none.
inline constexpr std::array<std::string_view, 13> kAll = {
    "",          kPending,        kIntent,    kSubmitted, kRunning, kFetching, kBackoff,
    kRecovering, kOutcomeUnknown, kCanceling, kSucceeded, kFailed,  kCanceled};

// Where it stands among them; 0 where it is none.
constexpr std::uint8_t IndexOf(std::string_view state) {
  const auto* const it = std::find(kAll.begin(), kAll.end(), state);
  return it == kAll.end() ? std::uint8_t{0} : static_cast<std::uint8_t>(it - kAll.begin());
}
constexpr std::string_view OfIndex(std::uint8_t index) { return kAll.at(index); }

// The code of what waits in Recovering until a look-up that found nothing counts.
inline constexpr std::string_view kLookupNotSettled = "LookupNotSettled";

constexpr bool IsFinal(std::string_view state) {
  return state == kSucceeded || state == kFailed || state == kCanceled;
}

}  // namespace asyncops::reconciler::state

#endif  // ASYNCOPS_RECONCILER_OPERATION_STATES_H_
