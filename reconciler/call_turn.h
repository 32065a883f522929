// An operation's turn to call an external system, and what it shows while it waits for it.
#ifndef ASYNCOPS_RECONCILER_CALL_TURN_H_
#define ASYNCOPS_RECONCILER_CALL_TURN_H_

#include <cstdint>
#include <optional>
#include <string>

#include "api/operations/v1alpha1/async_operation.h"
#include "reconciler/decide.h"
#include "reconciler/external_client.h"
#include "reconciler/origin_gate.h"
#include "reconciler/transition.h"

namespace asyncops::reconciler {

// What is remembered of an operation that waits; in memory only. A restarted process asks anew.
struct TurnMemory {
  GateTicket ticket;
  Time until{};                 // the ticket's time as it was shown: it does not move by itself
  std::uint64_t told_of = 0;    // the outage that an Event told of
  bool told_of_limits = false;  // an Event told that it waits for a limit; it may do so often
  Time again{};                 // all that was told is known, and nothing is to be done until then

  bool operator==(const TurnMemory&) const = default;
};

struct Turn {
  Permit leave;               // for the call, which may be made now
  std::optional<Time> again;  // it may not: when to ask again
  // What status is to say meanwhile, with this Event; nothing where the wait is not worth a write.
  std::optional<Blocked> show;
  std::optional<EventDraft> event;
};

// Asks for leave to call this URL. `shown` is the operation's present status.
Turn AskForTurn(ExternalClient& external, const ExternalSystem& system, const std::string& url,
                const AsyncOperationStatus& shown, Time now, TurnMemory* memory);

// Why, until when, and how to change it, for people.
std::string ExplainWait(const GateSubject& subject, GateReason reason, Time until);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_CALL_TURN_H_
