// Operations from intent to end, on the real store and protocol.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kMonitor = "http://cloud.example/v1/operations/7";

kube::Exchange Accepted() { return Answered(202, "", {{"Location", kMonitor}}); }
kube::Exchange Done() { return Answered(200, R"({"id":"v1","size":"1Gi"})"); }

class EngineOperationTest : public testing::Test {
 protected:
  void Begin(bool key, std::string_view more = "") {
    world_.Start();
    world_.Create(CloudYaml(key));
    world_.Create(OperationYaml(more));
  }
  std::string Ready() { return world_.Show(world_.Operation("op").conditions, "Ready"); }
  std::string State() { return world_.Operation("op").state; }

  EngineWorld world_;
};

TEST_F(EngineOperationTest, RunsFromPendingToSucceeded) {
  Begin(true);
  world_.transport.Script(Accepted());
  world_.transport.Script(Accepted());
  world_.transport.Script(Done());
  world_.Settle();
  EXPECT_EQ(State(), "Submitted");
  EXPECT_EQ(Ready(), "False/StatusCheckInProgress");
  EXPECT_EQ(world_.Operation("op").phase, "Running");
  world_.Pass(std::chrono::seconds(2));
  EXPECT_EQ(State(), "Running");
  world_.Pass(std::chrono::seconds(10));
  const AsyncOperationStatus status = world_.Operation("op");
  EXPECT_EQ(status.state, "Succeeded");
  EXPECT_EQ(Ready(), "True/Available");
  EXPECT_EQ(status.outputs, Json::Of({{"volumeID", "v1"}}));
  EXPECT_EQ(status.poll_url, kMonitor);
  EXPECT_TRUE(status.completion_time.has_value());
  EXPECT_THAT(world_.Events("AsyncOperation", "op"), ElementsAre("Submitted", "Succeeded"));
  EXPECT_EQ(world_.transport.requests().size(), 3U);
}

TEST_F(EngineOperationTest, PutsTheIntentOnDiskBeforeTheCall) {
  Begin(true);
  storage::OperationRow seen;
  world_.transport.Handle([this, &seen](const kube::OutboundRequest& /*request*/) {
    seen = world_.Row("op");
    return Accepted();
  });
  world_.Settle();
  EXPECT_EQ(seen.state, "Intent");
  EXPECT_EQ(seen.url, "http://cloud.example/v1/volumes");
  EXPECT_EQ(seen.body, R"({"size":"1Gi"})");
  EXPECT_EQ(seen.body_sha256.size(), 64U);
  const kube::OutboundRequest sent = world_.transport.requests().front();
  EXPECT_EQ(HeaderOf(sent, "Idempotency-Key"), seen.idempotency_key);
  EXPECT_EQ(HeaderOf(sent, "X-Correlation-Id"), seen.correlation_id);
  EXPECT_EQ(sent.body, seen.body);
}

TEST_F(EngineOperationTest, AnUnchangedPollWritesNothing) {
  Begin(true);
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
  world_.Pass(std::chrono::seconds(3));
  ASSERT_EQ(State(), "Running");
  const storage::Revision revision = world_.store->revision();
  const storage::OperationRow row = world_.Row("op");
  const std::size_t calls = world_.transport.requests().size();
  world_.Pass(std::chrono::minutes(2));
  EXPECT_GT(world_.transport.requests().size(), calls + 8);
  EXPECT_EQ(world_.store->revision(), revision);
  EXPECT_EQ(world_.Row("op"), row);
}

TEST_F(EngineOperationTest, ARecoverableRejectionIsSubmittedAnewWithANewKey) {
  Begin(true);
  world_.transport.Script(Answered(401, R"({"error":"token expired"})"));
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
  world_.Settle();
  EXPECT_EQ(State(), "Backoff");
  EXPECT_EQ(Ready(), "False/Retrying");
  EXPECT_EQ(world_.Operation("op").retry_count, 1);
  EXPECT_TRUE(world_.Operation("op").next_attempt_time.has_value());
  EXPECT_EQ(world_.Operation("op").failure_details.size(), 1U);
  world_.Pass(std::chrono::minutes(6));
  EXPECT_EQ(State(), "Running");
  EXPECT_EQ(world_.Operation("op").submission, 2);
  const std::vector<kube::OutboundRequest> sent = world_.transport.requests();
  EXPECT_NE(HeaderOf(sent[0], "Idempotency-Key"), HeaderOf(sent[1], "Idempotency-Key"));
  EXPECT_THAT(world_.Events("AsyncOperation", "op"), ElementsAre("SubmitFailed", "Submitted"));
}

