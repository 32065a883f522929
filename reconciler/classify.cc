#include "reconciler/classify.h"

#include <algorithm>

#include "base/ascii.h"

namespace asyncops::reconciler {
namespace {

// Credentials may be mended by a person meanwhile; asking more often looks like an attack.
constexpr std::chrono::minutes kCredentialsDelay{5};
// The first request with the key is being worked on.
constexpr std::chrono::seconds kOutstandingDelay{5};

// What submit and poll have in common; nothing where they differ.
std::optional<Classification> ClassifyCommon(int status, std::optional<Duration> retry_after) {
  if (status == 429 || status == 425 || (status == 503 && retry_after))
    return Classification{ErrorClass::kThrottled, retry_after};
  if (status == 401 || status == 403)
    return Classification{ErrorClass::kRecoverable, Duration(kCredentialsDelay)};
  return std::nullopt;
}

}  // namespace

Classification ClassifySubmit(const SubmitStatus& seen) {
  if (const auto common = ClassifyCommon(seen.status, seen.retry_after)) return *common;
  // The work was done, and what it made is elsewhere.
  if (seen.status == 303) return {ErrorClass::kAmbiguous, std::nullopt};
  // The work may have been done before the error came up.
  if (seen.status == 408 || seen.status >= 500) return {ErrorClass::kAmbiguous, seen.retry_after};
  if (seen.status == 409) {
    if (seen.sends_key && !seen.adopts)
      return {ErrorClass::kRecoverable,
              std::max(Duration(kOutstandingDelay), seen.retry_after.value_or(Duration::zero()))};
    return {ErrorClass::kConflict, seen.retry_after};
  }
  if (seen.adopts) return {ErrorClass::kConflict, seen.retry_after};
  // A redirect is never followed with a POST, and the next try would be redirected again.
  return {ErrorClass::kTerminal, std::nullopt};
}

Classification ClassifyPoll(int status, std::optional<Duration> retry_after) {
  if (const auto common = ClassifyCommon(status, retry_after)) return *common;
  if (status == 408 || status >= 500 || status < 300)
    return {ErrorClass::kRecoverable, retry_after};
  if (status == 409) return {ErrorClass::kConflict, retry_after};
  return {ErrorClass::kTerminal, std::nullopt};
}

std::string ReasonCode(std::string_view code, std::string_view otherwise) {
  constexpr std::size_t kMaxCode = 64;
  std::string out;
  for (const char c : code) {
    if (out.size() == kMaxCode) break;
    if (IsLetter(c) || (IsDigit(c) && !out.empty()) || (c == '_' && !out.empty())) out += c;
  }
  if (!out.empty()) return out;
  const bool number = !code.empty() && std::all_of(code.begin(), code.end(), IsDigit);
  return number ? "Code" + std::string(code.substr(0, kMaxCode - 4)) : std::string(otherwise);
}

}  // namespace asyncops::reconciler
