// Outputs that go into Secrets: written before the end is, and nowhere else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/encoding.h"
#include "tests/unit/reconciler/engine_world.h"
#include "tests/unit/reconciler/store_bytes.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kMonitor = "http://cloud.example/v1/operations/7";
constexpr const char* kPassword = "pa55-of-the-volume";

kube::Exchange Accepted() { return Answered(202, "", {{"Location", kMonitor}}); }
kube::Exchange Done() {
  return Answered(200, R"({"id":"v1","password":"pa55-of-the-volume","note":"use )"
                       R"(pa55-of-the-volume"})");
}

constexpr std::string_view kOutputs =
    "[{name: volumeID, value: /id}, {name: note, value: /note}, "
    "{name: password, value: /password, toSecret: {name: vol, key: password}}]";

std::string WithOutputs(std::string yaml, std::string_view outputs = kOutputs) {
  const std::string plain = "[{name: volumeID, value: /id}]";
  const std::size_t at = yaml.find(plain);
  EXPECT_NE(at, std::string::npos);
  return yaml.replace(at, plain.size(), outputs);
}

std::string SecretYaml(std::string_view more) {
  return "kind: Secret\napiVersion: v1\nmetadata: {name: vol}\ntype: Opaque\n" + std::string(more);
}

class EngineSecretOutputsTest : public testing::Test {
 protected:
  void Begin(bool key = true, std::string_view outputs = kOutputs) {
    world_.Start();
    world_.Create(CloudYaml(key));
    world_.Create(WithOutputs(OperationYaml(), outputs));
  }
  std::string State() { return world_.Operation("op").state; }
  std::string Ready() { return world_.Show(world_.Operation("op").conditions, "Ready"); }
  // The value of the Secret's key; "" where there is none.
  std::string Kept(std::string_view key = "password") {
    if (!world_.Exists("secrets", "vol")) return "";
    const Json secret = world_.Get("secrets", "vol");
    return Base64Decode(secret.StringAt({"data", key})).value_or("no base64");
  }
  std::string Disk() { return StoreBytes(world_.directory); }
  // Everything that is shown or kept of the operation.
  std::string AllTexts() {
    std::string texts = EncodeJson(world_.Get("asyncoperations", "op"));
    const storage::OperationRow row = world_.Row("op");
    texts += row.submit_response + row.memo + row.poll_url;
    for (const storage::Attempt& attempt : world_.History("op")) texts += attempt.message;
    for (const char* reason : {"Submitted", "Succeeded", "SecretNotWritten", "PollFailed"}) {
      for (const std::string& message : world_.EventMessages("AsyncOperation", "op", reason))
        texts += message;
    }
    return texts;
  }

  EngineWorld world_;
};

TEST_F(EngineSecretOutputsTest, TheValueIsInTheSecretBeforeTheEndAndNowhereElse) {
  Begin();
  world_.transport.Script(Accepted());
  world_.transport.Script(Done());
  world_.Pass(seconds(2));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(Kept(), kPassword);
  EXPECT_EQ(world_.Operation("op").outputs,
            Json::Of({{"note", "use [redacted]"}, {"volumeID", "v1"}}));
  EXPECT_EQ(Disk().find(kPassword), std::string::npos);
  EXPECT_THAT(AllTexts(), Not(HasSubstr(Base64Encode(kPassword))));
}

TEST_F(EngineSecretOutputsTest, TheSecretBelongsToTheOperationAndNamesItsWriter) {
  Begin();
  world_.transport.Script(Accepted());
  world_.transport.Script(Done());
  world_.Pass(seconds(2));
  const Json secret = world_.Get("secrets", "vol");
  const Json* owners = secret.FindPath({"metadata", "ownerReferences"});
  ASSERT_NE(owners, nullptr);
  EXPECT_EQ(owners->as_array().size(), 1U);
  const Json& owner = owners->as_array()[0];
  EXPECT_EQ(owner.StringAt({"kind"}), "AsyncOperation");
  EXPECT_EQ(owner.StringAt({"name"}), "op");
  EXPECT_EQ(owner.StringAt({"uid"}),
            world_.Get("asyncoperations", "op").StringAt({"metadata", "uid"}));
  EXPECT_EQ(secret.StringAt({"type"}), "Opaque");
  const Json* managers = secret.FindPath({"metadata", "managedFields"});
  ASSERT_NE(managers, nullptr);
  EXPECT_EQ(managers->as_array()[0].StringAt({"manager"}), "asyncops-reconciler");
}

