// Operations before a gate that holds them back, on the real store and protocol.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rfc3339.h"
#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kMonitor = "http://cloud.example/v1/operations/7";

kube::Exchange Accepted() { return Answered(202, "", {{"Location", kMonitor}}); }

class EnginePressureTest : public testing::Test {
 protected:
  // The system "cloud" with these limits, and operations op0, op1, ...
  void Begin(const std::string& limits, int operations) {
    world_.Start();
    std::string cloud = CloudYaml(true);
    const std::string plain = "limits: {requestTimeout: 10s}";
    cloud.replace(cloud.find(plain), plain.size(), "limits: {requestTimeout: 10s" + limits + "}");
    world_.Create(cloud);
    for (int i = 0; i < operations; ++i) {
      std::string yaml = OperationYaml();
      const std::string name = "name: op}";
      yaml.replace(yaml.find(name), name.size(), "name: " + Op(i) + "}");
      world_.Create(yaml);
    }
  }
  static std::string Op(int i) { return "op" + std::to_string(i); }
  std::string State(int i) { return world_.Operation(Op(i)).state; }
  std::string Throttled(int i) {
    return EngineWorld::Show(world_.Operation(Op(i)).conditions, "Throttled");
  }
  std::string Why(int i) {
    const AsyncOperationStatus status = world_.Operation(Op(i));
    const Condition* condition = FindCondition(status.conditions, "Throttled");
    return condition == nullptr ? "" : condition->message;
  }
  std::size_t Sent() { return world_.transport.requests().size(); }

  EngineWorld world_;
};

TEST_F(EnginePressureTest, ACallThatIsRefusedLeavesNoTraceButItsCondition) {
  Begin(", requestsPerSecond: 0.1, burst: 1", 2);
  world_.transport.Handle([](const kube::OutboundRequest&) { return Accepted(); });
  world_.Settle();
  EXPECT_EQ(State(0), "Submitted");
  const AsyncOperationStatus waiting = world_.Operation("op1");
  EXPECT_EQ(waiting.state, "Pending");
  EXPECT_EQ(waiting.attempt, 0);
  EXPECT_EQ(waiting.retry_count, 0);
  EXPECT_TRUE(world_.Row("op1").uid.empty()) << "no intent";
  EXPECT_THAT(world_.History("op1"), IsEmpty());
  EXPECT_EQ(Throttled(1), "True/RateLimited");
  EXPECT_EQ(waiting.next_attempt_time, world_.clock.Now() + seconds(10));
  EXPECT_THAT(Why(1), HasSubstr("is called 0.1 times a second at most"));
  EXPECT_THAT(Why(1), HasSubstr(FormatTime(world_.clock.Now() + seconds(10))));
  EXPECT_THAT(Why(1), HasSubstr("spec.limits.requestsPerSecond"));
  EXPECT_THAT(world_.Events("AsyncOperation", "op1"), ElementsAre("Throttled"));
}

TEST_F(EnginePressureTest, TheConditionGoesWhenTheTurnComes) {
  Begin(", requestsPerSecond: 0.1, burst: 1", 2);
  world_.transport.Handle([](const kube::OutboundRequest&) { return Accepted(); });
  world_.Settle();
  const storage::Revision shown = world_.store->revision();
  world_.Pass(seconds(8));
  EXPECT_EQ(Sent(), 1U) << "polls wait in the same row";
  world_.Pass(seconds(2));
  EXPECT_EQ(State(1), "Submitted");
  EXPECT_EQ(Throttled(1), "");
  EXPECT_GT(world_.store->revision(), shown);
}

TEST_F(EnginePressureTest, AShortWaitIsNotWrittenDown) {
  Begin(", requestsPerSecond: 1, burst: 1", 2);
  world_.transport.Handle(
      [](const kube::OutboundRequest&) { return Answered(200, R"({"id":"v1"})"); });
  world_.Settle();
  EXPECT_EQ(Throttled(1), "");
  EXPECT_THAT(world_.Events("AsyncOperation", "op1"), IsEmpty());
  world_.Pass(seconds(1));
  EXPECT_EQ(Sent(), 2U);
}

TEST_F(EnginePressureTest, RetryAfterHoldsEverybodyAndCostsNobodyARetry) {
  Begin("", 1);
  world_.transport.Script(Accepted());
  world_.Settle();
  world_.transport.Script(Answered(429, "", {{"Retry-After", "300"}}));
  world_.Pass(seconds(2));
  EXPECT_EQ(State(0), "Submitted") << "a failed poll is no failed operation";
  EXPECT_EQ(Throttled(0), "True/RetryAfter");
  EXPECT_EQ(world_.Operation("op0").retry_count, 0);
  std::string yaml = OperationYaml();
  world_.Create(yaml);
  world_.Settle();
  EXPECT_EQ(world_.Operation("op").state, "Pending");
  EXPECT_EQ(EngineWorld::Show(world_.Operation("op").conditions, "Throttled"), "True/RetryAfter");
  world_.transport.Handle([](const kube::OutboundRequest&) { return Accepted(); });
  world_.Pass(minutes(4), seconds(10));
  EXPECT_EQ(Sent(), 2U) << "nobody calls before that";
  world_.Pass(minutes(2), seconds(10));
  EXPECT_EQ(world_.Operation("op").state, "Running");
  EXPECT_EQ(Throttled(0), "");
}

