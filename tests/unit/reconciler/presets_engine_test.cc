// What presets and their fields come to in the engine, on the real store and protocol.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

kube::Exchange Accepted() {
  return Answered(202, "", {{"Location", "http://cloud.example/v1/operations/7"}});
}
kube::Exchange Done() { return Answered(200, R"({"id":"v1"})"); }

class PresetsEngineTest : public testing::Test {
 protected:
  void Begin(std::string_view more = "", std::string_view preset = "AcceptedLocation",
             bool key = true) {
    world_.Start();
    std::string system = CloudYaml(key);
    const std::string was = "AcceptedLocation";
    system.replace(system.find(was), was.size(), preset);
    world_.Create(system);
    world_.Create(OperationYaml(more));
  }
  std::string State() { return world_.Operation("op").state; }
  std::size_t Requests() { return world_.transport.requests().size(); }

  EngineWorld world_;
};

TEST_F(PresetsEngineTest, ATerminalRefusalIsTriedEachHourWhereTheUserWantsIt) {
  Begin("  retry: {onTerminal: Slow}\n");
  world_.transport.Script(Answered(422, R"({"error":{"code":"BadSize"}})"));
  world_.transport.Script(Accepted());
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Done(); });
  world_.Pass(minutes(50), minutes(1));
  EXPECT_EQ(State(), "Backoff");
  EXPECT_EQ(Requests(), 1U);
  world_.Pass(minutes(30), minutes(1));
  EXPECT_EQ(State(), "Succeeded");
  const auto requests = world_.transport.requests();
  EXPECT_NE(HeaderOf(requests[0], "Idempotency-Key"), HeaderOf(requests[1], "Idempotency-Key"))
      << "a refusal is definite: the next submission has a key of its own";
}

TEST_F(PresetsEngineTest, ARuleMakesARefusalRecoverableAfterItsDelay) {
  Begin("  errorRules: [{when: error.code == 'Full', class: Recoverable, delay: 5m}]\n");
  world_.transport.Script(Answered(422, R"({"error":{"code":"Full"}})"));
  world_.transport.Script(Accepted());
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Done(); });
  world_.Pass(minutes(4));
  EXPECT_EQ(Requests(), 1U);
  world_.Pass(minutes(2));
  EXPECT_EQ(State(), "Succeeded");
}

TEST_F(PresetsEngineTest, TheDelayOfARuleStandsInPlaceOfTheTiers) {
  Begin(
      "  retry: {tiers: [{delay: 1h}]}\n"
      "  errorRules: [{when: error.code == 'Full', class: Recoverable, delay: 1m}]\n");
  world_.transport.Script(Answered(403, R"({"error":{"code":"Full"}})"));
  world_.transport.Script(Answered(503, R"({"error":{"code":"Full"}})", {{"Retry-After", "180"}}));
  world_.transport.Script(Accepted());
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Done(); });
  world_.Pass(seconds(90));
  EXPECT_EQ(Requests(), 2U) << "not an hour, and not the five minutes of a 403";
  world_.Pass(minutes(2));
  EXPECT_EQ(Requests(), 2U) << "what the system asks for is waited in any case";
  world_.Pass(minutes(2));
  EXPECT_EQ(State(), "Succeeded");
}

TEST_F(PresetsEngineTest, AThrottledErrorWaitsAndSpendsNoRetry) {
  Begin(
      "  retry: {limit: 1}\n"
      "  errorRules: [{when: error.code == 'Slow', class: Throttled, delay: 20s}]\n");
  for (int i = 0; i < 4; ++i)
    world_.transport.Script(Answered(400, R"({"error":{"code":"Slow"}})"));
  world_.transport.Script(Accepted());
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Done(); });
  world_.Pass(minutes(5));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(world_.Operation("op").retry_count, 0);
}

TEST_F(PresetsEngineTest, AFindIsPolledWhereTheLookupSays) {
  Begin(
      "  recovery: {lookup: {path: \"/operations?c=${operation.correlationID}\", "
      "found: size(response.body.items) > 0, id: /items/0/id, "
      "pollURL: \"'operations/' + operation.id\", settle: 30s}}\n",
      "AcceptedLocation", false);
  world_.transport.Script(Ambiguous());
  world_.transport.Script(Answered(200, R"({"items":[{"id":"9"}]})"));
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Done(); });
  world_.Pass(minutes(1));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(world_.Operation("op").poll_url, "http://cloud.example/v1/operations/9");
  EXPECT_EQ(PathOf(world_.transport.requests().back()), "/v1/operations/9");
}

TEST_F(PresetsEngineTest, AnAnswerThatNamesNothingToFollowEndsItAndSaysWhy) {
  Begin("", "JobStatus");
  world_.transport.Script(Answered(200, R"({"hello":"world"})"));
  world_.Pass(seconds(5));
  EXPECT_EQ(State(), "Failed");
  const AsyncOperationStatus status = world_.Operation("op");
  ASSERT_FALSE(status.failure_details.empty());
  EXPECT_EQ(status.failure_details.front().code, "NothingToPoll");
  EXPECT_THAT(status.failure_details.front().message, HasSubstr("neither something to poll"));
  world_.Pass(hours(2), minutes(5));
  EXPECT_EQ(Requests(), 1U) << "it may have taken effect: it is not sent again";
}

TEST_F(PresetsEngineTest, AtOnceIsNoPaceToPollAt) {
  Begin();
  world_.transport.Script(Accepted());
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) {
    return Answered(202, "", {{"Retry-After", "0"}});
  });
  world_.Pass(seconds(20), std::chrono::milliseconds(100));
  EXPECT_LE(Requests(), 21U);
  EXPECT_GE(Requests(), 10U) << "and yet its word wins over our slower pace";
}

TEST_F(PresetsEngineTest, APollThatSaysNothingIsNoEndHoweverOften) {
  Begin("", "AzureARM");
  world_.transport.Script(
      Answered(202, "", {{"Azure-AsyncOperation", "http://cloud.example/v1/s/7"}}));
  for (int i = 0; i < 8; ++i) world_.transport.Script(Answered(400, "{}"));
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) {
    return Answered(200, R"({"status":"Succeeded"})");
  });
  world_.Pass(minutes(2));
  EXPECT_EQ(State(), "Submitted");
  EXPECT_THAT(world_.Events("AsyncOperation", "op"), testing::Contains("PollFailed"));
  world_.Pass(hours(1), seconds(10));
  EXPECT_EQ(State(), "Succeeded");
}

}  // namespace
}  // namespace asyncops::reconciler
