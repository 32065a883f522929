#include "kube/api_status.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace asyncops::kube {
namespace {

constexpr std::array<Reason, 18> kReasons = {
    Reason::kBadRequest,
    Reason::kUnauthorized,
    Reason::kForbidden,
    Reason::kNotFound,
    Reason::kMethodNotAllowed,
    Reason::kNotAcceptable,
    Reason::kAlreadyExists,
    Reason::kConflict,
    Reason::kGone,
    Reason::kExpired,
    Reason::kRequestEntityTooLarge,
    Reason::kUnsupportedMediaType,
    Reason::kInvalid,
    Reason::kTooManyRequests,
    Reason::kInternalError,
    Reason::kServerTimeout,
    Reason::kServiceUnavailable,
    Reason::kTimeout,
};
// As many as one object may have mistakes; what comes beyond is noise.
constexpr std::size_t kMaxCauses = kMaxReportedMistakes;
constexpr std::int64_t kMaxRetryAfterSeconds = 3600;

std::optional<Reason> ReasonOfName(std::string_view name) {
  for (const Reason reason : kReasons) {
    if (ReasonName(reason) == name) return reason;
  }
  return std::nullopt;
}

Reason ReasonOfCode(std::int64_t code) {
  // Two reasons have this code each; these are what its sender means without a reason.
  if (code == 409) return Reason::kConflict;
  if (code == 410) return Reason::kExpired;
  for (const Reason reason : kReasons) {
    if (HttpCode(reason) == code) return reason;
  }
  if (code >= 400 && code < 500) return Reason::kBadRequest;
  // What a proxy says of a server that it does not reach, a redirect, and what is no answer at all.
  return code == 501 ? Reason::kInternalError : Reason::kServiceUnavailable;
}

StatusDetails DetailsOf(const Json& body) {
  StatusDetails details;
  details.name = body.StringAt({"details", "name"});
  details.group = body.StringAt({"details", "group"});
  details.kind = body.StringAt({"details", "kind"});
  details.uid = body.StringAt({"details", "uid"});
  const std::int64_t seconds = body.IntAt({"details", "retryAfterSeconds"}, 0);
  details.retry_after_seconds =
      static_cast<int>(std::clamp<std::int64_t>(seconds, 0, kMaxRetryAfterSeconds));
  const Json* causes = body.FindPath({"details", "causes"});
  if (causes == nullptr || !causes->is_array()) return details;
  for (const Json& cause : causes->as_array()) {
    if (details.causes.size() == kMaxCauses) break;
    details.causes.push_back({.reason = std::string(cause.StringAt({"reason"})),
                              .message = std::string(cause.StringAt({"message"})),
                              .field = std::string(cause.StringAt({"field"}))});
  }
  return details;
}

}  // namespace

Status StatusOf(const Json& body, int http_code) {
  if (body.StringAt({"kind"}) != "Status" || body.StringAt({"status"}) == "Success") {
    return {ReasonOfCode(http_code),
            "kube-apiserver answered " + std::to_string(http_code) + " without a Status"};
  }
  const std::int64_t code = body.IntAt({"code"}, http_code);
  const std::string_view name = body.StringAt({"reason"});
  const Reason reason = ReasonOfName(name).value_or(ReasonOfCode(code));
  std::string message(body.StringAt({"message"}));
  if (message.empty()) message = "kube-apiserver answered " + std::to_string(code);
  return Status(reason, std::move(message)).WithDetails(DetailsOf(body));
}

}  // namespace asyncops::kube