TEST_F(EngineSecretOutputsTest, TheSecretOfAResourceIsTheResources) {
  world_.Start();
  world_.Create(CloudYaml(true));
  const std::string uid = world_.Create(WithOutputs(ResourceYaml()));
  world_.transport.Script(Accepted());
  world_.transport.Script(Done());
  world_.Pass(seconds(8));
  EXPECT_EQ(world_.Resource("vol").phase, "Ready");
  EXPECT_EQ(Kept(), kPassword);
  const Json owner =
      world_.Get("secrets", "vol").FindPath({"metadata", "ownerReferences"})->as_array()[0];
  EXPECT_EQ(owner.StringAt({"kind"}), "AsyncResource");
  EXPECT_EQ(owner.StringAt({"uid"}), uid);
  EXPECT_EQ(world_.Resource("vol").outputs.Find("password"), nullptr);
}

TEST_F(EngineSecretOutputsTest, ACrashBetweenSecretAndEndReadsTheAnswerAgain) {
  class DiesOnce final : public FaultPoints {
   public:
    void Hit(const FaultPoint& point) override {
      if (point.step == "Secret" && point.side == FaultPoint::Side::kAfter) ++seen;
    }
    int seen = 0;
  };
  DiesOnce faults;
  world_.Start(&faults);
  world_.Create(CloudYaml(true));
  world_.Create(WithOutputs(OperationYaml()));
  world_.transport.Script(Accepted());
  world_.Settle();
  // The answer comes, the Secret is written, and the transaction of the end is not.
  world_.transport.Script(Done());
  const storage::OperationRow before = world_.Row("op");
  world_.Pass(seconds(1));
  ASSERT_EQ(faults.seen, 1);
  ASSERT_EQ(State(), "Succeeded");
  EXPECT_EQ(before.state, "Submitted") << "the Secret is written from this state";
}

TEST_F(EngineSecretOutputsTest, ASecretOfSomebodyElseStopsItBeforeTheSubmit) {
  world_.Start();
  world_.Create(CloudYaml(true));
  world_.Create(SecretYaml("data: {password: bWluZQ==}"));
  world_.Create(WithOutputs(OperationYaml()));
  world_.Pass(minutes(1));
  EXPECT_EQ(Ready(), "False/SecretNotWritten");
  EXPECT_THAT(world_.transport.requests(), IsEmpty());
  EXPECT_EQ(Kept(), "mine");
  EXPECT_THAT(world_.Events("AsyncOperation", "op"), ElementsAre("SecretNotWritten"));
  EXPECT_THAT(world_.EventMessages("AsyncOperation", "op", "SecretNotWritten"),
              ElementsAre(HasSubstr("does not belong to AsyncOperation \"op\"")));
  // The way is free: it goes on.
  world_.Delete("secrets", "vol");
  world_.transport.Script(Accepted());
  world_.transport.Script(Done());
  world_.Nudge();
  world_.Pass(seconds(2));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(Kept(), kPassword);
}

TEST_F(EngineSecretOutputsTest, ASecretThatAppearsMeanwhileIsLeftAndTheAnswerReadAgain) {
  Begin();
  world_.transport.Script(Accepted());
  world_.Settle();
  world_.Create(SecretYaml("data: {password: bWluZQ==}"));
  world_.transport.Handle([](const kube::OutboundRequest&) { return Done(); });
  world_.Pass(minutes(2));
  EXPECT_EQ(State(), "Fetching");
  EXPECT_EQ(Ready(), "False/SecretNotWritten");
  EXPECT_EQ(Kept(), "mine");
  EXPECT_THAT(world_.Events("AsyncOperation", "op"), ElementsAre("Submitted", "SecretNotWritten"))
      << "told once";
  const AsyncOperationStatus status = world_.Operation("op");
  ASSERT_EQ(status.failure_details.size(), 1U);
  EXPECT_EQ(status.failure_details[0].code, "SecretNotWritten");
  EXPECT_LE(world_.transport.requests().size(), 7U) << "no faster than the tiers";
  EXPECT_EQ(Disk().find(kPassword), std::string::npos);
  // Also after a restart.
  world_.Crash();
  world_.Start();
  world_.Delete("secrets", "vol");
  world_.Nudge();
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(Kept(), kPassword);
  EXPECT_THAT(world_.Events("AsyncOperation", "op"),
              ElementsAre("Submitted", "SecretNotWritten", "Succeeded"));
}

