// What users ask for - retry, cancel, resolve, suspend, force - in each state that it can come in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utility>

#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kMonitor = "http://cloud.example/v1/operations/7";
constexpr const char* kRetry = "asyncops.dev/retry-requested-at";
constexpr const char* kCancel = "asyncops.dev/cancel-requested-at";
constexpr const char* kResolveAs = "asyncops.dev/resolve";
constexpr const char* kForce = "asyncops.dev/force-delete";
constexpr const char* kCancelStep = "  cancel: {method: POST, path: /cancel}\n";

kube::Exchange Accepted() { return Answered(202, "", {{"Location", kMonitor}}); }
kube::Exchange Done() { return Answered(200, R"({"id":"v1"})"); }

// Polls each hour: what comes sooner was asked for.
std::string SlowYaml() {
  std::string yaml = OperationYaml();
  const std::string_view interval = "initial: 1s, max: 10s";
  return yaml.replace(yaml.find(interval), interval.size(), "initial: 1h, max: 1h");
}

class EngineRequestsTest : public testing::Test {
 protected:
  void Begin(bool key, std::string_view more = "") {
    world_.Start();
    world_.Create(CloudYaml(key));
    world_.Create(OperationYaml(more));
  }
  void AnswerAll(const kube::Exchange& answer) {
    world_.transport.Handle([answer](const kube::OutboundRequest& /*request*/) { return answer; });
  }
  void Annotate(std::string_view annotation, std::string_view value) {
    world_.Annotate("asyncoperations", "op", annotation, value);
  }
  void Suspend(bool suspend) {
    world_.Edit("asyncoperations", "op",
                [suspend](Json* object) { object->ObjectAt("spec").Set("suspend", suspend); });
  }
  std::string State() { return world_.Operation("op").state; }
  std::string Ready() { return world_.Show(world_.Operation("op").conditions, "Ready"); }
  std::string Message(std::string_view type = "Ready") {
    const Conditions conditions = world_.Operation("op").conditions;
    const Condition* condition = FindCondition(conditions, type);
    return condition == nullptr ? "" : condition->message;
  }
  std::vector<std::string> Events() { return world_.Events("AsyncOperation", "op"); }
  // Parks: the answer to the submit was lost, and there is neither a key nor a look-up.
  void BeginParked() {
    Begin(false);
    world_.transport.Script(Ambiguous());
    world_.Settle();
    ASSERT_EQ(State(), "OutcomeUnknown");
  }
  std::size_t Calls() { return world_.transport.requests().size(); }

  EngineWorld world_;
};

TEST_F(EngineRequestsTest, ACancelThatCannotBeDoneOutsideIsSaidAndTheOperationFollowed) {
  Begin(true);
  AnswerAll(Accepted());
  world_.Pass(seconds(5));
  Annotate(kCancel, "1");
  world_.Pass(seconds(5));
  EXPECT_EQ(State(), "Running");
  EXPECT_THAT(Message(), HasSubstr("cannot be cancelled outside"));
  EXPECT_THAT(Events(), ElementsAre("Submitted", "CancelRefused"));
  world_.Pass(minutes(2));
  EXPECT_THAT(Events(), ElementsAre("Submitted", "CancelRefused")) << "one value is told once";
  AnswerAll(Done());
  world_.Pass(seconds(15));
  EXPECT_EQ(State(), "Succeeded");
}

TEST_F(EngineRequestsTest, ACancelWorksOnceTheDeclarationHasAWay) {
  Begin(true, kCancelStep);
  AnswerAll(Accepted());
  world_.Pass(seconds(5));
  Annotate(kCancel, "1");
  world_.Settle();
  EXPECT_EQ(State(), "Canceling");
  EXPECT_THAT(Events(), Not(Contains("CancelRefused")));
}

TEST_F(EngineRequestsTest, WhatComesTooLateOrTooEarlyIsRefusedWithTheReason) {
  AnswerAll(Done());
  Begin(true);
  world_.Pass(seconds(5));
  ASSERT_EQ(State(), "Succeeded");
  Annotate(kCancel, "1");
  Annotate(kRetry, "1");
  Annotate(kResolveAs, "Retry");
  world_.Pass(seconds(5));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_THAT(world_.EventMessages("AsyncOperation", "op", "CancelRefused"),
              ElementsAre("cancel asked for is refused: the operation is over: Succeeded"));
  EXPECT_THAT(world_.EventMessages("AsyncOperation", "op", "RequestRefused"),
              ElementsAre("resolve asked for is refused: only OutcomeUnknown can be resolved; the "
                          "state is Succeeded",
                          "retry asked for is refused: the operation has succeeded"));
  const storage::Revision revision = world_.store->revision();
  world_.Pass(hours(1), minutes(5));
  EXPECT_EQ(world_.store->revision(), revision) << "each value is refused once";
}

