#include "reconciler/system_status.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/uri.h"
#include "reconciler/call_turn.h"
#include "reconciler/external_client.h"
#include "reconciler/operation_conditions.h"

namespace asyncops::reconciler {
namespace {

constexpr std::string_view kInvalidSystem = "InvalidSystem";

std::int64_t ShownInFlight(std::int64_t shown, std::int64_t now) {
  const std::int64_t difference = shown > now ? shown - now : now - shown;
  return difference > std::max<std::int64_t>(4, shown / 4) ? now : shown;
}

Condition Make(std::string_view type, bool status, std::string_view reason, std::string message,
               const ExternalSystem& system) {
  return {.type = std::string(type),
          .status = std::string(status ? kConditionTrue : kConditionFalse),
          .observed_generation = system.metadata.generation,
          .last_transition_time = {},
          .reason = std::string(reason),
          .message = std::move(message)};
}

Condition ReadyOf(const ExternalSystem& system, const Status& check) {
  if (!ParseUri(system.spec.endpoint)) {
    return Make(kReadyCondition, false, kInvalidSystem, "spec.endpoint is no http(s) URL", system);
  }
  if (check.ok()) {
    return Make(kReadyCondition, true, kReadyReason,
                "endpoint, credentials and certificates are in order", system);
  }
  const bool missing = check.reason() == Reason::kNotFound;
  return Make(kReadyCondition, false, missing ? kCredentialsMissing : kInvalidSystem,
              check.message(), system);
}

}  // namespace

ExternalSystemStatus ProjectSystemStatus(const ExternalSystem& system, const GateState& gate,
                                         const Status& check, Time now) {
  ExternalSystemStatus status = system.status;
  status.observed_generation = system.metadata.generation;
  status.circuit = CircuitName(gate.circuit);
  status.in_flight = ShownInFlight(system.status.in_flight, gate.in_flight);
  SetCondition(&status.conditions, ReadyOf(system, check), now);
  if (gate.circuit == Circuit::kClosed) {
    RemoveCondition(&status.conditions, kThrottledCondition);
    return status;
  }
  // What is said of an open circuit stays while one call tries whether it can close.
  if (gate.circuit == Circuit::kHalfOpen) return status;
  GateSubject subject;
  subject.system = GateNameOf(system);
  subject.origin = gate.origin;
  SetCondition(&status.conditions,
               Make(kThrottledCondition, true, GateReasonName(gate.reason),
                    ExplainWait(subject, gate.reason, gate.until), system),
               now);
  return status;
}

void ShowInUse(const ExternalSystem& system, const std::string& why, Time now,
               ExternalSystemStatus* status) {
  if (why.empty()) return RemoveCondition(&status->conditions, kDeletionBlockedCondition);
  SetCondition(&status->conditions, Make(kDeletionBlockedCondition, true, kInUse, why, system),
               now);
}

std::vector<EventDraft> SystemEvents(const ExternalSystemStatus& before,
                                     const ExternalSystemStatus& after) {
  std::vector<EventDraft> events;
  const auto changed = [&before, &after](std::string_view type) -> const Condition* {
    const Condition* now = FindCondition(after.conditions, type);
    const Condition* then = FindCondition(before.conditions, type);
    const bool same = now == nullptr || (then != nullptr && then->reason == now->reason);
    return same ? nullptr : now;
  };
  const Condition* ready = changed(kReadyCondition);
  if (ready != nullptr && ready->status != kConditionTrue)
    events.push_back({.warning = true, .reason = ready->reason, .message = ready->message});
  if (const Condition* throttled = changed(kThrottledCondition)) {
    const bool open = throttled->reason == GateReasonName(GateReason::kCircuitOpen);
    events.push_back({.warning = true,
                      .reason = open ? "CircuitOpen" : std::string(kThrottledCondition),
                      .message = throttled->message});
  }
  if (const Condition* held = changed(kDeletionBlockedCondition)) {
    // Most deletions wait for a moment.
    events.push_back({.warning = false, .reason = held->reason, .message = held->message});
  }
  return events;
}

}  // namespace asyncops::reconciler
