// Answers that are lost, and processes that die: nothing is made twice, nothing is forgotten.
#include <array>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

using testing::ElementsAre;

constexpr const char* kMonitor = "http://cloud.example/v1/operations/7";
constexpr const char* kLookup =
    "  recovery: {lookup: {path: \"/volumes?c=${operation.correlationID}\", "
    "found: size(response.body.items) > 0, id: /items/0/id, settle: 1m}}\n";

kube::Exchange Accepted() { return Answered(202, "", {{"Location", kMonitor}}); }

class EngineRecoveryTest : public testing::Test {
 protected:
  void Begin(bool key, std::string_view more = "") {
    world_.Start();
    world_.Create(CloudYaml(key));
    world_.Create(OperationYaml(more));
  }
  std::string Ready() { return world_.Show(world_.Operation("op").conditions, "Ready"); }
  std::string State() { return world_.Operation("op").state; }
  // Requests that would make something.
  std::vector<kube::OutboundRequest> Submits() {
    std::vector<kube::OutboundRequest> submits;
    for (const kube::OutboundRequest& request : world_.transport.requests()) {
      if (request.method == "POST") submits.push_back(request);
    }
    return submits;
  }

  EngineWorld world_;
};

TEST_F(EngineRecoveryTest, ALostAnswerIsFollowedByTheSameBytesAndKey) {
  Begin(true);
  world_.transport.Script(Ambiguous());
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
  world_.Settle();
  EXPECT_EQ(State(), "Recovering");
  world_.Pass(std::chrono::seconds(12));
  EXPECT_EQ(State(), "Running");
  const std::vector<kube::OutboundRequest> sent = Submits();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].headers, sent[1].headers);
  EXPECT_EQ(sent[0].body, sent[1].body);
  EXPECT_EQ(world_.Operation("op").submission, 1);
}

TEST_F(EngineRecoveryTest, ARejectedRepeatKeepsTheKey) {
  Begin(true);
  world_.transport.Script(Ambiguous());
  world_.transport.Script(Answered(409, R"({"error":"in progress"})"));
  world_.transport.Script(Answered(429, "", {{"Retry-After", "1"}}));
  world_.transport.Script(NotSent());
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
  world_.Pass(std::chrono::minutes(3));
  EXPECT_EQ(State(), "Running");
  const std::vector<kube::OutboundRequest> sent = Submits();
  ASSERT_EQ(sent.size(), 5U);
  for (const kube::OutboundRequest& request : sent)
    EXPECT_EQ(HeaderOf(request, "Idempotency-Key"), HeaderOf(sent[0], "Idempotency-Key"));
}

TEST_F(EngineRecoveryTest, WithoutKeyAndLookupItIsParkedAndSaysHowToResolveIt) {
  Begin(false);
  world_.transport.Script(Ambiguous());
  world_.Pass(std::chrono::hours(48), std::chrono::minutes(30));
  EXPECT_EQ(State(), "OutcomeUnknown");
  EXPECT_EQ(Ready(), "Unknown/OutcomeUnknown");
  EXPECT_EQ(Submits().size(), 1U) << "never resent blindly";
  const std::string message = FindCondition(world_.Operation("op").conditions, "Ready")->message;
  EXPECT_NE(message.find(world_.Row("op").correlation_id), std::string::npos) << message;
  EXPECT_NE(message.find("asyncops.dev/resolve"), std::string::npos) << message;
  EXPECT_THAT(world_.Events("AsyncOperation", "op"), ElementsAre("SubmitFailed", "OutcomeUnknown"));
}

TEST_F(EngineRecoveryTest, AParkedOneIsAdopted) {
  Begin(false, "");
  world_.transport.Script(Ambiguous());
  world_.Settle();
  ASSERT_EQ(State(), "OutcomeUnknown");
  world_.Annotate("asyncoperations", "op", "asyncops.dev/resolve", "Adopt:7");
  world_.Settle();
  EXPECT_EQ(world_.Operation("op").operation_id, "7");
  EXPECT_EQ(Submits().size(), 1U);
  EXPECT_EQ(world_.Get("asyncoperations", "op")
                .FindPath({"metadata", "annotations", "asyncops.dev/resolve"}),
            nullptr)
      << "an answered request goes, so that it can be made again";
}

