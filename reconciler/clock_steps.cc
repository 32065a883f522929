#include "reconciler/clock_steps.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/rfc3339.h"
#include "reconciler/clock_watch.h"
#include "reconciler/retry_after.h"

namespace asyncops::reconciler {
namespace {

using Instants = std::vector<std::optional<Time>*>;

// When something was done or seen: none of these is in the future.
Instants PastOf(OperationState* state) {
  return {&state->row.sent_at, &state->row.submitted_at, &state->row.last_poll_at,
          &state->memo.start_time, &state->memo.cancel_sent_at};
}

Time NewestPast(OperationState state) {
  Time newest = state.row.intent_at;
  for (const std::optional<Time>* past : PastOf(&state)) {
    if (*past) newest = std::max(newest, **past);
  }
  return newest;
}

void Move(Duration by, OperationState* state) {
  if (by < Duration::zero()) state->row.intent_at += by;
  Instants moved = PastOf(state);
  moved.push_back(&state->row.next_attempt_at);
  moved.push_back(&state->memo.throttled_until);
  moved.push_back(&state->memo.resend_at);
  for (std::optional<Time>* instant : moved) {
    if (*instant) **instant += by;
  }
}

void Move(Duration by, PollTrack* track) {
  if (track->due != Time::min()) track->due += by;
  if (!track->failing.is_made()) return;
  track->failing.Make().first_failure += by;
  track->failing.Make().first_not_found += by;
}

// The longest wait that anything of ours decides.
Duration LongestWait(const StepContext& context) {
  Duration longest = std::max<Duration>(kMaxRetryAfter, std::chrono::hours(1));
  for (const RetryTier& tier : context.policy.retry.tiers)
    longest = std::max({longest, tier.delay, tier.max.value_or(Duration::zero())});
  longest = std::max(longest, context.policy.lookup_settle);
  // Jitter, and declared delays of error rules.
  return 2 * longest;
}

std::string Words(Duration jump) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(jump).count();
  return seconds < 0 ? "back by " + std::to_string(-seconds) + " s"
                     : "ahead by " + std::to_string(seconds) + " s";
}

bool Counts(Duration jump) { return jump >= kClockJump || jump <= -kClockJump; }

}  // namespace

std::optional<Transition> ClockStep(const StepContext& context, const OperationState& before,
                                    Duration jump, PollTrack* track) {
  Transition transition = StartTransition(context, before, "ClockJump");
  OperationState& next = transition.next;
  if (!Counts(jump)) jump = std::min(Duration::zero(), Duration(context.now - NewestPast(before)));
  if (Counts(jump)) {
    Move(jump, &next);
    Move(jump, track);
    transition.attempt->message =
        "the wall clock jumped " + Words(jump) + ": stored times were moved along";
  }
  std::optional<Time>& due = next.row.next_attempt_at;
  const Time latest = context.now + LongestWait(context);
  if (due && *due > latest) {
    due = latest;
    if (transition.attempt->message.empty())
      transition.attempt->message = "the next attempt was further away than any wait is";
  }
  if (transition.attempt->message.empty()) return std::nullopt;
  return Seal(context, std::move(transition));
}

}  // namespace asyncops::reconciler
