// What only looks like the end of a submit: nothing is made twice for it, and nothing is called
// failed that runs outside.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kMonitor = "http://cloud.example/v1/operations/7";
constexpr const char* kLookup =
    "  recovery: {lookup: {path: \"/operations?c=${operation.correlationID}\", "
    "found: size(response.body.items) > 0, id: /items/0/id, settle: 1m}}\n";
constexpr const char* kOften = "  retry: {tiers: [{delay: 1s}]}\n";

kube::Exchange Accepted() { return Answered(202, "", {{"Location", kMonitor}}); }

class EngineDoubtTest : public testing::Test {
 protected:
  void Begin(bool key, std::string_view more = "") {
    world_.Start();
    world_.Create(CloudYaml(key));
    world_.Create(OperationYaml(more));
  }
  std::string State() { return world_.Operation("op").state; }
  std::string Message() {
    return FindCondition(world_.Operation("op").conditions, "Ready")->message;
  }
  std::vector<kube::OutboundRequest> Submits() {
    std::vector<kube::OutboundRequest> submits;
    for (const kube::OutboundRequest& request : world_.transport.requests()) {
      if (request.method == "POST") submits.push_back(request);
    }
    return submits;
  }
  void ExpectOneKey() {
    const std::vector<kube::OutboundRequest> sent = Submits();
    ASSERT_FALSE(sent.empty());
    for (const kube::OutboundRequest& request : sent)
      EXPECT_EQ(HeaderOf(request, "Idempotency-Key"), HeaderOf(sent[0], "Idempotency-Key"));
  }

  EngineWorld world_;
};

TEST_F(EngineDoubtTest, AnOutageOfManyAttemptsNeverTakesANewKey) {
  Begin(true, kOften);
  for (int i = 0; i < 10; ++i) world_.transport.Script(Answered(500));
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
  // From the fifth on its circuit is open ever longer.
  world_.Pass(std::chrono::minutes(4), std::chrono::seconds(5));
  EXPECT_EQ(State(), "Running");
  EXPECT_EQ(world_.Operation("op").submission, 1);
  ExpectOneKey();
}

TEST_F(EngineDoubtTest, AStoredFailureIsSubmittedAnewOnceALookupMissesIt) {
  Begin(true, std::string(kOften) + kLookup);
  world_.transport.Handle([](const kube::OutboundRequest& request) {
    return request.method == "POST" ? Answered(500) : Answered(200, R"({"items":[]})");
  });
  world_.Pass(std::chrono::seconds(30));
  EXPECT_EQ(State(), "Recovering") << "a miss does not count before it has settled";
  EXPECT_EQ(Submits().size(), 6U) << "the stored answer is not asked for again";
  ExpectOneKey();
  world_.transport.Handle([](const kube::OutboundRequest& request) {
    return request.method == "POST" ? Accepted() : Answered(200, R"({"items":[]})");
  });
  world_.Pass(std::chrono::seconds(60));
  EXPECT_EQ(world_.Operation("op").submission, 2);
  EXPECT_EQ(Submits().size(), 7U);
}

TEST_F(EngineDoubtTest, WhatWasRefusedAndIsNotThereCannotExist) {
  Begin(true, std::string(kOften) + kLookup);
  world_.transport.Script(Ambiguous());
  world_.transport.Handle([](const kube::OutboundRequest& request) {
    return request.method == "POST" ? Answered(422) : Answered(200, R"({"items":[]})");
  });
  world_.Pass(std::chrono::seconds(90));
  EXPECT_EQ(State(), "Failed");
  EXPECT_EQ(Submits().size(), 2U);
  EXPECT_THAT(world_.Row("op").memo, Not(HasSubstr("maybeStarted")))
      << "a resource could not be deleted for what never was";
}

TEST_F(EngineDoubtTest, AnUnavailableServiceIsAskedAgainWithTheSameKey) {
  Begin(true);
  world_.transport.Script(Answered(503, "", {{"Retry-After", "5"}}));
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
  world_.Pass(std::chrono::seconds(4));
  EXPECT_EQ(Submits().size(), 1U) << "not before Retry-After";
  world_.Pass(std::chrono::seconds(20));
  EXPECT_EQ(State(), "Running");
  EXPECT_EQ(Submits().size(), 2U);
  ExpectOneKey();
}

TEST_F(EngineDoubtTest, WhatWasNeverSentFollowsAMendedEndpoint) {
  Begin(true);
  world_.transport.Script(NotSent());
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
  world_.Settle();
  ASSERT_EQ(State(), "Backoff");
  world_.Edit("externalsystems", "cloud", [](Json* object) {
    object->ObjectAt("spec").Set("endpoint", "http://moved.example/v1");
  });
  world_.Nudge();
  const std::vector<kube::OutboundRequest> sent = Submits();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[1].uri.ToString(), "http://moved.example/v1/volumes");
  EXPECT_EQ(world_.Operation("op").submission, 1);
  ExpectOneKey();
}

TEST_F(EngineDoubtTest, WhatWasNeverSentTakesAKeyOnceTheSystemWantsOne) {
  Begin(false);
  world_.transport.Script(NotSent());
  world_.Settle();
  world_.Edit("externalsystems", "cloud", [](Json* object) {
    object->ObjectAt("spec").Set("idempotency",
                                 Json::Of({{"in", "Header"}, {"name", "Idempotency-Key"}}));
  });
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
  world_.Nudge();
  ASSERT_EQ(Submits().size(), 2U);
  EXPECT_NE(HeaderOf(Submits()[1], "Idempotency-Key"), "");
}

