// A wall clock that jumps, while the process runs and while it does not.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/clock_watch.h"
#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kMonitor = "http://cloud.example/v1/operations/7";

kube::Exchange Accepted() { return Answered(202, "", {{"Location", kMonitor}}); }

class EngineClockTest : public testing::Test {
 protected:
  void Begin(bool key, std::string_view more = "") {
    world_.Start();
    world_.Create(CloudYaml(key));
    world_.Create(OperationYaml(more));
  }
  void Jump(Duration by) { world_.clock.SetNow(world_.clock.Now() + by); }
  void AnswerAll(const kube::Exchange& answer) {
    world_.transport.Handle([answer](const kube::OutboundRequest& /*request*/) { return answer; });
  }
  std::string State() { return world_.Operation("op").state; }
  std::size_t Calls() { return world_.transport.requests().size(); }
  std::vector<std::string> Actions() {
    std::vector<std::string> actions;
    for (const storage::Attempt& attempt : world_.History("op")) actions.push_back(attempt.action);
    return actions;
  }

  EngineWorld world_;
};

TEST_F(EngineClockTest, ADayAheadExpiresNoDeadline) {
  Begin(true, "  activeDeadline: 1h\n");
  AnswerAll(Accepted());
  world_.Pass(minutes(30), minutes(1));
  Jump(hours(24));
  world_.Pass(minutes(29), minutes(1));
  EXPECT_EQ(State(), "Running");
  EXPECT_THAT(Actions(), Contains("ClockJump"));
  world_.Pass(minutes(3), minutes(1));
  EXPECT_EQ(State(), "Failed") << "an hour of true time has passed";
}

TEST_F(EngineClockTest, ADayAheadRetriesNothingEarly) {
  Begin(true);
  world_.transport.Script(NotSent());
  AnswerAll(Accepted());
  world_.Settle();
  ASSERT_EQ(State(), "Backoff");
  Jump(hours(24));
  world_.Pass(seconds(8));
  EXPECT_EQ(Calls(), 1U);
  world_.Pass(seconds(5));
  EXPECT_EQ(Calls(), 2U + 1U) << "sent when it was due, and polled once";
}

TEST_F(EngineClockTest, ADayBackStopsNoPoll) {
  Begin(true);
  AnswerAll(Accepted());
  world_.Pass(seconds(30));
  const std::size_t before = Calls();
  Jump(-hours(24));
  world_.Pass(seconds(60));
  EXPECT_GE(Calls(), before + 5);
  EXPECT_EQ(State(), "Running");
}

TEST_F(EngineClockTest, ADayBackStopsNoRetry) {
  Begin(true);
  world_.transport.Script(NotSent());
  AnswerAll(Accepted());
  world_.Settle();
  Jump(-hours(24));
  world_.Pass(seconds(12));
  EXPECT_EQ(State(), "Running");
}

TEST_F(EngineClockTest, ALookupThatFindsNothingIsNotTrustedEarly) {
  Begin(false,
        "  recovery: {lookup: {path: \"/operations?c=${operation.correlationID}\", "
        "found: size(response.body.items) > 0, id: /items/0/id, settle: 10m}}\n");
  world_.transport.Script(Ambiguous());
  AnswerAll(Answered(200, R"({"items":[]})"));
  world_.Pass(minutes(2), seconds(10));
  ASSERT_EQ(State(), "Recovering");
  Jump(hours(24));
  world_.Pass(minutes(5), seconds(10));
  std::size_t submits = 0;
  for (const kube::OutboundRequest& request : world_.transport.requests())
    submits += request.method == "POST" ? 1U : 0U;
  EXPECT_EQ(submits, 1U) << "the submit may still be under way";
}

TEST_F(EngineClockTest, AKeyIsNotTrustedAcrossAJumpAhead) {
  // A machine that stood still for a day sees its clock jump just so, and the system has forgotten
  // the key: what is in doubt then stops where a person can see it.
  Begin(true);
  AnswerAll(Answered(500));
  world_.Settle();
  ASSERT_EQ(State(), "Recovering");
  Jump(hours(48));
  world_.Pass(minutes(1));
  EXPECT_EQ(State(), "OutcomeUnknown");
  EXPECT_EQ(Calls(), 1U);
}

TEST_F(EngineClockTest, AKeyHoldsNoLongerThanTrueTimeWhereTheClockWentBack) {
  Begin(true, "  activeDeadline: 90h\n");
  AnswerAll(Answered(500));
  world_.Pass(hours(20), minutes(10));
  ASSERT_EQ(State(), "Recovering");
  Jump(-hours(19));
  world_.Pass(hours(5), minutes(10));
  EXPECT_EQ(State(), "OutcomeUnknown") << "25 hours, though the clock says 6";
}

