#include "reconciler/gated_send.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "base/rfc3339.h"
#include "reconciler/retry_after.h"

namespace asyncops::reconciler {
namespace {

kube::Exchange Refused(const Admission& admission, const std::string& origin, Time now) {
  kube::Exchange exchange;
  exchange.outcome = kube::Exchange::Outcome::kNotSent;
  exchange.code = GateReasonName(admission.reason);
  exchange.error = origin + " is not called before " + FormatTime(admission.until);
  const auto wait = std::chrono::ceil<std::chrono::seconds>(admission.until - now).count();
  exchange.response.headers.emplace_back("Retry-After",
                                         std::to_string(std::max<std::int64_t>(wait, 1)));
  return exchange;
}

}  // namespace

kube::Exchange GatedSender::Send(const kube::OutboundRequest& request) {
  Permit permit = std::move(leave_);
  if (permit.held() && permit.origin() != request.uri.Origin()) {
    leave_ = std::move(permit);
    permit = Permit();
  }
  if (!permit.held()) {
    Admission admission = parts_.gate.AdmitAtOnce(SubjectOf(parts_.system, request.uri));
    if (!admission.permit.held())
      return Refused(admission, request.uri.Origin(), parts_.clock.Now());
    permit = std::move(admission.permit);
  }
  kube::Exchange exchange = parts_.transport.Send(request);
  permit.Finish(
      JudgeCall(exchange, ParseRetryAfter(exchange.response.headers, parts_.clock.Now())));
  return exchange;
}

}  // namespace asyncops::reconciler
