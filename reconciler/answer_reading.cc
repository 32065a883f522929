#include "reconciler/answer_reading.h"

#include "base/uri.h"
#include "reconciler/normalise.h"
#include "reconciler/origin_gate.h"

namespace asyncops::reconciler {
namespace {

// As with 401: who declared it may mend it meanwhile, and then it goes on at once.
constexpr std::chrono::minutes kLocalRefusalDelay{5};

}  // namespace

Failure NoAnswer(const ExternalAnswer& answer, ErrorClass error_class) {
  const bool not_sent = answer.outcome == kube::Exchange::Outcome::kNotSent;
  Failure failure;
  failure.error_class = error_class;
  failure.code = ReasonCode(answer.code, not_sent ? "NotSent" : "NoAnswer");
  failure.message = NormaliseMessage(answer.error.empty() ? "no answer came" : answer.error);
  failure.delay = answer.retry_after;
  // Our own gate held it back: that is no failure of this attempt.
  const bool held = answer.code == GateReasonName(GateReason::kCircuitOpen) ||
                    answer.code == GateReasonName(GateReason::kRetryAfter);
  if (not_sent && held) failure.error_class = ErrorClass::kThrottled;
  if (not_sent && IsLocalRefusal(answer.code)) failure.delay = kLocalRefusalDelay;
  return failure;
}

Failure HttpFailure(const ExternalAnswer& answer, const Classification& classed) {
  // A page for people (HTML) says nothing that fits in a condition.
  constexpr std::size_t kShortText = 256;
  Failure failure;
  failure.error_class = classed.error_class;
  failure.delay = classed.delay;
  failure.http_status = answer.status;
  failure.code = "HTTP" + std::to_string(answer.status);
  failure.message = "the system answered HTTP " + std::to_string(answer.status);
  const std::string_view location = answer.headers.StringAt({"location"});
  if (answer.status >= 300 && answer.status < 400 && !location.empty())
    failure.message += ", a redirect to " + std::string(location) + " that is not followed";
  if (answer.body.is_string() && answer.body.as_string().size() <= kShortText &&
      !answer.body.as_string().starts_with('<'))
    failure.message += ": " + answer.body.as_string();
  failure.message = NormaliseMessage(failure.message);
  return failure;
}

Failure Unreadable(const ExternalAnswer& answer, ErrorClass error_class) {
  Failure failure;
  failure.error_class = error_class;
  failure.code = "UnreadableResponse";
  failure.http_status = answer.status;
  failure.message =
      "the system answered HTTP " + std::to_string(answer.status) + " with a body that is no JSON";
  return failure;
}

Failure Untelling(const ExternalAnswer& answer) {
  Failure failure;
  failure.code = "NoStatus";
  failure.http_status = answer.status;
  failure.message = "the system answered HTTP " + std::to_string(answer.status) +
                    " without a word of how the operation is";
  return failure;
}

Failure OperationFailure() {
  Failure failure;
  failure.error_class = ErrorClass::kTerminal;
  failure.code = "OperationFailed";
  failure.message = "the operation failed";
  return failure;
}

std::string WebUrl(const std::string& text) {
  const std::optional<Uri> uri = ParseUri(text);
  return uri ? text : "";
}

}  // namespace asyncops::reconciler