TEST_F(EngineRequestsTest, AResolutionBeforeTheFirstIntentIsRefusedToo) {
  world_.Start();
  world_.Create(OperationYaml());
  Annotate(kResolveAs, "Retry");
  world_.Settle();
  EXPECT_EQ(State(), "Pending");
  EXPECT_THAT(Events(), Contains("RequestRefused"));
  EXPECT_EQ(world_.Get("asyncoperations", "op").StringAt({"metadata", "annotations", kResolveAs}),
            "");
}

TEST_F(EngineRequestsTest, WhileTheOutcomeIsUnknownOnlyAResolutionHelps) {
  BeginParked();
  Annotate(kRetry, "1");
  Annotate(kCancel, "1");
  world_.Pass(minutes(1));
  EXPECT_EQ(State(), "OutcomeUnknown");
  EXPECT_EQ(Calls(), 1U);
  EXPECT_THAT(Events(),
              ElementsAre("SubmitFailed", "OutcomeUnknown", "RequestRefused", "CancelRefused"));
}

TEST_F(EngineRequestsTest, AResolutionThatIsNoneIsRefusedWithThoseThatThereAre) {
  for (const char* value : {"retry", "Adopt", "Adopt:", "ForceAdopt:", "yes"}) {
    EngineWorld world;
    world.Start();
    world.Create(CloudYaml(false));
    world.Create(OperationYaml());
    world.transport.Script(Ambiguous());
    world.Settle();
    world.Annotate("asyncoperations", "op", kResolveAs, value);
    world.Settle();
    EXPECT_EQ(world.Operation("op").state, "OutcomeUnknown") << value;
    EXPECT_THAT(world.EventMessages("AsyncOperation", "op", "RequestRefused"),
                ElementsAre(HasSubstr("Adopt:OPERATION-ID")))
        << value;
  }
}

TEST_F(EngineRequestsTest, SuspendAndResumeAreToldInEachState) {
  struct Row {
    const char* state;
    std::vector<kube::Exchange> answers;
    bool key;
    const char* reason;
  };
  const std::vector<Row> rows = {
      {"Backoff", {Answered(401)}, true, "nothing runs outside"},
      {"Recovering", {Answered(500)}, true, "something may run outside"},
      {"Submitted", {Accepted()}, true, "it runs outside"},
      {"OutcomeUnknown", {Ambiguous()}, false, "nobody knows"},
  };
  for (const Row& row : rows) {
    EngineWorld world;
    world.Start();
    world.Create(CloudYaml(row.key));
    world.Create(SlowYaml());
    for (const kube::Exchange& answer : row.answers) world.transport.Script(answer);
    world.Settle();
    ASSERT_EQ(world.Operation("op").state, row.state);
    const auto suspend = [&world](bool value) {
      world.Edit("asyncoperations", "op",
                 [value](Json* object) { object->ObjectAt("spec").Set("suspend", value); });
      world.Settle();
    };
    suspend(true);
    suspend(false);
    std::vector<std::string> told;
    for (std::string& reason : world.Events("AsyncOperation", "op")) {
      if (reason == "Suspended" || reason == "Resumed") told.push_back(std::move(reason));
    }
    EXPECT_THAT(told, ElementsAre("Suspended", "Resumed")) << row.state << ": " << row.reason;
  }
}

TEST_F(EngineRequestsTest, WhatIsSuspendedBeforeItIsSentSaysSoAndGoesOnAfterwards) {
  Begin(true, "  suspend: true\n");
  AnswerAll(Accepted());
  world_.Pass(hours(1), minutes(10));
  EXPECT_EQ(Calls(), 0U);
  EXPECT_EQ(Ready(), "False/Suspended");
  Suspend(false);
  world_.Settle();
  EXPECT_EQ(State(), "Submitted");
  EXPECT_THAT(Events(), ElementsAre("Suspended", "Resumed", "Submitted"));
}

TEST_F(EngineRequestsTest, ARunningOneIsFollowedWhileItIsSuspended) {
  Begin(true);
  AnswerAll(Accepted());
  world_.Pass(seconds(3));
  Suspend(true);
  world_.Pass(seconds(30));
  EXPECT_GT(Calls(), 4U);
  AnswerAll(Done());
  world_.Pass(seconds(15));
  EXPECT_EQ(State(), "Succeeded");
}

TEST_F(EngineRequestsTest, ARetryOfAFailedOneWaitsUntilItIsResumed) {
  Begin(true);
  world_.transport.Script(Answered(422));
  AnswerAll(Accepted());
  world_.Settle();
  ASSERT_EQ(State(), "Failed");
  Suspend(true);
  Annotate(kRetry, "1");
  world_.Pass(minutes(1));
  EXPECT_EQ(Calls(), 1U);
  EXPECT_THAT(Message(), HasSubstr("spec.suspend is true"));
  Suspend(false);
  world_.Settle();
  EXPECT_EQ(State(), "Submitted");
}