TEST_F(EngineSecretOutputsTest, ASecretInTheWayHoldsNoDeletion) {
  Begin();
  world_.transport.Script(Accepted());
  world_.Settle();
  world_.Create(SecretYaml("data: {password: bWluZQ==}"));
  world_.transport.Handle([](const kube::OutboundRequest&) { return Done(); });
  world_.Pass(seconds(5));
  ASSERT_EQ(State(), "Fetching");
  world_.Delete("asyncoperations", "op");
  world_.Pass(seconds(5));
  EXPECT_FALSE(world_.Exists("asyncoperations", "op"));
  EXPECT_EQ(Kept(), "mine");
}

TEST_F(EngineSecretOutputsTest, OtherKeysOfItsOwnSecretStay) {
  Begin();
  world_.transport.Script(Accepted());
  world_.Settle();
  const std::string uid(world_.Get("asyncoperations", "op").StringAt({"metadata", "uid"}));
  world_.Create(SecretYaml("data: {other: bWluZQ==}"));
  world_.Edit("secrets", "vol", [&uid](Json* secret) {
    JsonArray owners;
    owners.push_back(Json::Of({{"apiVersion", "operations.asyncops.dev/v1alpha1"},
                               {"kind", "AsyncOperation"},
                               {"name", "op"},
                               {"uid", uid}}));
    secret->ObjectAt("metadata").Set("ownerReferences", Json(std::move(owners)));
    secret->Set("spec", Json(nullptr));
  });
  world_.transport.Script(Done());
  world_.Pass(seconds(2));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(Kept("other"), "mine");
  EXPECT_EQ(Kept(), kPassword);
}

TEST_F(EngineSecretOutputsTest, AnAnswerToTheSubmitThatEndsItIsKeptWithoutTheValue) {
  Begin();
  world_.transport.Script(Answered(201, R"({"id":"v1","password":"pa55-of-the-volume"})"));
  world_.Settle();
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(Kept(), kPassword);
  EXPECT_THAT(world_.Row("op").submit_response, HasSubstr("[redacted]"));
  EXPECT_EQ(Disk().find(kPassword), std::string::npos);
}

TEST_F(EngineSecretOutputsTest, AnAnswerThatDoesNotEndItIsKeptWithoutTheValueToo) {
  Begin();
  world_.transport.Script(
      Answered(202, R"({"password":"pa55-of-the-volume"})", {{"Location", kMonitor}}));
  world_.transport.Script(Answered(500, R"({"error":"pa55-of-the-volume is in use"})"));
  world_.transport.Script(Done());
  world_.Pass(seconds(30));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(Kept(), kPassword);
  EXPECT_EQ(Disk().find(kPassword), std::string::npos);
  EXPECT_THAT(AllTexts(), Not(HasSubstr("pa55"))) << "not in another form either";
  EXPECT_THAT(world_.Events("AsyncOperation", "op"), Contains("PollFailed"));
}

TEST_F(EngineSecretOutputsTest, TheValuesOfASubmitWaitInMemoryAndAreLostWithARestart) {
  for (const bool restart : {false, true}) {
    EngineWorld world;
    world.Start();
    world.Create(CloudYaml(false));
    world.Create(WithOutputs(OperationYaml()));
    world.transport.Handle([&world](const kube::OutboundRequest&) {
      world.Create(SecretYaml("data: {password: bWluZQ==}"));
      return Answered(201, R"({"id":"v1","password":"pa55-of-the-volume"})");
    });
    world.Settle();
    EXPECT_EQ(world.Operation("op").state, "Fetching");
    EXPECT_EQ(world.Operation("op").outputs.StringAt({"volumeID"}), "v1");
    if (restart) {
      world.Crash();
      world.Start();
    }
    world.Delete("secrets", "vol");
    world.Nudge();
    EXPECT_EQ(world.Operation("op").state, "Succeeded");
    EXPECT_EQ(world.transport.requests().size(), 1U) << "it is never submitted again";
    EXPECT_EQ(world.Exists("secrets", "vol"), !restart);
    const std::vector<std::string> events = world.Events("AsyncOperation", "op");
    EXPECT_EQ(std::count(events.begin(), events.end(), "OutputsLost"), restart ? 1 : 0);
  }
}

TEST_F(EngineSecretOutputsTest, AWholeObjectIsKeptAsJson) {
  Begin(true, "[{name: config, value: /config, toSecret: {name: vol, key: config}}]");
  world_.transport.Script(Accepted());
  world_.transport.Script(
      Answered(200, R"({"config":{"user":"admin","pass":"pa55-of-the-volume"}})"));
  world_.Pass(seconds(2));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(Kept("config"), R"({"pass":"pa55-of-the-volume","user":"admin"})");
  EXPECT_EQ(Disk().find(kPassword), std::string::npos);
}