TEST_F(EnginePressureTest, ADeadSystemIsHeldToItsProbes) {
  constexpr int kOperations = 8;
  Begin("", kOperations);
  world_.transport.Handle([](const kube::OutboundRequest&) { return NotSent(); });
  world_.Settle();
  EXPECT_EQ(Sent(), 5U) << "five failures open the circuit";
  EXPECT_EQ(Throttled(kOperations - 1), "True/CircuitOpen");
  world_.Pass(minutes(6), seconds(15));
  EXPECT_GE(Sent(), 9U) << "it is still asked";
  EXPECT_LE(Sent(), 18U) << "about once a minute, for all of them";
  int told = 0;
  for (int i = 0; i < kOperations; ++i) {
    const std::vector<std::string> events = world_.Events("AsyncOperation", Op(i));
    const auto opened = std::count(events.begin(), events.end(), "CircuitOpen");
    EXPECT_LE(opened, 1) << "once for the whole outage";
    told += static_cast<int>(opened);
  }
  EXPECT_GE(told, kOperations - 5);
  world_.transport.Handle(
      [](const kube::OutboundRequest&) { return Answered(200, R"({"id":"v1"})"); });
  world_.Pass(minutes(6), seconds(15));
  int succeeded = 0;
  for (int i = 0; i < kOperations; ++i) {
    succeeded += State(i) == "Succeeded" ? 1 : 0;
    EXPECT_EQ(Throttled(i), "") << i;
  }
  EXPECT_GE(succeeded, kOperations - 1) << "when it is well the row moves on";
}

TEST_F(EnginePressureTest, ServerErrorsForEverAreHeldToTheTiers) {
  Begin("", 6);
  world_.transport.Handle([](const kube::OutboundRequest&) { return Answered(500); });
  world_.Pass(minutes(6), seconds(15));
  EXPECT_LE(Sent(), 30U);
}

TEST_F(EnginePressureTest, ARetryOnRequestIsTheProbe) {
  Begin("", 6);
  world_.transport.Handle([](const kube::OutboundRequest&) { return NotSent(); });
  world_.Settle();
  EXPECT_EQ(Throttled(5), "True/CircuitOpen");
  const std::size_t before = Sent();
  world_.transport.Handle([](const kube::OutboundRequest&) { return Accepted(); });
  world_.Annotate("asyncoperations", "op0", "asyncops.dev/retry-requested-at", "now");
  world_.Settle();
  EXPECT_GT(Sent(), before);
  EXPECT_EQ(State(0), "Submitted");
}

TEST_F(EnginePressureTest, AChangeOfTheSystemIsTriedAtOnce) {
  Begin("", 6);
  world_.transport.Handle([](const kube::OutboundRequest&) { return NotSent(); });
  world_.Settle();
  world_.transport.Handle([](const kube::OutboundRequest&) { return Accepted(); });
  world_.Edit("externalsystems", "cloud", [](Json* object) {
    object->ObjectAt("spec").Set("endpoint", "http://cloud.example/v2");
  });
  world_.Nudge();
  for (int i = 0; i < 6; ++i) EXPECT_EQ(State(i), "Submitted") << i;
}

TEST_F(EnginePressureTest, WhoIsToldOfAChangeAndMustWaitIsNotForgotten) {
  Begin(", requestsPerSecond: 1, burst: 5", 5);
  world_.transport.Handle([](const kube::OutboundRequest&) { return NotSent(); });
  world_.Settle();
  world_.transport.Handle([](const kube::OutboundRequest&) { return Accepted(); });
  world_.Edit("externalsystems", "cloud",
              [](Json* object) { object->ObjectAt("spec")["limits"].Set("burst", 1); });
  world_.Nudge();
  world_.Pass(seconds(6));
  for (int i = 0; i < 5; ++i) EXPECT_NE(State(i), "Backoff") << i << ": its retry was due at 10 s";
}

TEST_F(EnginePressureTest, RefusedCredentialsAreTriedAgainWhenSomethingChanges) {
  Begin("", 1);
  world_.transport.Script(Answered(401));
  world_.Settle();
  EXPECT_EQ(State(0), "Backoff");
  EXPECT_EQ(world_.Operation("op0").retry_count, 1);
  world_.transport.Script(Answered(401));
  world_.Nudge();
  EXPECT_EQ(Sent(), 2U);
  EXPECT_EQ(world_.Operation("op0").retry_count, 1) << "counted from 0";
}

TEST_F(EnginePressureTest, ARestartAsksAnew) {
  Begin(", requestsPerSecond: 0.01, burst: 1", 2);
  world_.transport.Handle([](const kube::OutboundRequest&) { return Accepted(); });
  world_.Settle();
  EXPECT_EQ(Throttled(1), "True/RateLimited");
  world_.Crash();
  world_.Start();
  world_.Settle();
  EXPECT_EQ(Sent(), 2U);
}

TEST_F(EnginePressureTest, PollsOfASlowSystemAreStretchedAndHintsAreNot) {
  Begin("", 1);
  world_.transport.Handle([this](const kube::OutboundRequest&) {
    world_.clock.Advance(seconds(4));
    return Accepted();
  });
  world_.Settle();
  // 2^(0.5 * 4 s) = 4 times the first second.
  world_.Pass(seconds(3));
  EXPECT_EQ(Sent(), 1U);
  world_.Pass(seconds(2));
  EXPECT_EQ(Sent(), 2U);
}

}  // namespace
}  // namespace asyncops::reconciler