TEST_F(EngineOperationTest, WhatWasNotSentIsSentAgainAsTheSameSubmission) {
  Begin(true);
  world_.transport.Script(NotSent());
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
  world_.Settle();
  EXPECT_EQ(State(), "Backoff");
  world_.Pass(std::chrono::seconds(12));
  EXPECT_EQ(State(), "Running");
  EXPECT_EQ(world_.Operation("op").submission, 1);
  EXPECT_EQ(world_.Operation("op").attempt, 2);
  const std::vector<kube::OutboundRequest> sent = world_.transport.requests();
  EXPECT_EQ(HeaderOf(sent[0], "Idempotency-Key"), HeaderOf(sent[1], "Idempotency-Key"));
}

TEST_F(EngineOperationTest, ATerminalRejectionFailsAtOnceAndIsNotRetried) {
  Begin(true);
  world_.transport.Script(Answered(422, R"({"error":{"code":"BadSize","message":"no"}})"));
  world_.Pass(std::chrono::hours(2), std::chrono::minutes(5));
  EXPECT_EQ(State(), "Failed");
  const Conditions conditions = world_.Operation("op").conditions;
  EXPECT_EQ(world_.Show(conditions, "AsyncOperationCompleted"), "True/Failed");
  EXPECT_TRUE(world_.Show(conditions, "TerminalError").starts_with("True/"));
  EXPECT_EQ(world_.transport.requests().size(), 1U);
  EXPECT_THAT(world_.Events("AsyncOperation", "op"), ElementsAre("TerminalError"));
}

TEST_F(EngineOperationTest, AFailedOperationIsSubmittedAnewWhenAsked) {
  Begin(true);
  world_.transport.Script(Answered(422));
  world_.transport.Script(Accepted());
  world_.transport.Script(Done());
  world_.Settle();
  ASSERT_EQ(State(), "Failed");
  world_.Annotate("asyncoperations", "op", "asyncops.dev/retry-requested-at", "1");
  world_.Pass(std::chrono::seconds(5));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(world_.Operation("op").submission, 2);
  world_.Pass(std::chrono::seconds(5));
  EXPECT_EQ(world_.transport.requests().size(), 3U) << "one value acts once";
}

TEST_F(EngineOperationTest, ThrottlingWaitsAsToldAndSpendsNoRetry) {
  Begin(true, "  retry: {limit: 1}\n");
  for (int i = 0; i < 3; ++i) world_.transport.Script(Answered(429, "", {{"Retry-After", "30"}}));
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
  world_.Settle();
  EXPECT_EQ(State(), "Backoff");
  EXPECT_EQ(world_.Show(world_.Operation("op").conditions, "Throttled"), "True/RetryAfter");
  EXPECT_EQ(world_.Operation("op").retry_count, 0);
  world_.Pass(std::chrono::seconds(29));
  EXPECT_EQ(world_.transport.requests().size(), 1U);
  world_.Pass(std::chrono::minutes(2));
  EXPECT_EQ(State(), "Running");
  EXPECT_EQ(world_.Show(world_.Operation("op").conditions, "Throttled"), "");
}

TEST_F(EngineOperationTest, TheRetryLimitEndsIt) {
  Begin(true, "  retry: {limit: 2}\n");
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return NotSent(); });
  world_.Pass(std::chrono::minutes(1));
  EXPECT_EQ(State(), "Failed");
  EXPECT_EQ(world_.transport.requests().size(), 3U);
}

TEST_F(EngineOperationTest, PollsThatFailDoNotFailTheOperation) {
  Begin(true);
  world_.transport.Script(Accepted());
  for (int i = 0; i < 4; ++i) world_.transport.Script(Ambiguous());
  world_.transport.Script(Done());
  world_.Pass(std::chrono::seconds(5));
  EXPECT_EQ(State(), "Submitted");
  EXPECT_EQ(world_.Operation("op").failure_details.size(), 1U);
  world_.Pass(std::chrono::minutes(4));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_THAT(world_.Events("AsyncOperation", "op"),
              ElementsAre("Submitted", "PollFailed", "PollFailed", "Succeeded"))
      << "the first one, and where the wait changes its tier";
}

TEST_F(EngineOperationTest, AnOperationThatTheSystemForgotFailsAfterAMinute) {
  Begin(true);
  world_.transport.Script(Accepted());
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Answered(404); });
  world_.Pass(std::chrono::seconds(30));
  EXPECT_EQ(State(), "Submitted");
  world_.Pass(std::chrono::minutes(4));
  EXPECT_EQ(State(), "Failed");
  EXPECT_EQ(Ready(), "False/OperationNotFound");
}