TEST_F(EngineSecretOutputsTest, AValueThatIsNotThereIsLeftOut) {
  Begin();
  world_.transport.Script(Accepted());
  world_.transport.Script(Answered(200, R"({"id":"v1"})"));
  world_.Pass(seconds(2));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_FALSE(world_.Exists("secrets", "vol"));
}

TEST_F(EngineSecretOutputsTest, ALaterStepReadsItFromTheSecret) {
  world_.Start();
  world_.Create(CloudYaml(true));
  std::string yaml = WithOutputs(ResourceYaml());
  const std::string path = "path: \"/volumes/${outputs.volumeID}\"";
  const std::size_t at = yaml.rfind(path);
  ASSERT_NE(at, std::string::npos) << yaml;
  yaml.insert(at + path.size(), ", headers: [{name: X-Pw, value: \"${outputs.password}\"}]");
  world_.Create(yaml);
  world_.transport.Script(Accepted());
  world_.transport.Script(Done());
  world_.Pass(seconds(8));
  ASSERT_EQ(world_.Resource("vol").phase, "Ready");
  world_.transport.Handle([](const kube::OutboundRequest&) { return Answered(404); });
  world_.Delete("asyncresources", "vol");
  world_.Pass(seconds(8));
  EXPECT_EQ(HeaderOf(world_.transport.requests().back(), "X-Pw"), kPassword);
  EXPECT_EQ(Disk().find(kPassword), std::string::npos);
}

// Credentials that are not there.
class EngineCredentialsTest : public testing::Test {
 protected:
  void Begin(std::string_view more = "") {
    world_.Start();
    world_.Create(CloudYaml(true) + "  auth: {bearerTokenSecretRef: {name: acme, key: token}}\n");
    world_.Create(OperationYaml(more));
  }
  void Give() {
    world_.Create(
        "kind: Secret\napiVersion: v1\nmetadata: {name: acme}\ndata: {token: dDBrZW4tdmFsdWU=}\n");
  }
  std::string State() { return world_.Operation("op").state; }
  std::string Ready() { return world_.Show(world_.Operation("op").conditions, "Ready"); }

  EngineWorld world_;
};

TEST_F(EngineCredentialsTest, NothingIsSentAndNoRetrySpentUntilTheyCome) {
  Begin("  retry: {limit: 1}\n");
  world_.Pass(minutes(30), minutes(1));
  EXPECT_EQ(Ready(), "False/CredentialsMissing");
  EXPECT_EQ(world_.Operation("op").retry_count, 0);
  EXPECT_THAT(world_.transport.requests(), IsEmpty());
  EXPECT_THAT(world_.Events("AsyncOperation", "op"), Contains("CredentialsMissing"));
  EXPECT_LE(world_.Operation("op").attempt, 7) << "every 5 minutes and no more";
  Give();
  world_.transport.Script(Accepted());
  world_.Nudge();
  EXPECT_EQ(State(), "Submitted") << "at once";
  EXPECT_EQ(HeaderOf(world_.transport.requests().at(0), "Authorization"), "Bearer t0ken-value");
}

TEST_F(EngineCredentialsTest, APollGoesOnWhenTheyComeBack) {
  Begin();
  Give();
  world_.transport.Script(Accepted());
  world_.Settle();
  world_.Delete("secrets", "acme");
  world_.Pass(seconds(5));
  EXPECT_EQ(Ready(), "False/CredentialsMissing");
  EXPECT_THAT(world_.Events("AsyncOperation", "op"),
              ElementsAre("Submitted", "CredentialsMissing"));
  EXPECT_EQ(world_.transport.requests().size(), 1U);
  Give();
  world_.transport.Script(Done());
  world_.Nudge();
  EXPECT_EQ(State(), "Succeeded");
}

TEST_F(EngineCredentialsTest, AResultGoesOnWhenTheyComeBack) {
  Begin();
  world_.Edit("asyncoperations", "op", [](Json* operation) {
    Json* poll = operation->Find("spec")->Find("poll");
    poll->Set("result", Json::Of({{"from", "URL"}, {"url", "/volumes/v1"}}));
  });
  Give();
  world_.transport.Script(Accepted());
  world_.Settle();
  world_.transport.Handle([this](const kube::OutboundRequest&) {
    world_.Delete("secrets", "acme");
    return Done();
  });
  world_.Pass(seconds(2));
  EXPECT_EQ(State(), "Fetching");
  EXPECT_EQ(Ready(), "False/CredentialsMissing");
  Give();
  world_.transport.Handle([](const kube::OutboundRequest&) { return Done(); });
  world_.Nudge();
  EXPECT_EQ(State(), "Succeeded");
}

}  // namespace
}  // namespace asyncops::reconciler