TEST_F(EngineDoubtTest, WhatALookupFoundAndNobodyCanPollIsParked) {
  Begin(false, kLookup);
  world_.transport.Script(Ambiguous());
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) {
    return Answered(200, R"({"items":[{"id":"7"}]})");
  });
  world_.Pass(std::chrono::minutes(2));
  EXPECT_EQ(State(), "OutcomeUnknown");
  EXPECT_THAT(Message(), HasSubstr("poll.path"));
  EXPECT_EQ(Submits().size(), 1U);
}

TEST_F(EngineDoubtTest, AParkedOneIsAdoptedByTheUrlToPoll) {
  Begin(false);
  world_.transport.Script(Ambiguous());
  world_.transport.Handle(
      [](const kube::OutboundRequest& /*request*/) { return Answered(200, R"({"id":"vol-7"})"); });
  world_.Settle();
  ASSERT_EQ(State(), "OutcomeUnknown");
  world_.Annotate("asyncoperations", "op", "asyncops.dev/resolve", "Adopt:/v1/operations/7");
  world_.Pass(std::chrono::seconds(30));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(world_.transport.requests().back().uri.ToString(), kMonitor);
}

TEST_F(EngineDoubtTest, APollDoesNotShowASecretOfTheSubmit) {
  world_.Start();
  world_.Create(R"(
kind: Secret
apiVersion: v1
metadata: {name: acme}
data: {key: c2VjcmV0LWtleS00Mg==}
)");
  world_.Create(CloudYaml(true));
  std::string yaml = OperationYaml();
  const std::string_view path = "path: /volumes,";
  yaml.insert(yaml.find(path) + path.size(),
              " headers: [{name: X-Api-Key, valueFrom: {secretKeyRef: {name: acme, key: key}}}],");
  world_.Create(yaml);
  world_.transport.Script(Accepted());
  world_.transport.Script(
      Answered(422, R"({"error":{"code":"Rejected","message":"key secret-key-42 is old"}})"));
  world_.Pass(std::chrono::seconds(5));
  ASSERT_EQ(HeaderOf(world_.transport.requests()[0], "X-Api-Key"), "secret-key-42");
  ASSERT_EQ(HeaderOf(world_.transport.requests()[1], "X-Api-Key"), "");
  EXPECT_EQ(State(), "Failed");
  EXPECT_THAT(Message(), HasSubstr("[redacted]"));
  EXPECT_THAT(Message(), Not(HasSubstr("secret-key-42")));
}

TEST_F(EngineDoubtTest, PollsThatAreRefusedForAWhileFailNothing) {
  Begin(true, kOften);
  world_.transport.Script(Accepted());
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) {
    return Answered(302, "", {{"Location", "http://login.example/"}});
  });
  world_.Pass(std::chrono::seconds(45));
  EXPECT_EQ(State(), "Submitted");
  world_.transport.Handle(
      [](const kube::OutboundRequest& /*request*/) { return Answered(200, R"({"id":"vol-7"})"); });
  world_.Pass(std::chrono::seconds(5));
  EXPECT_EQ(State(), "Succeeded");
}

TEST_F(EngineDoubtTest, ADeleteThatFailsAtOnceIsNotTriedWithoutAPause) {
  world_.Start();
  world_.Create(CloudYaml(true));
  world_.Create(ResourceYaml("  retry: {tiers: [{delay: 300ms}]}\n"));
  // Without the output that the path of the delete needs.
  world_.transport.Handle(
      [](const kube::OutboundRequest& /*request*/) { return Answered(200, "{}"); });
  world_.Pass(std::chrono::milliseconds(2900), std::chrono::milliseconds(100));
  world_.Delete("asyncresources", "vol");
  world_.Pass(std::chrono::seconds(4), std::chrono::milliseconds(100));
  const std::vector<std::string> operations = world_.Operations();
  const auto made = std::find_if(operations.begin(), operations.end(), [](const std::string& name) {
    return name.find("-delete-") != std::string::npos;
  });
  ASSERT_NE(made, operations.end());
  EXPECT_GE(world_.Operation(*made).submission, 2);
  EXPECT_LE(world_.Operation(*made).submission, 14) << "more than one in 300 ms";
}

TEST_F(EngineDoubtTest, APageForPeopleIsNoAnswer) {
  Begin(true, kOften);
  const kube::Exchange page = Answered(200, "<html>log in</html>", {{"Content-Type", "text/html"}});
  world_.transport.Script(page);
  world_.transport.Script(Accepted());
  world_.transport.Script(page);
  world_.transport.Handle(
      [](const kube::OutboundRequest& /*request*/) { return Answered(200, R"({"id":"vol-7"})"); });
  world_.Pass(std::chrono::seconds(10));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(EncodeJson(world_.Operation("op").outputs), R"({"volumeID":"vol-7"})");
  EXPECT_EQ(Submits().size(), 2U);
  ExpectOneKey();
}

TEST_F(EngineDoubtTest, ASecretInTheNameOfAHeaderIsNotStored) {
  world_.Start();
  world_.Create(R"(
kind: Secret
apiVersion: v1
metadata: {name: acme}
data: {key: c2VjcmV0LWtleS00Mg==}
)");
  world_.Create(CloudYaml(true) + "  auth: {bearerTokenSecretRef: {name: acme, key: key}}\n");
  world_.Create(OperationYaml());
  world_.transport.Script(Answered(202, "", {{"Location", kMonitor}, {"X-secret-key-42", "1"}}));
  world_.Settle();
  EXPECT_THAT(world_.Row("op").submit_response, HasSubstr("x-[redacted]"));
  EXPECT_THAT(world_.Row("op").submit_response, Not(HasSubstr("secret-key-42")));
}

}  // namespace
}  // namespace asyncops::reconciler
