#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rfc3339.h"
#include "tests/unit/controllers/world.h"

namespace asyncops::controllers {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::ElementsAre;
using testing::IsEmpty;

struct EventExpiryTest : testing::Test {
  // An Event of now.
  void Happen(std::string_view name) {
    Json event = Make("events", name);
    event.ObjectAt("metadata").Set("creationTimestamp", FormatTime(world.clock().Now()));
    world.PutObject("events", event);
  }
  World world;
};

TEST_F(EventExpiryTest, GoesAfterItsHour) {
  Happen("first");
  world.clock().Advance(minutes(30));
  Happen("second");
  world.Run();
  world.clock().Advance(minutes(30));
  world.Run();
  EXPECT_THAT(world.Names("events"), ElementsAre("first", "second")) << "not before its time";
  world.clock().Advance(minutes(2));
  world.Run();
  EXPECT_THAT(world.Names("events"), ElementsAre("second"));
  world.clock().Advance(minutes(30));
  world.Run();
  EXPECT_THAT(world.Names("events"), IsEmpty());
}

TEST_F(EventExpiryTest, WhatExpiredWhileNoServerRanGoesAtTheStart) {
  Happen("old");
  world.clock().Advance(hours(48));
  Happen("new");
  world.Restart();
  world.Run();
  EXPECT_THAT(world.Names("events"), ElementsAre("new"));
}

TEST_F(EventExpiryTest, AGapThatIsTooLongToWalkIsLookedThrough) {
  Happen("old");
  world.Run();
  world.clock().Advance(hours(24 * 400));
  Happen("new");
  world.Run();
  EXPECT_THAT(world.Names("events"), ElementsAre("new"));
  world.clock().Advance(minutes(62));
  world.Run();
  EXPECT_THAT(world.Names("events"), IsEmpty());
}

TEST_F(EventExpiryTest, MoreThanABatchGoes) {
  for (int i = 0; i < 120; ++i) Happen("e" + std::to_string(i));
  world.Run();
  world.clock().Advance(minutes(62));
  Happen("new");
  world.Step(1);
  EXPECT_GT(world.Names("events").size(), 60U) << "a step is a small batch";
  world.Run();
  EXPECT_THAT(world.Names("events"), ElementsAre("new"));
}

TEST_F(EventExpiryTest, ATimeOfItsOwn) {
  world.Restart({.event_ttl = minutes(5)});
  Happen("short");
  world.Run();
  world.clock().Advance(minutes(7));
  world.Run();
  EXPECT_THAT(world.Names("events"), IsEmpty());
}

TEST_F(EventExpiryTest, ZeroKeepsThemForEver) {
  world.Restart({.event_ttl = Duration::zero()});
  Happen("kept");
  world.clock().Advance(hours(24 * 365));
  world.Run();
  EXPECT_THAT(world.Names("events"), ElementsAre("kept"));
}

TEST_F(EventExpiryTest, NothingElseGoes) {
  Json secret = Make("secrets", "old");
  secret.ObjectAt("metadata").Set("creationTimestamp", "2020-01-01T00:00:00Z");
  world.PutObject("secrets", secret);
  world.PutObject("events", Make("events", "without-a-time"));
  world.clock().Advance(hours(48));
  world.Run();
  EXPECT_TRUE(world.Has("old"));
  EXPECT_THAT(world.Names("events"), ElementsAre("without-a-time"));
}

TEST_F(EventExpiryTest, AClockThatGoesBackDeletesNothing) {
  Happen("e");
  world.Run();
  world.clock().SetNow(world.clock().Now() - hours(24));
  world.Run();
  EXPECT_THAT(world.Names("events"), ElementsAre("e"));
}

}  // namespace
}  // namespace asyncops::controllers