TEST_F(EngineRequestsTest, ARetryActsInEachStateThatWaits) {
  struct Row {
    const char* state;
    kube::Exchange answer;
    const char* reason;
  };
  const Row rows[] = {
      {"Backoff", NotSent(), "the send is due at once"},
      {"Recovering", Answered(500), "the repeat is due at once"},
      {"Submitted", Accepted(), "the poll is due at once"},
  };
  for (const Row& row : rows) {
    EngineWorld world;
    world.Start();
    world.Create(CloudYaml(true));
    world.Create(SlowYaml());
    world.transport.Script(row.answer);
    world.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
    world.Settle();
    ASSERT_EQ(world.Operation("op").state, row.state);
    const std::size_t before = world.transport.requests().size();
    world.Annotate("asyncoperations", "op", kRetry, "1");
    world.Settle();
    EXPECT_EQ(world.transport.requests().size(), before + 1) << row.reason;
    EXPECT_THAT(world.Events("AsyncOperation", "op"), Contains("RetryRequested")) << row.state;
  }
}

TEST_F(EngineRequestsTest, TheDeadlineMayBeEditedWhileItRuns) {
  Begin(true, "  activeDeadline: 24h\n");
  AnswerAll(Accepted());
  world_.Pass(minutes(10), seconds(30));
  const auto set = [this](const char* deadline) {
    world_.Edit("asyncoperations", "op", [deadline](Json* object) {
      object->ObjectAt("spec").Set("activeDeadline", deadline);
    });
  };
  set("15m");
  world_.Pass(minutes(4), seconds(30));
  EXPECT_EQ(State(), "Running");
  EXPECT_THAT(Message(), HasSubstr("Its time is over at 2026-01-01T00:15:00Z"));
  set("30m");
  world_.Pass(minutes(10), seconds(30));
  EXPECT_EQ(State(), "Running");
  set("5m");
  world_.Settle();
  EXPECT_EQ(State(), "Failed") << "it has run for longer";
}

TEST_F(EngineRequestsTest, ACancelThatNeverShowsEndsWithTheDeadlineAfterItsGrace) {
  Begin(true, std::string("  activeDeadline: 10m\n") + kCancelStep);
  AnswerAll(Accepted());
  world_.Pass(minutes(9) + seconds(50), seconds(10));
  Annotate(kCancel, "1");
  world_.Pass(minutes(4), seconds(10));
  EXPECT_EQ(State(), "Canceling") << "the deadline passed, the cancel's grace has not";
  EXPECT_THAT(Message(), HasSubstr("took the cancel at"));
  world_.Pass(minutes(2), seconds(10));
  EXPECT_EQ(State(), "Failed");
}

TEST_F(EngineRequestsTest, AnOrphanedOneSaysWhatItsDeletionWaitsForAndGoesByForce) {
  Begin(true);
  AnswerAll(Accepted());
  world_.Pass(seconds(5));
  world_.Delete("externalsystems", "cloud");
  world_.Delete("asyncoperations", "op");
  world_.Pass(minutes(4), seconds(30));
  EXPECT_EQ(Message("DeletionBlocked"), "") << "it is given some time";
  world_.Pass(minutes(2), seconds(30));
  EXPECT_EQ(world_.Show(world_.Operation("op").conditions, "DeletionBlocked"),
            "True/ExternalSystemNotFound");
  EXPECT_THAT(Message("DeletionBlocked"),
              HasSubstr("kubectl -n team annotate --overwrite asyncoperation/op "
                        "asyncops.dev/force-delete=true"));
  EXPECT_THAT(Events(), Contains("DeletionBlocked"));
  Annotate(kForce, "true");
  world_.Settle();
  EXPECT_FALSE(world_.Exists("asyncoperations", "op"));
  EXPECT_THAT(Events(), Contains("Orphaned"));
}

TEST_F(EngineRequestsTest, ARunningOneThatCannotBeCancelledSaysHowLongItsDeletionMayTake) {
  Begin(true, "  activeDeadline: 2h\n");
  AnswerAll(Accepted());
  world_.Pass(seconds(5));
  world_.Delete("asyncoperations", "op");
  world_.Pass(minutes(6), seconds(30));
  EXPECT_THAT(Message("DeletionBlocked"), HasSubstr("until 2026-01-01T02:00:00Z at most"));
  world_.Pass(hours(2), minutes(1));
  EXPECT_FALSE(world_.Exists("asyncoperations", "op"));
}

