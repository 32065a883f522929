// A submit that ended its operation and is sent again with its key, for outputs that a restart took
// away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/encoding.h"
#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kMade = R"({"id":"v1","password":"pa55-of-the-volume"})";

class EngineRepeatTest : public testing::Test {
 protected:
  // Submitted and answered, with a Secret of somebody else in the way; then restarted.
  void Begin() {
    world_.Start();
    std::string cloud = CloudYaml(true);
    const std::string name = "name: Idempotency-Key";
    world_.Create(cloud.insert(cloud.find(name) + name.size(), ", ttl: 20m"));
    std::string yaml = OperationYaml();
    const std::string plain = "[{name: volumeID, value: /id}]";
    world_.Create(
        yaml.replace(yaml.find(plain), plain.size(),
                     "[{name: volumeID, value: /id}, "
                     "{name: password, value: /password, toSecret: {name: vol, key: password}}]"));
    world_.transport.Handle([this](const kube::OutboundRequest&) {
      BlockSecret();
      return Answered(201, kMade);
    });
    world_.Settle();
    ASSERT_EQ(State(), "Fetching");
    Restart();
  }
  void Restart() {
    world_.Crash();
    world_.Start();
  }
  void BlockSecret() {
    world_.Create(
        "kind: Secret\napiVersion: v1\nmetadata: {name: vol}\ntype: Opaque\n"
        "data: {password: bWluZQ==}");
  }
  // Frees the way, and answers from here on so; 0: the answer is lost.
  void Free(std::vector<int> statuses) {
    world_.Delete("secrets", "vol");
    world_.transport.Handle([statuses, this](const kube::OutboundRequest&) {
      const int status = statuses[std::min(asked_++, statuses.size() - 1)];
      if (status == 0) return Ambiguous();
      return Answered(status, status == 201 ? kMade : "{}");
    });
    world_.Nudge();
  }
  std::string State() { return world_.Operation("op").state; }
  std::size_t Sent() { return world_.transport.requests().size(); }
  std::vector<std::string> Events() { return world_.Events("AsyncOperation", "op"); }
  std::string Kept() {
    if (!world_.Exists("secrets", "vol")) return "";
    return Base64Decode(world_.Get("secrets", "vol").StringAt({"data", "password"}))
        .value_or("no base64");
  }
  void ExpectLost(std::size_t sent) {
    EXPECT_EQ(State(), "Succeeded");
    EXPECT_EQ(Sent(), sent);
    EXPECT_EQ(Kept(), "");
    EXPECT_THAT(Events(), Contains("OutputsLost"));
  }

  EngineWorld world_;
  std::size_t asked_ = 0;
};

TEST_F(EngineRepeatTest, TheSameBytesBringTheOutputs) {
  Begin();
  world_.Pass(minutes(2));
  EXPECT_EQ(Sent(), 1U) << "what cannot be kept is not asked for";
  EXPECT_EQ(State(), "Fetching");
  Free({201});
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(Kept(), "pa55-of-the-volume");
  EXPECT_EQ(world_.Operation("op").outputs, Json::Of({{"volumeID", "v1"}}));
  EXPECT_THAT(Events(), Not(Contains("OutputsLost")));
  const std::vector<kube::OutboundRequest> sent = world_.transport.requests();
  ASSERT_EQ(sent.size(), 2U);
  const kube::OutboundRequest& first = sent[0];
  const kube::OutboundRequest& again = sent[1];
  EXPECT_EQ(again.method + again.uri.ToString() + again.body,
            first.method + first.uri.ToString() + first.body);
  EXPECT_NE(HeaderOf(again, "Idempotency-Key"), "");
  EXPECT_EQ(HeaderOf(again, "Idempotency-Key"), HeaderOf(first, "Idempotency-Key"));
  EXPECT_EQ(world_.Operation("op").attempt, 2);
  for (const storage::Attempt& line : world_.History("op"))
    EXPECT_THAT(line.message, Not(HasSubstr("pa55")));
}

TEST_F(EngineRepeatTest, WhatPassesIsWaitedFor) {
  Begin();
  Free({503, 500, 201});
  world_.Pass(minutes(3));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(Sent(), 4U);
  EXPECT_EQ(Kept(), "pa55-of-the-volume");
  EXPECT_THAT(world_.EventMessages("AsyncOperation", "op", "SecretNotWritten"),
              Contains("the outputs for Secrets could not be read again: HTTP 503"));
}

class EngineRepeatRefusedTest : public EngineRepeatTest, public testing::WithParamInterface<int> {};

TEST_P(EngineRepeatRefusedTest, TheyAreLostAndTheOperationHasSucceeded) {
  Begin();
  Free({GetParam()});
  ExpectLost(2);
}

INSTANTIATE_TEST_SUITE_P(Statuses, EngineRepeatRefusedTest, testing::Values(422, 409, 202));

TEST_F(EngineRepeatTest, ALostAnswerBringsItIntoNoDoubt) {
  Begin();
  Free({0, 0, 201});
  EXPECT_EQ(State(), "Fetching");
  // A restart before the next one is as good.
  Restart();
  world_.Pass(minutes(2));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(Kept(), "pa55-of-the-volume");
  EXPECT_EQ(world_.Row("op").submission, 1);
  for (const storage::Attempt& line : world_.History("op"))
    EXPECT_THAT(line.state, testing::AnyOf("Intent", "Fetching", "Succeeded"));
}

TEST_F(EngineRepeatTest, AfterTheKeysLifeNothingIsSent) {
  Begin();
  world_.clock.Advance(minutes(20));
  Free({201});
  ExpectLost(1);
}

TEST_F(EngineRepeatTest, AServerThatStaysAwayLosesThemWithTheKeysLife) {
  Begin();
  Free({503});
  world_.Pass(minutes(40), seconds(10));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_THAT(Events(), Contains("OutputsLost"));
}

TEST_F(EngineRepeatTest, NothingIsSentWhileItIsSuspended) {
  Begin();
  world_.Edit("asyncoperations", "op",
              [](Json* operation) { operation->ObjectAt("spec").Set("suspend", true); });
  Free({201});
  world_.Pass(minutes(1));
  EXPECT_EQ(Sent(), 1U);
  EXPECT_EQ(State(), "Fetching");
  world_.Edit("asyncoperations", "op",
              [](Json* operation) { operation->ObjectAt("spec").Set("suspend", false); });
  world_.Pass(seconds(2));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(Kept(), "pa55-of-the-volume");
}

TEST_F(EngineRepeatTest, ValuesThatCannotBeWrittenAgainWaitInMemory) {
  Begin();
  world_.Delete("secrets", "vol");
  world_.transport.Handle([this](const kube::OutboundRequest&) {
    BlockSecret();
    return Answered(201, kMade);
  });
  world_.Nudge();
  EXPECT_EQ(State(), "Fetching");
  world_.Pass(minutes(2));
  EXPECT_EQ(Sent(), 2U);
  world_.Delete("secrets", "vol");
  world_.Nudge();
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(Sent(), 2U);
  EXPECT_EQ(Kept(), "pa55-of-the-volume");
}

TEST_F(EngineRepeatTest, ADeletionDoesNotWaitForIt) {
  Begin();
  Free({503});
  world_.Delete("asyncoperations", "op");
  world_.Pass(seconds(5));
  EXPECT_FALSE(world_.Exists("asyncoperations", "op"));
}

}  // namespace
}  // namespace asyncops::reconciler