TEST_F(EngineRecoveryTest, AParkedOneIsRetriedAsANewSubmission) {
  Begin(false);
  world_.transport.Script(Ambiguous());
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
  world_.Settle();
  world_.Annotate("asyncoperations", "op", "asyncops.dev/resolve", "Retry");
  world_.Settle();
  EXPECT_EQ(State(), "Submitted");
  EXPECT_EQ(world_.Operation("op").submission, 2);
}

TEST_F(EngineRecoveryTest, AParkedOneIsFailed) {
  Begin(false);
  world_.transport.Script(Ambiguous());
  world_.Settle();
  world_.Annotate("asyncoperations", "op", "asyncops.dev/resolve", "Fail");
  world_.Settle();
  EXPECT_EQ(State(), "Failed");
  EXPECT_EQ(Ready(), "False/OutcomeUnknown");
}

TEST_F(EngineRecoveryTest, ALookUpUnderARateLimitLeadsToTheRepeatedSend) {
  std::string cloud = CloudYaml(false);
  const std::string plain = "limits: {requestTimeout: 10s}";
  cloud.replace(cloud.find(plain), plain.size(),
                "limits: {requestTimeout: 10s, requestsPerSecond: 0.1, burst: 1}");
  world_.Start();
  world_.Create(cloud);
  world_.Create(OperationYaml(kLookup));
  world_.transport.Script(Ambiguous());
  world_.transport.Handle([](const kube::OutboundRequest& request) {
    return request.method == "POST" ? Accepted() : Answered(200, R"({"items":[]})");
  });
  world_.Pass(std::chrono::seconds(80));
  EXPECT_EQ(Submits().size(), 2U) << "it is sent with the look-up's leave, not behind it";
  EXPECT_NE(State(), "Recovering");
}

TEST_F(EngineRecoveryTest, ARepeatedSendThatIsRefusedKeepsToTheTiers) {
  std::string lookup = kLookup;
  lookup.replace(lookup.find("settle: 1m"), 10, "settle: 1s");
  Begin(false, lookup + "  retry: {tiers: [{delay: 10m}]}\n");
  world_.transport.Script(Ambiguous());
  world_.transport.Handle([](const kube::OutboundRequest& request) {
    return request.method == "POST" ? Answered(401) : Answered(200, R"({"items":[]})");
  });
  world_.Pass(std::chrono::minutes(8), std::chrono::seconds(5));
  const std::size_t first = Submits().size();
  EXPECT_LE(first, 2U) << "the refusal, and nothing more before the tier is over";
  EXPECT_LE(world_.transport.requests().size(), 8U) << "nor is it looked for all the time";
  world_.Pass(std::chrono::minutes(20), std::chrono::seconds(5));
  EXPECT_GT(Submits().size(), first) << "it goes on";
  EXPECT_LE(Submits().size(), first + 3);
  const std::size_t before = Submits().size();
  world_.Nudge();
  EXPECT_EQ(Submits().size(), before + 1) << "credentials may have changed: tried at once";
  world_.transport.Handle([](const kube::OutboundRequest& request) {
    return request.method == "POST" ? Accepted() : Answered(200, R"({"items":[]})");
  });
  world_.Annotate("asyncoperations", "op", "asyncops.dev/retry-requested-at", "now");
  world_.Pass(std::chrono::seconds(3));
  EXPECT_EQ(State(), "Succeeded") << "a person who asks does not wait either";
}

TEST_F(EngineRecoveryTest, ALookUpThatHitsAdopts) {
  Begin(false, kLookup);
  world_.transport.Script(Ambiguous());
  world_.transport.Script(Answered(200, R"({"items":[{"id":"7"}]})"));
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
  world_.Settle();
  EXPECT_EQ(world_.Operation("op").operation_id, "7");
  EXPECT_EQ(Submits().size(), 1U);
  EXPECT_THAT(world_.Events("AsyncOperation", "op"), ElementsAre("SubmitFailed", "Adopted"));
}

