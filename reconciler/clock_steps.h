// The step that moves an operation's stored times along with a wall clock that jumped. A pure
// function.
#ifndef ASYNCOPS_RECONCILER_CLOCK_STEPS_H_
#define ASYNCOPS_RECONCILER_CLOCK_STEPS_H_

#include <optional>

#include "reconciler/poll_steps.h"
#include "reconciler/transition.h"

namespace asyncops::reconciler {

// Nothing where the times are right. `jump` is how far the clock has jumped since they were
// written, as far as this process has seen; a clock that went back while none ran shows in times
// that are still to come. What waits longer than anything waits is pulled in. Moves the track, too.
//
// The time of the key (intent_at) is not moved ahead, because a machine that stood still sees its
// clock jump just so, and the system may have forgotten the key meanwhile. Then the key does not
// hold, which is safe.
std::optional<Transition> ClockStep(const StepContext& context, const OperationState& before,
                                    Duration jump, PollTrack* track);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_CLOCK_STEPS_H_
