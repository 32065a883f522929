// The steps of an operation that runs outside: polls, result, cancel. Pure functions of state and
// answer.
#ifndef ASYNCOPS_RECONCILER_POLL_STEPS_H_
#define ASYNCOPS_RECONCILER_POLL_STEPS_H_

#include <optional>
#include <string>

#include "reconciler/external_client.h"
#include "reconciler/protocol.h"
#include "reconciler/rarely.h"
#include "reconciler/transition.h"

namespace asyncops::reconciler {

// What is remembered of polls between two writes. In memory only: an unchanged poll writes nothing,
// and after a restart an operation is simply polled.
struct PollTrack {
  struct Failing {
    int failures = 0;  // in a row, unreadable
    Time first_failure{};
    int not_found = 0;
    Time first_not_found{};

    bool operator==(const Failing&) const = default;
  };

  Time due = Time::min();  // of the next poll; Time::min(): now
  Rarely<Failing> failing;
  int polls = 0;  // since something was new

  // Nothing: now.
  std::optional<Time> next() const {
    return due == Time::min() ? std::nullopt : std::optional<Time>(due);
  }
  bool operator==(const PollTrack&) const = default;
};

// What a poll told. Nothing where there is nothing new to write. `outputs` are those of a verdict
// of kSucceeded without a fetch. Moves the track on.
std::optional<Transition> PollStep(const StepContext& context, const OperationState& before,
                                   const RenderedRequest& request, const ExternalAnswer& answer,
                                   const PollVerdict& verdict, const Json& outputs,
                                   PollTrack* track);

// Whether the answer is the result that was to be read (2xx).
bool IsResult(const ExternalAnswer& answer);

// Whether it will not get better by asking again, such as a 404.
bool IsRefused(const ExternalAnswer& answer);

// What reading the result gave; `outputs` where IsResult.
Transition FetchStep(const StepContext& context, const OperationState& before,
                     const ExternalAnswer& answer, const Json& outputs);

// `done` would end it as Succeeded, but its outputs could not be written into Secrets: it stays
// Fetching, and the answer is asked for again by `fetch`; without one its outputs are in memory, or
// the submit may be repeated for them. An Event tells why, where `before` does not say so already.
Transition PostponeStep(const StepContext& context, const OperationState& before, Transition done,
                        std::optional<RenderedRequest> fetch, const std::string& why);

// The outputs that could not be written are in their Secrets, or `lost` with a restart: it is
// Succeeded.
Transition SecretsKeptStep(const StepContext& context, const OperationState& before, bool lost);

Transition BeginCancelStep(const StepContext& context, const OperationState& before,
                           const std::string& reason);

// What the system said to the cancel by this request.
Transition CancelStep(const StepContext& context, const OperationState& before,
                      const RenderedRequest& request, const ExternalAnswer& answer,
                      const Status& taken, PollTrack* track);

// Ends it without a call.
Transition FinishStep(const StepContext& context, const OperationState& before,
                      const action::Finish& finish);

// A retry was asked for: what waits is due.
Transition WakeStep(const StepContext& context, const OperationState& before, PollTrack* track);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_POLL_STEPS_H_