TEST_F(EngineOperationTest, TheDeadlineCancelsWhereItCan) {
  Begin(true, "  activeDeadline: 1m\n  cancel: {method: POST, path: /cancel}\n");
  world_.transport.Handle([](const kube::OutboundRequest& request) {
    if (PathOf(request).ends_with("/cancel")) return Answered(200);
    return Accepted();
  });
  world_.Pass(std::chrono::seconds(59));
  EXPECT_EQ(State(), "Running");
  world_.Pass(std::chrono::seconds(2));
  EXPECT_EQ(State(), "Canceling");
  world_.Pass(std::chrono::minutes(6));
  EXPECT_EQ(State(), "Failed");
  EXPECT_EQ(Ready(), "False/DeadlineExceeded");
  EXPECT_THAT(world_.Events("AsyncOperation", "op"), ElementsAre("Submitted", "DeadlineExceeded"));
}

TEST_F(EngineOperationTest, ARetryAfterTheDeadlineAsksWhetherTheFirstOneStillRuns) {
  Begin(true, "  activeDeadline: 1m\n");
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
  world_.Pass(std::chrono::minutes(2));
  ASSERT_EQ(Ready(), "False/DeadlineExceeded");
  const auto submits = [this] {
    int count = 0;
    for (const kube::OutboundRequest& request : world_.transport.requests())
      count += request.method == "POST" ? 1 : 0;
    return count;
  };
  world_.Annotate("asyncoperations", "op", "asyncops.dev/retry-requested-at", "1");
  world_.Pass(std::chrono::seconds(5));
  EXPECT_EQ(State(), "OutcomeUnknown");
  EXPECT_FALSE(world_.Operation("op").completion_time.has_value());
  EXPECT_EQ(submits(), 1) << "a second one would run beside the first";

  world_.Annotate("asyncoperations", "op", "asyncops.dev/resolve", "Fail");
  world_.Pass(std::chrono::seconds(5));
  EXPECT_EQ(State(), "Failed") << "one value of the annotation acts once";

  world_.Annotate("asyncoperations", "op", "asyncops.dev/retry-requested-at", "2");
  world_.Pass(std::chrono::seconds(5));
  EXPECT_EQ(world_.Operation("op").submission, 2) << "resolved: nothing runs";
}

TEST_F(EngineOperationTest, SuspendHoldsTheSubmitAndSaysSo) {
  Begin(true, "  suspend: true\n");
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
  world_.Pass(std::chrono::minutes(1));
  EXPECT_EQ(world_.transport.requests().size(), 0U);
  EXPECT_EQ(Ready(), "False/Suspended");
  world_.Edit("asyncoperations", "op",
              [](Json* object) { object->ObjectAt("spec").Set("suspend", false); });
  world_.Pass(std::chrono::seconds(5));
  EXPECT_EQ(State(), "Running");
  EXPECT_THAT(world_.Events("AsyncOperation", "op"),
              ElementsAre("Suspended", "Resumed", "Submitted"));
}

TEST_F(EngineOperationTest, AMissingSystemIsWaitedFor) {
  world_.Start();
  world_.Create(OperationYaml());
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
  world_.Settle();
  EXPECT_EQ(Ready(), "False/ExternalSystemNotFound");
  EXPECT_EQ(world_.Operation("op").phase, "Pending");
  world_.Create(CloudYaml(true));
  world_.Settle();
  EXPECT_EQ(State(), "Submitted");
}

TEST_F(EngineOperationTest, AMissingSecretIsToldAndItsComingWakes) {
  Begin(true);
  world_.Edit("externalsystems", "cloud", [](Json* object) {
    object->ObjectAt("spec").Set(
        "auth",
        Json::Of({{"bearerTokenSecretRef", Json::Of({{"name", "acme"}, {"key", "token"}})}}));
  });
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
  world_.Settle();
  EXPECT_EQ(State(), "Backoff");
  EXPECT_THAT(world_.Events("AsyncOperation", "op"), ElementsAre("CredentialsMissing"));
  EXPECT_EQ(world_.transport.requests().size(), 0U);
  world_.Create("{kind: Secret, apiVersion: v1, metadata: {name: acme}, data: {token: czNjcjN0}}");
  world_.Nudge();
  EXPECT_EQ(State(), "Submitted");
  EXPECT_EQ(HeaderOf(world_.transport.requests().front(), "Authorization"), "Bearer s3cr3t");
}

