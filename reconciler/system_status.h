// status of an ExternalSystem, made from its spec and what the gate knows. Pure.
#ifndef ASYNCOPS_RECONCILER_SYSTEM_STATUS_H_
#define ASYNCOPS_RECONCILER_SYSTEM_STATUS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/asyncops/v1alpha1/external_system.h"
#include "base/status.h"
#include "reconciler/origin_gate.h"
#include "reconciler/transition.h"

namespace asyncops::reconciler {

inline constexpr std::string_view kReadyReason = "Configured";
inline constexpr std::string_view kInUse = "InUse";

// `check` is what ReadCredentials says of it. Of the present status the transition times are used,
// and its inFlight, which follows the number only where that differs by more than a quarter and 4.
ExternalSystemStatus ProjectSystemStatus(const ExternalSystem& system, const GateState& gate,
                                         const Status& check, Time now);

// Says of a system under deletion what it waits for; "" where nothing holds it.
void ShowInUse(const ExternalSystem& system, const std::string& why, Time now,
               ExternalSystemStatus* status);

// What is new between the two and worth an Event: CredentialsMissing or InvalidSystem, CircuitOpen,
// Throttled, InUse.
std::vector<EventDraft> SystemEvents(const ExternalSystemStatus& before,
                                     const ExternalSystemStatus& after);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_SYSTEM_STATUS_H_
