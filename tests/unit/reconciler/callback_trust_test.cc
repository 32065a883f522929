// Events that may end an operation: trustPayload.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/encoding.h"
#include "tests/unit/reconciler/callback_world.h"
#include "tests/unit/reconciler/store_bytes.h"

namespace asyncops::reconciler {
namespace {

using callbacks::Answer;
using testing::Contains;

constexpr const char* kSystemPath = "/callbacks/team/systems/cloud";
constexpr const char* kTrusted =
    "{scheme: GitHub, secretRefs: [{name: hook, key: k}], trustPayload: true}";

constexpr const char* kTrustedById =
    "{scheme: GitHub, secretRefs: [{name: hook, key: k}], trustPayload: true, correlate: /op}";

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
  // Whether the store's files hold these bytes.
  bool IsOnDisk(const std::string& text) {
    return StoreBytes(world_->engine.directory).find(text) != std::string::npos;
  }
  // Tells of the end with a secret in it: polls, and keeps nothing of it.
  void ExpectOnlyAHint(bool at_system) {
    const std::string event =
        R"({"status":"done","volume":"v-1","op":"op-1","password":"correct-horse"})";
    EXPECT_EQ(
        world_->Post(at_system ? kSystemPath : world_->CalledPath(), CallbackWorld::Signed(event)),
        Answer::kStored);
    EXPECT_FALSE(IsOnDisk("correct-horse")) << at_system;
    world_->engine.Settle();
    EXPECT_EQ(world_->polls, 1) << at_system;
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

TEST_F(CallbackTrustTest, EarlyTrustedEventIsAReasonToPollOnceTheIdIsKnown) {
  world_ =
      std::make_unique<CallbackWorld>(CallbackDeclaration{.system = kTrustedById, .operation = ""});
  EXPECT_EQ(world_->Post(kSystemPath, CallbackWorld::Signed(
                                          R"({"status":"done","volume":"v-early","op":"op-1"})")),
            Answer::kStored);
  EXPECT_FALSE(IsOnDisk("v-early")) << "whose it is, and what it may show, is not known";
  world_->CreateOperation();
  world_->engine.Settle();
  EXPECT_EQ(State(), "Running");
  EXPECT_EQ(world_->polls, 1);
}

TEST_F(CallbackTrustTest, EventOfAnOperationThatMakesSecretsIsNotKept) {
  for (const bool at_system : {false, true}) {
    Begin({.system = kTrustedById,
           .outputs = ", {name: password, value: /password, toSecret: {name: db, key: p}}"});
    ExpectOnlyAHint(at_system);
  }
}

TEST_F(CallbackTrustTest, EventThatMayShowWhatEarlierOperationsMadeIsNotKept) {
  for (const bool at_system : {false, true}) {
    Begin({.system = kTrustedById});
    world_->engine.Annotate("asyncoperations", "op", "asyncops.dev/earlier-secrets", "db/p");
    ExpectOnlyAHint(at_system);
  }
}

TEST_F(CallbackTrustTest, SecretsThatAnEventShowsAreTakenOut) {
  const std::string bearer = "\n  auth: {bearerTokenSecretRef: {name: hook, key: k}}\n";
  for (const bool at_system : {false, true}) {
    Begin({.system = kTrustedById, .more = bearer});
    const std::string path = world_->CalledPath();
    const std::string token = path.substr(path.rfind('/') + 1);
    const std::string secret(kCallbackSecret);
    const std::string event = R"({"status":"done","op":"op-1","callback":"https://x)" + path +
                              R"(","volume":"v-)" + secret + R"("})";
    EXPECT_EQ(world_->Post(at_system ? kSystemPath : path, CallbackWorld::Signed(event)),
              Answer::kStored);
    EXPECT_TRUE(IsOnDisk("[redacted]")) << at_system;
    EXPECT_FALSE(IsOnDisk(token)) << at_system;
    EXPECT_FALSE(IsOnDisk("v-" + secret)) << at_system;
    world_->engine.Settle();
    EXPECT_EQ(State(), "Succeeded") << at_system;
    EXPECT_EQ(world_->polls, 0) << at_system;
    EXPECT_EQ(world_->engine.Operation("op").outputs, Json::Of({{"volumeID", "v-[redacted]"}}));
    EXPECT_FALSE(IsOnDisk(token)) << at_system;
  }
}

TEST_F(CallbackTrustTest, StoredEventIsJudgedWithoutSecretsThatAreKnownByThen) {
  Begin(Trusted());
  Tell(R"({"status":"done","volume":"v-new-token"})");
  world_->engine.Create("kind: Secret\napiVersion: v1\nmetadata: {name: token}\ndata: {k: " +
                        Base64Encode("new-token") + "}\n");
  world_->engine.Edit("externalsystems", "cloud", [](Json* object) {
    const Json ref = Json::Of({{"name", "token"}, {"key", "k"}});
    object->ObjectAt("spec").Set("auth", Json::Of({{"bearerTokenSecretRef", ref}}));
  });
  world_->engine.Settle();
  EXPECT_EQ(world_->engine.Operation("op").outputs, Json::Of({{"volumeID", "v-[redacted]"}}));
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
