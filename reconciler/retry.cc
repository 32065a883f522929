#include "reconciler/retry.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace asyncops::reconciler {
namespace {

constexpr double kDefaultJitter = 0.1;
constexpr double kPollJitter = 0.05;
// A hint is the system's to give, but neither a busy loop nor a poll that never comes.
// `Retry-After: 0` is common where "as soon as you like" is meant: a system that is asked without a
// pause only gets slower.
constexpr Duration kMinHint = std::chrono::seconds(1);
constexpr Duration kMaxHint = std::chrono::hours(1);

Duration Scale(Duration duration, double factor) {
  return Duration(static_cast<Duration::rep>(static_cast<double>(duration.count()) * factor));
}

// duration * factor^exponent, at most `max`; safe from overflow.
Duration Grow(Duration duration, double factor, int exponent, Duration max) {
  const double grown = static_cast<double>(duration.count()) * std::pow(factor, exponent);
  if (!(grown < static_cast<double>(max.count()))) return max;
  return Duration(static_cast<Duration::rep>(grown));
}

const std::vector<RetryTier>& Tiers(const RetryPolicy& policy) {
  return policy.tiers.empty() ? DefaultRetryTiers() : policy.tiers;
}

}  // namespace

const std::vector<RetryTier>& DefaultRetryTiers() {
  static const std::vector<RetryTier> kTiers = {
      {.up_to = 3, .delay = std::chrono::seconds(10), .factor = {}, .max = {}},
      {.up_to = 6, .delay = std::chrono::minutes(1), .factor = {}, .max = {}},
      {.up_to = {}, .delay = std::chrono::minutes(5), .factor = 2, .max = std::chrono::hours(1)},
  };
  return kTiers;
}

int RetryTierOf(const RetryPolicy& policy, int retry) {
  const std::vector<RetryTier>& tiers = Tiers(policy);
  int index = 0;
  for (const RetryTier& tier : tiers) {
    if (!tier.up_to || retry <= *tier.up_to) return index;
    ++index;
  }
  return static_cast<int>(tiers.size()) - 1;
}

Duration RetryDelay(const RetryPolicy& policy, int retry, double fraction) {
  const std::vector<RetryTier>& tiers = Tiers(policy);
  const int index = RetryTierOf(policy, retry);
  const RetryTier& tier = tiers[static_cast<std::size_t>(index)];
  const std::int64_t before =
      index == 0 ? 0 : tiers[static_cast<std::size_t>(index - 1)].up_to.value_or(0);
  // Beyond 62 doublings every maximum is reached.
  const int exponent = static_cast<int>(std::clamp<std::int64_t>(retry - before - 1, 0, 62));
  const Duration max = tier.max.value_or(std::max<Duration>(tier.delay, std::chrono::hours(1)));
  const Duration delay = Grow(tier.delay, tier.factor.value_or(1), exponent, max);
  const double jitter = policy.jitter.value_or(kDefaultJitter);
  return Scale(delay, 1 + jitter * (2 * fraction - 1));
}

Duration WaitAfter(const Failure& failure, Duration usual) {
  return std::max(failure.instead.value_or(usual), failure.delay.value_or(Duration::zero()));
}

Duration PollDelay(const Protocol::Policy& policy, int polls, std::optional<Duration> hint,
                   double fraction, double pressure) {
  if (hint) {
    const Duration wait = std::clamp(*hint, kMinHint, std::max(kMaxHint, policy.poll_max));
    return Scale(wait, 1 + kPollJitter * fraction);
  }
  const Duration wait =
      Grow(policy.poll_initial, policy.poll_factor, std::clamp(polls, 0, 1000), policy.poll_max);
  return Scale(wait, pressure * (1 + kPollJitter * (2 * fraction - 1)));
}

}  // namespace asyncops::reconciler