TEST_F(EngineOperationTest, DeletingARunningOneWaitsForItsEndAndTakesTheRowsAlong) {
  Begin(true);
  const std::string uid(world_.Get("asyncoperations", "op").StringAt({"metadata", "uid"}));
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
  world_.Pass(std::chrono::seconds(3));
  world_.Delete("asyncoperations", "op");
  world_.Pass(std::chrono::seconds(3));
  EXPECT_EQ(Ready(), "False/Deleting");
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Done(); });
  world_.Pass(std::chrono::seconds(30));
  EXPECT_FALSE(world_.Exists("asyncoperations", "op"));
  EXPECT_FALSE(world_.store->engine().LatestOperation(uid).ok());
  EXPECT_THAT(*world_.store->engine().History(uid, 0, 10), IsEmpty());
}

TEST_F(EngineOperationTest, TimeToLiveRemovesIt) {
  Begin(true, "  ttlAfterFinished: 1m\n");
  world_.transport.Script(Accepted());
  world_.transport.Script(Done());
  world_.Pass(std::chrono::seconds(10));
  EXPECT_EQ(State(), "Succeeded");
  world_.Pass(std::chrono::minutes(1));
  EXPECT_FALSE(world_.Exists("asyncoperations", "op"));
}

TEST_F(EngineOperationTest, ACancelThatIsAskedForIsSentAndItsEndAwaited) {
  Begin(true, "  cancel: {method: POST, path: /cancel}\n");
  bool cancelled = false;
  world_.transport.Handle([&cancelled](const kube::OutboundRequest& request) {
    if (!PathOf(request).ends_with("/cancel")) return cancelled ? Done() : Accepted();
    cancelled = true;
    return Answered(202);
  });
  world_.Pass(std::chrono::seconds(3));
  world_.Annotate("asyncoperations", "op", "asyncops.dev/cancel-requested-at", "1");
  world_.Settle();
  EXPECT_TRUE(cancelled);
  EXPECT_EQ(State(), "Succeeded") << "what was done before the cancel came is done";
}

TEST_F(EngineOperationTest, ACancelBeforeTheSubmitSendsNothing) {
  Begin(true, "  suspend: true\n");
  world_.Settle();
  world_.Annotate("asyncoperations", "op", "asyncops.dev/cancel-requested-at", "1");
  world_.Settle();
  EXPECT_EQ(State(), "Canceled");
  EXPECT_EQ(world_.Operation("op").phase, "Canceled");
  EXPECT_EQ(world_.transport.requests().size(), 0U);
  EXPECT_THAT(world_.Events("AsyncOperation", "op"), ElementsAre("Suspended", "Canceled"));
}

TEST_F(EngineOperationTest, TheResultIsReadWhereTheDeclarationSays) {
  Begin(true);
  world_.Edit("asyncoperations", "op", [](Json* object) {
    object->ObjectAt("spec")["poll"].Set(
        "result", Json::Of({{"from", "URL"}, {"url", "http://cloud.example/v1/volumes/1"}}));
  });
  int reads = 0;
  world_.transport.Handle([&reads](const kube::OutboundRequest& request) {
    if (request.method == "POST") return Accepted();
    if (!PathOf(request).ends_with("/volumes/1")) return Answered(200, "{}");
    return ++reads == 1 ? Answered(503) : Done();
  });
  world_.Pass(std::chrono::seconds(3));
  EXPECT_EQ(State(), "Fetching");
  EXPECT_EQ(world_.Operation("op").phase, "Running");
  world_.Pass(std::chrono::seconds(15));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(world_.Operation("op").outputs, Json::Of({{"volumeID", "v1"}}));
}

TEST_F(EngineOperationTest, HistoryTellsEachStep) {
  Begin(true);
  world_.transport.Script(Accepted());
  world_.transport.Script(Done());
  world_.Pass(std::chrono::seconds(10));
  const std::string uid(world_.Get("asyncoperations", "op").StringAt({"metadata", "uid"}));
  std::string history;
  const Result<std::vector<storage::Attempt>> attempts = world_.store->engine().History(uid, 0, 10);
  for (const storage::Attempt& attempt : *attempts)
    history += attempt.action + "=" + attempt.state + " ";
  EXPECT_EQ(history, "Intent=Intent Submit=Submitted Poll=Succeeded ");
}

}  // namespace
}  // namespace asyncops::reconciler