TEST_F(EngineRecoveryTest, AMissCountsOnlyWhenNothingOfOursCanBeUnderWay) {
  Begin(false, kLookup);
  world_.transport.Script(Ambiguous());
  world_.transport.Handle([](const kube::OutboundRequest& request) {
    return request.method == "GET" && PathOf(request).ends_with("/volumes")
               ? Answered(200, R"({"items":[]})")
               : Accepted();
  });
  world_.Pass(std::chrono::seconds(59));
  EXPECT_EQ(State(), "Recovering");
  EXPECT_EQ(Submits().size(), 1U);
  world_.Pass(std::chrono::seconds(3));
  EXPECT_EQ(Submits().size(), 2U);
  EXPECT_EQ(Submits()[0].body, Submits()[1].body);
  EXPECT_EQ(world_.Operation("op").submission, 1);
  EXPECT_NE(State(), "Recovering");
}

// With a key and a look-up: the first answer is lost, the repeated send is refused.
kube::Exchange RefuseRepeats(std::string_view found, const kube::OutboundRequest& request) {
  if (request.method == "GET" && PathOf(request).ends_with("/volumes"))
    return Answered(200, std::string(found));
  return request.method == "POST" ? Answered(422, R"({"error":"the name is taken"})") : Accepted();
}

TEST_F(EngineRecoveryTest, ARefusedRepeatIsLookedForBeforeItFails) {
  Begin(true, kLookup);
  world_.transport.Script(Ambiguous());
  world_.transport.Handle([](const kube::OutboundRequest& request) {
    return RefuseRepeats(R"({"items":[{"id":"7"}]})", request);
  });
  world_.Pass(std::chrono::minutes(2));
  EXPECT_EQ(world_.Operation("op").operation_id, "7");
  EXPECT_NE(State(), "Failed");
  EXPECT_EQ(Submits().size(), 2U);
}

TEST_F(EngineRecoveryTest, ARefusedRepeatFailsWhereTheLookUpFindsNothing) {
  Begin(true, kLookup);
  world_.transport.Script(Ambiguous());
  world_.transport.Handle([](const kube::OutboundRequest& request) {
    return RefuseRepeats(R"({"items":[]})", request);
  });
  world_.Pass(std::chrono::minutes(5));
  EXPECT_EQ(State(), "Failed");
  EXPECT_EQ(world_.Show(world_.Operation("op").conditions, "TerminalError").substr(0, 5), "True/");
  EXPECT_EQ(Submits().size(), 2U);
}

TEST_F(EngineRecoveryTest, ContradictingAnswersAreAskedAgainAtTheRetryPace) {
  Begin(true,
        "  recovery: {adoptOn: [409], lookup: {path: \"/volumes?c=${operation.correlationID}\", "
        "found: size(response.body.items) > 0, id: /items/0/id, settle: 1m}}\n");
  world_.transport.Script(Ambiguous());
  world_.transport.Handle([](const kube::OutboundRequest& request) {
    return request.method == "GET" ? Answered(200, R"({"items":[]})") : Answered(409, "{}");
  });
  world_.Pass(std::chrono::minutes(10));
  EXPECT_EQ(State(), "Recovering");
  EXPECT_LT(Submits().size(), 12U) << "ten minutes of the tiers, not of a loop";
}

TEST_F(EngineRecoveryTest, AnOperationThatTheSystemForgotIsLookedForBeforeItFails) {
  Begin(true, kLookup);
  world_.transport.Script(Accepted());
  int lookups = 0;
  world_.transport.Handle([&lookups](const kube::OutboundRequest& request) {
    if (!PathOf(request).ends_with("/volumes")) return Answered(404);
    ++lookups;
    return Answered(200, R"({"items":[]})");
  });
  world_.Pass(std::chrono::minutes(4));
  EXPECT_EQ(State(), "Failed");
  EXPECT_EQ(Ready(), "False/OperationNotFound");
  EXPECT_EQ(lookups, 1);
  EXPECT_EQ(Submits().size(), 1U) << "it did take effect once: it is not sent again";
}

// A cloud that outlives the processes that call it: what it made is in a file, a key a line.
class LastingCloud {
 public:
  explicit LastingCloud(std::string path) : path_(std::move(path)) {}