TEST_F(EngineRequestsTest, TheDeadlineEndsWhatHasNoSystemAnyMore) {
  Begin(true, "  activeDeadline: 1h\n");
  AnswerAll(Accepted());
  world_.Pass(seconds(5));
  world_.Delete("externalsystems", "cloud");
  world_.Pass(minutes(30), minutes(1));
  EXPECT_EQ(Ready(), "False/ExternalSystemNotFound");
  world_.Pass(minutes(40), minutes(1));
  EXPECT_EQ(State(), "Failed");
  EXPECT_EQ(Ready(), "False/DeadlineExceeded");
}

TEST_F(EngineRequestsTest, ForceMeansNothingWithoutADeletionAndOnlyTrueIsForce) {
  Begin(true);
  AnswerAll(Accepted());
  world_.Pass(seconds(3));
  Annotate(kForce, "true");
  world_.Pass(seconds(3));
  EXPECT_TRUE(world_.Exists("asyncoperations", "op"));
  Annotate(kForce, "no");
  world_.Delete("asyncoperations", "op");
  world_.Pass(seconds(3));
  EXPECT_TRUE(world_.Exists("asyncoperations", "op"));
}

TEST_F(EngineRequestsTest, AParkedOneGoesByForceToo) {
  BeginParked();
  world_.Delete("asyncoperations", "op");
  world_.Settle();
  EXPECT_EQ(world_.Show(world_.Operation("op").conditions, "DeletionBlocked"),
            "True/OutcomeUnknown");
  Annotate(kForce, "true");
  world_.Settle();
  EXPECT_FALSE(world_.Exists("asyncoperations", "op"));
}

TEST_F(EngineRequestsTest, TheHistoryNamesWhoAsked) {
  Begin(true, kCancelStep);
  AnswerAll(Accepted());
  world_.Pass(seconds(3));
  Annotate("asyncops.dev/requested-by", "alice");
  Annotate(kRetry, "1");
  world_.Settle();
  Annotate("asyncops.dev/requested-by", "bob");
  Suspend(true);
  world_.Settle();
  Annotate("asyncops.dev/requested-by", "carol");
  Annotate(kCancel, "1");
  world_.Settle();
  std::vector<std::string> said;
  for (const storage::Attempt& attempt : world_.History("op")) {
    if (attempt.action == "RetryRequested" || attempt.action == "Suspend" ||
        attempt.action == "CancelIntent")
      said.push_back(attempt.message.substr(0, attempt.message.find(':')));
  }
  EXPECT_THAT(said, ElementsAre("retry requested by alice", "spec.suspend was set to true by bob",
                                "CancelRequested by carol"));
}

TEST_F(EngineRequestsTest, TheHistoryOfAResolutionNamesWhoResolved) {
  BeginParked();
  Annotate("asyncops.dev/requested-by", "dave");
  Annotate(kResolveAs, "Fail");
  world_.Settle();
  EXPECT_EQ(State(), "Failed");
  EXPECT_THAT(world_.History("op").back().message, testing::EndsWith(" by dave"));
}

TEST_F(EngineRequestsTest, AStepThatTheHistoryTellsHasItsTargetAndItsNextTime) {
  Begin(true, std::string(kCancelStep));
  AnswerAll(Accepted());
  world_.Pass(seconds(3));
  Annotate(kCancel, "1");
  world_.Settle();
  for (const storage::Attempt& attempt : world_.History("op")) {
    SCOPED_TRACE(attempt.action);
    const bool called =
        attempt.action == "Submit" || attempt.action == "Poll" || attempt.action == "Cancel";
    EXPECT_EQ(attempt.url.empty(), !called && attempt.action != "Intent");
    EXPECT_NE(attempt.next_step, "");
    EXPECT_GT(attempt.owner_epoch, 0);
    if (attempt.action == "Submit" || attempt.action == "Poll") {
      EXPECT_TRUE(attempt.next_attempt_at.has_value());
    }
  }
}

TEST_F(EngineRequestsTest, ProgressIsShownAsTheSystemSaysItAndToldOncePerStep) {
  world_.Start();
  world_.Create(CloudYaml(true));
  std::string yaml = OperationYaml();
  const std::string_view poll = "poll: {";
  world_.Create(yaml.insert(yaml.find(poll) + poll.size(), "progress: response.body.percent, "));
  world_.transport.Script(Accepted());
  for (const char* percent : {"30", "20", "30", "55", "40"}) {
    world_.transport.Script(Answered(202, std::string("{\"percent\":") + percent + "}"));
  }
  AnswerAll(Answered(202, R"({"percent":40})"));
  world_.Pass(seconds(40));
  EXPECT_EQ(world_.Operation("op").progress, "40%");
  EXPECT_THAT(world_.EventMessages("AsyncOperation", "op", "ProgressChanged"),
              ElementsAre("progress is 30%", "progress is 55%"));
}

}  // namespace
}  // namespace asyncops::reconciler
