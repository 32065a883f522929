#include <gtest/gtest.h>

#include "base/duration.h"
#include "reconciler/retry.h"

namespace asyncops::reconciler {
namespace {

TEST(RetryTest, DefaultTiersAreThoseOfTheDesign) {
  struct Row {
    int retry;
    const char* delay;
    int tier;
    const char* reason;
  };
  const Row kRows[] = {
      {1, "10s", 0, "the first tier begins at once"},
      {3, "10s", 0, "three retries after 10 s"},
      {4, "1m0s", 1, "then a minute"},
      {6, "1m0s", 1, "three times"},
      {7, "5m0s", 2, "then five minutes"},
      {8, "10m0s", 2, "doubling"},
      {10, "40m0s", 2, "and doubling"},
      {11, "1h0m0s", 2, "up to an hour"},
      {100000, "1h0m0s", 2, "and no number is too large"},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(FormatDuration(RetryDelay(RetryPolicy(), row.retry, 0.5)), row.delay) << row.reason;
    EXPECT_EQ(RetryTierOf(RetryPolicy(), row.retry), row.tier) << row.reason;
  }
}

TEST(RetryTest, JitterSpreadsByATenthEachWay) {
  EXPECT_EQ(FormatDuration(RetryDelay(RetryPolicy(), 1, 0)), "9s");
  EXPECT_LE(RetryDelay(RetryPolicy(), 1, 0.999), std::chrono::seconds(11));
  RetryPolicy none;
  none.jitter = 0;
  EXPECT_EQ(RetryDelay(none, 1, 0.999), std::chrono::seconds(10));
}

TEST(RetryTest, DeclaredTiersReplaceTheDefaults) {
  RetryPolicy policy;
  policy.tiers = {{.up_to = 1, .delay = std::chrono::seconds(1), .factor = {}, .max = {}},
                  {.up_to = {},
                   .delay = std::chrono::seconds(2),
                   .factor = 3,
                   .max = std::chrono::seconds(20)}};
  EXPECT_EQ(RetryDelay(policy, 1, 0.5), std::chrono::seconds(1));
  EXPECT_EQ(RetryDelay(policy, 2, 0.5), std::chrono::seconds(2));
  EXPECT_EQ(RetryDelay(policy, 3, 0.5), std::chrono::seconds(6));
  EXPECT_EQ(RetryDelay(policy, 5, 0.5), std::chrono::seconds(20));
}

Protocol::Policy Pacing() {
  Protocol::Policy policy;
  policy.poll_initial = std::chrono::seconds(2);
  policy.poll_max = std::chrono::seconds(10);
  policy.poll_factor = 2;
  return policy;
}

TEST(RetryTest, PollsSlowDownToTheMaximum) {
  const int kSeconds[] = {2, 4, 8, 10, 10};
  for (int polls = 0; polls < 5; ++polls) {
    EXPECT_EQ(PollDelay(Pacing(), polls, std::nullopt, 0.5), std::chrono::seconds(kSeconds[polls]));
  }
}

TEST(RetryTest, PressureStretchesOurPaceAndNoHint) {
  EXPECT_EQ(PollDelay(Pacing(), 0, std::nullopt, 0.5, 3), std::chrono::seconds(6));
  EXPECT_EQ(PollDelay(Pacing(), 9, std::nullopt, 0.5, 10), std::chrono::seconds(100))
      << "beyond the maximum, too";
  EXPECT_EQ(PollDelay(Pacing(), 0, std::chrono::seconds(30), 0, 10), std::chrono::seconds(30));
}

TEST(RetryTest, AHintOfTheSystemWinsAndIsNeverAnticipated) {
  EXPECT_EQ(PollDelay(Pacing(), 0, std::chrono::seconds(30), 0), std::chrono::seconds(30));
  EXPECT_GE(PollDelay(Pacing(), 0, std::chrono::seconds(30), 0.9), std::chrono::seconds(30));
  EXPECT_EQ(PollDelay(Pacing(), 0, Duration::zero(), 0), std::chrono::seconds(1))
      << "a hint of nothing is no busy loop";
}

}  // namespace
}  // namespace asyncops::reconciler
