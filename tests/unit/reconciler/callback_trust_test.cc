// Events that may end an operation: trustPayload.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/reconciler/callback_world.h"

namespace asyncops::reconciler {
namespace {

using callbacks::Answer;
using testing::Contains;

constexpr const char* kSystemPath = "/callbacks/team/systems/cloud";
constexpr const char* kTrusted =
    "{scheme: GitHub, secretRefs: [{name: hook, key: k}], trustPayload: true}";

CallbackDeclaration Trusted() { return {.system = kTrusted}; }

class CallbackTrustTest : public testing::Test {
 protected:
  void Begin(const CallbackDeclaration& declaration) {
    world_ = std::make_unique<CallbackWorld>(declaration);
    world_->Submit();
  }
  void Tell(const std::string& body) {
    ASSERT_EQ(world_->Post(world_->CalledPath(),
                           CallbackWorld::Signed(body, "d" + std::to_string(++told_))),
              Answer::kStored);
  }
  std::string State() { return world_->engine.Operation("op").state; }

  std::unique_ptr<CallbackWorld> world_;
  int told_ = 0;
};

TEST_F(CallbackTrustTest, SignedEventEndsTheOperationWithoutAPoll) {
  Begin(Trusted());
  Tell(R"({"status":"done","volume":"v-1"})");
  world_->engine.Settle();
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(world_->polls, 0);
  EXPECT_EQ(world_->engine.Operation("op").outputs, Json::Of({{"volumeID", "v-1"}}));
  EXPECT_THAT(world_->engine.Events("AsyncOperation", "op"), Contains("CallbackReceived"));
}

TEST_F(CallbackTrustTest, SignedFailureEndsItWithItsCode) {
  Begin(Trusted());
  Tell(R"({"status":"failed","code":"QuotaExceeded","message":"no room"})");
  world_->engine.Settle();
  EXPECT_EQ(State(), "Failed");
  EXPECT_EQ(world_->polls, 0);
  EXPECT_EQ(world_->engine.Operation("op").failure_details.front().code, "QuotaExceeded");
}

struct Unclear {
  const char* reason;
  CallbackDeclaration declaration;
  std::vector<const char*> events;
};

TEST_F(CallbackTrustTest, WhatIsNotClearIsPolled) {
  const std::string trusted = kTrusted;
  const std::string untrusted = "{scheme: GitHub, secretRefs: [{name: hook, key: k}]}";
  const std::string operation = "{inject: {in: Body, pointer: /callbackUrl}}";
  const std::string correlated = "{inject: {in: Body, pointer: /callbackUrl}, correlate: /op}";
  const std::vector<Unclear> rows = {
      {"trust was not asked for", {untrusted, operation}, {R"({"status":"done","volume":"v"})"}},
      {"no acceptor speaks of it", {trusted, operation}, {R"({"status":"odd"})"}},
      {"it still runs", {trusted, operation}, {R"({"status":"running"})"}},
      {"no object", {trusted, operation}, {"\"done\""}},
      {"two ends",
       {trusted, operation},
       {R"({"status":"done","volume":"v"})", R"({"status":"failed"})"}},
      {"an output is missing", {trusted, operation}, {R"({"status":"done"})"}},
      {"another operation's",
       {trusted, correlated},
       {R"({"status":"done","volume":"v","op":"op-2"})"}},
  };
  for (const Unclear& row : rows) {
    Begin(row.declaration);
    for (const char* event : row.events) Tell(event);
    world_->engine.Settle();
    EXPECT_EQ(world_->polls, 1) << row.reason;
    EXPECT_EQ(State(), "Running") << row.reason;
  }
}

TEST_F(CallbackTrustTest, OrderDoesNotMatter) {
  Begin(Trusted());
  Tell(R"({"status":"done","volume":"v-1"})");
  Tell(R"({"status":"running"})");
  world_->engine.Settle();
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(world_->polls, 0);
}

TEST_F(CallbackTrustTest, FinishedOperationStaysAsItIs) {
  Begin(Trusted());
  const std::string path = world_->CalledPath();
  Tell(R"({"status":"done","volume":"v-1"})");
  world_->engine.Settle();
  ASSERT_EQ(State(), "Succeeded");
  const storage::OperationRow row = world_->engine.Row("op");
  for (const char* event : {R"({"status":"failed"})", R"({"status":"running"})"})
    EXPECT_EQ(world_->Post(path, CallbackWorld::Signed(event, event)), Answer::kFinished);
  world_->engine.Settle();
  EXPECT_EQ(world_->engine.Row("op"), row);
}

TEST_F(CallbackTrustTest, EndOfTheOperationOfAnEarlierSubmissionEndsNothing) {
  Begin({.system = "{scheme: GitHub, secretRefs: [{name: hook, key: k}], trustPayload: true, "
                   "correlate: /op}"});
  Tell(R"({"status":"failed","op":"op-1"})");
  world_->engine.Settle();
  ASSERT_EQ(State(), "Failed");
  world_->submit_answer = Answered(202, R"({"id":"op-2"})");
  world_->engine.Annotate("asyncoperations", "op", "asyncops.dev/retry-requested-at", "now");
  world_->engine.Settle();
  ASSERT_EQ(world_->engine.Row("op").operation_id, "op-2");
  EXPECT_EQ(world_->Post(kSystemPath,
                         CallbackWorld::Signed(R"({"status":"failed","op":"op-1"})", "late")),
            Answer::kStored)
      << "it waits, as nobody knows that ID any more";
  world_->engine.Settle();
  EXPECT_EQ(State(), "Submitted");
}

TEST_F(CallbackTrustTest, EarlyTrustedEventEndsItOnceTheIdIsKnown) {
  world_ = std::make_unique<CallbackWorld>(CallbackDeclaration{
      .system = "{scheme: GitHub, secretRefs: [{name: hook, key: k}], trustPayload: true, "
                "correlate: /op}",
      .operation = ""});
  EXPECT_EQ(world_->Post(kSystemPath,
                         CallbackWorld::Signed(R"({"status":"done","volume":"v-1","op":"op-1"})")),
            Answer::kStored);
  world_->CreateOperation();
  world_->engine.Settle();
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(world_->polls, 0);
}

TEST_F(CallbackTrustTest, AttributesInHeadersAreNoProofAtTheUrlOfASystem) {
  Begin({.system = "{scheme: GitHub, secretRefs: [{name: hook, key: k}], trustPayload: true, "
                   "correlate: event.subject}"});
  callbacks::Message message = CallbackWorld::Signed(R"({"status":"done","volume":"v-1"})");
  for (const auto& [name, value] :
       {std::pair{"ce-specversion", "1.0"}, std::pair{"ce-id", "1"}, std::pair{"ce-source", "/s"},
        std::pair{"ce-type", "t"}, std::pair{"ce-subject", "op-1"}})
    message.headers.emplace_back(name, value);
  EXPECT_EQ(world_->Post(kSystemPath, message), Answer::kStored);
  world_->engine.Settle();
  EXPECT_EQ(world_->polls, 1);
  EXPECT_EQ(State(), "Running");
}

TEST_F(CallbackTrustTest, LargeEventIsAReasonToPoll) {
  Begin(Trusted());
  Tell(R"({"status":"done","volume":"v-1","pad":")" +
       std::string(CallbackIntake::kMaxTrustedBytes, 'x') + "\"}");
  world_->engine.Settle();
  EXPECT_EQ(world_->polls, 1);
}

TEST_F(CallbackTrustTest, CrashBeforeItWasJudgedLosesNothing) {
  Begin(Trusted());
  Tell(R"({"status":"done","volume":"v-1"})");
  world_->Restart();
  world_->engine.Settle();
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(world_->polls, 0);
}

}  // namespace
}  // namespace asyncops::reconciler
