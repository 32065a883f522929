#include "callbacks/source_limiter.h"

#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"

namespace asyncops::callbacks {
namespace {

class SourceLimiterTest : public testing::Test {
 protected:
  void Refuse(const std::string& address, int times) {
    for (int i = 0; i < times; ++i) limiter_.CountRefusal(address, clock_.SteadyNow());
  }
  std::optional<Duration> Blocked(const std::string& address) {
    return limiter_.Blocked(address, clock_.SteadyNow());
  }

  FakeClock clock_;
  SourceLimiter limiter_;
};

TEST_F(SourceLimiterTest, AddressIsBlockedAfterItsRefusalsAndFreeAgainInTime) {
  Refuse("10.0.0.1:5000", SourceLimiter::kBurst - 1);
  EXPECT_FALSE(Blocked("10.0.0.1:5000"));
  Refuse("10.0.0.1:5001", 1);
  const auto wait = Blocked("10.0.0.1:6000");
  ASSERT_TRUE(wait) << "whatever its port";
  EXPECT_LE(*wait, Duration(SourceLimiter::kForgiven));
  clock_.Advance(*wait);
  EXPECT_FALSE(Blocked("10.0.0.1:6000"));
  Refuse("10.0.0.1:5000", 1);
  EXPECT_TRUE(Blocked("10.0.0.1:5000")) << "one was forgiven, not all";
}

TEST_F(SourceLimiterTest, OthersAreNotConcerned) {
  Refuse("10.0.0.1:5000", 100);
  EXPECT_FALSE(Blocked("10.0.0.2:5000"));
  EXPECT_FALSE(Blocked("[2001:db8::1]:5000"));
}

TEST_F(SourceLimiterTest, RefusalsDoNotAddUpForEver) {
  Refuse("10.0.0.1:5000", 100'000);
  ASSERT_TRUE(Blocked("10.0.0.1:5000"));
  clock_.Advance(SourceLimiter::kForgiven * 2);
  EXPECT_FALSE(Blocked("10.0.0.1:5000"));
}

TEST_F(SourceLimiterTest, NeighboursOfOneIpv6NetworkAreOneSource) {
  Refuse("[2001:db8:1:2:3:4:5:6]:5000", SourceLimiter::kBurst);
  EXPECT_TRUE(Blocked("[2001:db8:1:2:9:9:9:9]:5001"));
  EXPECT_FALSE(Blocked("[2001:db8:1:3:9:9:9:9]:5001"));
}

TEST_F(SourceLimiterTest, MoreAddressesThanAreRememberedShareABucket) {
  for (std::size_t i = 0; i < SourceLimiter::kMaxSources + SourceLimiter::kBurst; ++i)
    Refuse("10." + std::to_string(i / 65536) + "." + std::to_string(i / 256 % 256) + "." +
               std::to_string(i % 256) + ":1",
           1);
  EXPECT_TRUE(Blocked("192.0.2.1:1"));
  EXPECT_FALSE(Blocked("10.0.0.1:1")) << "those that are remembered have their own";
  clock_.Advance(std::chrono::minutes(1));
  EXPECT_FALSE(Blocked("192.0.2.1:1"));
  Refuse("192.0.2.1:1", SourceLimiter::kBurst);
  EXPECT_TRUE(Blocked("192.0.2.1:1"));
  EXPECT_FALSE(Blocked("192.0.2.2:1")) << "the forgiven made room";
}

}  // namespace
}  // namespace asyncops::callbacks
