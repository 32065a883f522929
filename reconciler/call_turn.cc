#include "reconciler/call_turn.h"

#include <chrono>
#include <utility>

#include "base/metric_text.h"
#include "base/rfc3339.h"
#include "reconciler/operation_conditions.h"

namespace asyncops::reconciler {
namespace {

// A shorter wait is over before anybody could read of it.
constexpr Duration kWorthTelling = std::chrono::seconds(2);
// A status that gives the right reason is not written again for so small a change of the time.
constexpr Duration kWorthRewriting = std::chrono::seconds(15);

bool IsOutage(GateReason reason) {
  return reason == GateReason::kCircuitOpen || reason == GateReason::kRetryAfter;
}

std::string NameOf(const GateSubject& subject) {
  return "ExternalSystem " + subject.system.substr(subject.system.find('/') + 1);
}

}  // namespace

std::string ExplainWait(const GateSubject& subject, GateReason reason, Time until) {
  const std::string at = FormatTime(until);
  const std::string now = "; a change of " + NameOf(subject) +
                          ", or annotation asyncops.dev/retry-requested-at, tries it at once";
  switch (reason) {
    case GateReason::kRateLimited:
      return NameOf(subject) + " is called " + MetricNumber(subject.requests_per_second) +
             " times a second at most, and others are before this operation; its call goes out "
             "at " +
             at + ". To change that: spec.limits.requestsPerSecond and burst";
    case GateReason::kTooManyInFlight:
      return std::to_string(subject.max_in_flight) + " calls of " + NameOf(subject) +
             " are under way; it is tried again at " + at +
             ". To change that: spec.limits.maxInFlight";
    case GateReason::kWorkersBusy:
      return "calls of " + NameOf(subject) +
             " are slow and hold their share of the workers; it is tried again at " + at +
             ". To end slow calls sooner: spec.limits.requestTimeout";
    case GateReason::kRetryAfter: return subject.origin + " asked for no calls before " + at + now;
    case GateReason::kCircuitOpen:
      return subject.origin + " failed several times in a row and is not called before " + at +
             ", when one call tries whether it is well again" + now;
    case GateReason::kNone: break;
  }
  return "";
}

Turn AskForTurn(ExternalClient& external, const ExternalSystem& system, const std::string& url,
                const AsyncOperationStatus& shown, Time now, TurnMemory* memory) {
  const GateTicket before = memory->ticket;
  Admission admission = external.Admit(system, url, &memory->ticket);
  Turn turn;
  if (admission.reason == GateReason::kNone) {
    turn.leave = std::move(admission.permit);
    return turn;
  }
  if (memory->ticket.at != before.at || memory->ticket.round != before.round)
    memory->until = admission.until;
  turn.again = memory->until;
  const Duration wait = memory->until - now;
  const std::string reason(GateReasonName(admission.reason));
  const Condition* throttled = FindCondition(shown.conditions, kThrottledCondition);
  const bool same = throttled != nullptr && throttled->reason == reason;
  if (wait < (same ? kWorthRewriting : kWorthTelling)) return turn;
  const std::optional<Uri> uri = ParseUri(url);
  const GateSubject subject = SubjectOf(system, *uri);
  turn.show = Blocked{.reason = reason,
                      .message = ExplainWait(subject, admission.reason, memory->until),
                      .throttled_until = memory->until};
  const bool outage = IsOutage(admission.reason);
  if (outage ? memory->told_of == admission.opening : memory->told_of_limits) return turn;
  if (outage) {
    memory->told_of = admission.opening;
  } else {
    memory->told_of_limits = true;
  }
  const bool open = admission.reason == GateReason::kCircuitOpen;
  turn.event = EventDraft{
      .warning = true, .reason = open ? "CircuitOpen" : "Throttled", .message = turn.show->message};
  return turn;
}

}  // namespace asyncops::reconciler