TEST_F(EngineClockTest, ATimeToLiveIsTrueTime) {
  Begin(true, "  ttlAfterFinished: 1h\n");
  AnswerAll(Answered(200, R"({"id":"v1"})"));
  world_.Pass(seconds(10));
  ASSERT_EQ(State(), "Succeeded");
  Jump(hours(24));
  world_.Annotate("asyncoperations", "op", "note", "brings it up");
  world_.Pass(minutes(50), minutes(1));
  EXPECT_TRUE(world_.Exists("asyncoperations", "op"));
  world_.Pass(minutes(12), minutes(1));
  EXPECT_FALSE(world_.Exists("asyncoperations", "op"));
}

TEST_F(EngineClockTest, ATimeToLiveGoesOnAfterARestart) {
  Begin(true, "  ttlAfterFinished: 1h\n");
  AnswerAll(Answered(200, R"({"id":"v1"})"));
  world_.Pass(seconds(10));
  world_.Crash();
  world_.clock.Advance(minutes(30));
  world_.Start();
  world_.Pass(minutes(25), minutes(1));
  EXPECT_TRUE(world_.Exists("asyncoperations", "op"));
  world_.Pass(minutes(10), minutes(1));
  EXPECT_FALSE(world_.Exists("asyncoperations", "op"));
}

TEST_F(EngineClockTest, ARestartWithAClockThatWentBackWaitsNoLongerThanItWould) {
  Begin(true);
  world_.transport.Script(NotSent());
  AnswerAll(Accepted());
  world_.Settle();
  ASSERT_EQ(State(), "Backoff");
  world_.Crash();
  Jump(-hours(24 * 30));
  world_.Start();
  world_.Pass(seconds(12));
  EXPECT_EQ(State(), "Running");
  const std::vector<storage::Attempt> history = world_.History("op");
  const auto moved = std::find_if(history.begin(), history.end(), [](const auto& attempt) {
    return attempt.action == "ClockJump";
  });
  ASSERT_NE(moved, history.end());
  EXPECT_THAT(moved->message, HasSubstr("back by 2592000 s"));
}

TEST_F(EngineClockTest, WhatIsFurtherAwayThanAnyWaitIsPulledIn) {
  Begin(true, "  activeDeadline: 1000h\n");
  world_.transport.Script(NotSent());
  AnswerAll(Accepted());
  world_.Settle();
  storage::OperationRow row = world_.Row("op");
  row.next_attempt_at = world_.clock.Now() + hours(24 * 365);
  const Status written = storage::WriteAndWait(*world_.store, [&row](storage::Transaction& tx) {
    return tx.operations().Update(row, "Backoff");
  });
  ASSERT_TRUE(written.ok());
  world_.Crash();
  world_.Start();
  world_.Pass(hours(49), minutes(10));
  EXPECT_EQ(State(), "Running");
}

TEST_F(EngineClockTest, AClockThatIsSetRightBitByBitIsNoJump) {
  Begin(true);
  AnswerAll(Accepted());
  world_.Pass(seconds(20));
  const storage::Revision revision = world_.store->revision();
  Jump(seconds(2));
  world_.Pass(minutes(2));
  EXPECT_EQ(world_.store->revision(), revision);
  EXPECT_THAT(Actions(), Not(Contains("ClockJump")));
}

TEST(ClockWatchTest, AddsJumpsUpAndMovesWhatWasWrittenBeforeThem) {
  FakeClock clock;
  ClockWatch watch(clock);
  const Time first = clock.Now();
  clock.Advance(minutes(1));
  clock.SetNow(clock.Now() + hours(10));
  EXPECT_EQ(watch.Look(), hours(10));
  const Time second = clock.Now();
  clock.Advance(minutes(1));
  clock.SetNow(clock.Now() + hours(1));
  EXPECT_EQ(watch.Look(), hours(11));
  EXPECT_EQ(watch.Look(), hours(11)) << "a jump counts once";
  EXPECT_EQ(watch.Moved(first), first + hours(11));
  EXPECT_EQ(watch.Moved(second), second + hours(1));
  EXPECT_EQ(watch.Moved(clock.Now()), clock.Now());
  clock.SetNow(clock.Now() - hours(5));
  EXPECT_EQ(watch.Look(), hours(6));
}

TEST(ClockWatchTest, SmallDifferencesCountOnceTheyAddUp) {
  FakeClock clock;
  ClockWatch watch(clock);
  clock.SetNow(clock.Now() + seconds(3));
  EXPECT_EQ(watch.Look(), Duration::zero());
  clock.SetNow(clock.Now() + seconds(3));
  EXPECT_EQ(watch.Look(), seconds(6));
}

}  // namespace
}  // namespace asyncops::reconciler