  kube::Exchange Serve(const kube::OutboundRequest& request) const {
    if (request.method != "POST") return Answered(200, R"({"id":"v1"})");
    const std::string key = HeaderOf(request, "Idempotency-Key");
    for (const std::string& known : Made()) {
      if (!key.empty() && known == key) return Accepted();
    }
    std::ofstream(path_, std::ios::app) << (key.empty() ? "none" : key) << "\n";
    return Accepted();
  }
  std::vector<std::string> Made() const {
    std::vector<std::string> made;
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) made.push_back(line);
    return made;
  }

 private:
  const std::string path_;
};

// Runs a process on the world's file that dies at the fault point, in truth.
void DieAt(EngineWorld* world, std::string_view point) {
  world->Crash();
  const pid_t child = fork();
  if (child == 0) {
    ExitingFaultPoints faults{point};
    world->Start(&faults);
    world->Settle();
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  ASSERT_EQ(WEXITSTATUS(status), 137) << "it must die at " << point;
  // The child's draws are not ours: what comes next must differ from what it drew.
  for (int i = 0; i < 10; ++i) world->ids.Uuid();
}

constexpr std::string_view kAfterOutcome = "AfterSubmitWrite";
constexpr std::array kEveryPoint = {
    std::string_view("AfterIntentWrite"), std::string_view("BeforeSubmitCall"),
    std::string_view("AfterSubmitCall"), std::string_view("BeforeSubmitWrite"), kAfterOutcome};

struct AfterDeath {
  std::string state;     // of the operation, once the next process has done what it can
  std::size_t made = 0;  // things in the cloud
};

AfterDeath DieAndReturn(bool with_key, std::string_view point) {
  EngineWorld world;
  const LastingCloud cloud(world.directory.File("cloud"));
  world.transport.Handle(
      [&cloud](const kube::OutboundRequest& request) { return cloud.Serve(request); });
  world.Start();
  world.Create(CloudYaml(with_key));
  world.Create(OperationYaml());
  DieAt(&world, point);
  world.Start();
  world.Pass(std::chrono::seconds(30));
  return {world.Operation("op").state, cloud.Made().size()};
}

TEST_F(EngineRecoveryTest, DyingBetweenAnyTwoWritesMakesOneThingWithAKey) {
  for (const std::string_view point : kEveryPoint) {
    const AfterDeath after = DieAndReturn(true, point);
    EXPECT_EQ(after.state, "Succeeded") << point;
    EXPECT_EQ(after.made, 1U) << point;
  }
}

TEST_F(EngineRecoveryTest, DyingWithoutAKeyParksUnlessTheOutcomeIsOnDisk) {
  for (const std::string_view point : kEveryPoint) {
    const AfterDeath after = DieAndReturn(false, point);
    EXPECT_EQ(after.state, point == kAfterOutcome ? "Succeeded" : "OutcomeUnknown") << point;
    EXPECT_LE(after.made, 1U) << point;
  }
}

TEST_F(EngineRecoveryTest, EventsThatAreDeliveredAgainAreOne) {
  Begin(true);
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
  world_.Settle();
  world_.Crash();
  world_.Start();
  world_.Settle();
  EXPECT_THAT(world_.Events("AsyncOperation", "op"), ElementsAre("Submitted"));
}

TEST_F(EngineRecoveryTest, AnEarlierOwnerCannotWriteOverALaterOne) {
  Begin(true);
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
  world_.Settle();
  const Result<StoredOperation> stored =
      LoadOperation(*world_.store, {.namespace_name = "team", .name = "op"});
  ASSERT_TRUE(stored.ok());
  const Protocol::Policy policy;
  const StepContext old{.operation = stored->operation,
                        .policy = policy,
                        .now = world_.clock.Now(),
                        .fraction = 0.5,
                        .epoch = 0,
                        .shard = 0};
  OperationWriter writer(*world_.store, world_.clock, 0);
  const Result<OperationState> written =
      writer.Commit(stored->operation, Seal(old, StartTransition(old, *stored->state, "Finish")));
  EXPECT_EQ(written.status().reason(), Reason::kConflict);
}

}  // namespace
}  // namespace asyncops::reconciler
