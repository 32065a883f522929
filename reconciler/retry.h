// When to try again: retry tiers and poll pacing. Pure arithmetic.
#ifndef ASYNCOPS_RECONCILER_RETRY_H_
#define ASYNCOPS_RECONCILER_RETRY_H_

#include <optional>

#include "api/asyncops/v1alpha1/steps.h"
#include "base/clock.h"
#include "reconciler/protocol.h"

namespace asyncops::reconciler {

// What is used where a policy says nothing: 1-3 after 10 s, 4-6 after 1 min, then 5 min doubling to
// 1 h.
const std::vector<RetryTier>& DefaultRetryTiers();

// Which tier the retry with this number (from 1) falls into, from 0.
int RetryTierOf(const RetryPolicy& policy, int retry);

// The wait before the retry with this number (from 1). `fraction` in [0, 1) spreads it by the
// policy's jitter around the tier's delay; 0.5 is the middle.
Duration RetryDelay(const RetryPolicy& policy, int retry, double fraction);

// The wait after a failure, where its class has one of `usual`: an error rule's replaces that; what
// the system asked for is waited in any case.
Duration WaitAfter(const Failure& failure, Duration usual);

// The wait before the next poll after `polls` polls that saw nothing new. The system's hint wins
// over our own pace, which `pressure` (OriginGate::Pressure) stretches. `fraction` spreads polls by
// 5 %: later only after a hint, around ours else.
Duration PollDelay(const Protocol::Policy& policy, int polls, std::optional<Duration> hint,
                   double fraction, double pressure = 1);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_RETRY_H_
