// Polls for which the operation is not read, and what ends them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utility>

#include "reconciler/local_resource_client.h"
#include "reconciler/owner_epoch.h"
#include "tests/support/forwarding_store.h"
#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr const char* kMonitor = "http://cloud.example/v1/operations/7";

std::string TokenYaml(const std::string& value) {
  return "kind: Secret\napiVersion: v1\nmetadata: {name: token}\ndata: {token: " + value + "}\n";
}

// Counts what is read of operations.
class CountingStore final : public ForwardingStore, public storage::EngineReader {
 public:
  using ForwardingStore::ForwardingStore;

  int reads() const { return reads_; }

  Result<storage::Record> Get(const storage::ObjectKey& key) const override {
    if (key.resource.starts_with("asyncoperations")) ++reads_;
    return below().Get(key);
  }
  const storage::EngineReader& engine() const override { return *this; }

  Result<storage::OperationRow> LatestOperation(std::string_view uid) const override {
    ++reads_;
    return below().engine().LatestOperation(uid);
  }
  Result<std::vector<storage::OperationRow>> FindByOperationId(std::string_view namespace_name,
                                                               std::string_view operation_id,
                                                               int limit) const override {
    ++reads_;
    return below().engine().FindByOperationId(namespace_name, operation_id, limit);
  }
  Result<std::vector<storage::Attempt>> History(std::string_view uid, std::int64_t after,
                                                int limit) const override {
    return below().engine().History(uid, after, limit);
  }
  Result<std::vector<storage::OutboxMessage>> Outbox(int limit) const override {
    return below().engine().Outbox(limit);
  }
  Result<std::vector<storage::InboxMessage>> Inbox(std::string_view uid, int submission,
                                                   int limit) const override {
    return below().engine().Inbox(uid, submission, limit);
  }

 private:
  mutable int reads_ = 0;
};

class EnginePollAloneTest : public testing::Test {
 protected:
  // An operation that runs, whose last poll told nothing new.
  void Follow(const std::string& more = "") {
    world_.Start();
    world_.Create(CloudYaml(true) + auth_);
    world_.Create(TokenYaml("b25l"));
    world_.Create(OperationYaml(more));
    store_ = std::make_unique<CountingStore>(*world_.store);
    resources_ = MakeLocalResourceClient(*store_, world_.clock, world_.ids);
    external_ = std::make_unique<ExternalClient>(world_.transport, *resources_, world_.clock);
    engine_ = std::make_unique<OperationReconciler>(
        ReconcilerParts{.store = *store_,
                        .resources = *resources_,
                        .external = *external_,
                        .clock = world_.clock,
                        .ids = world_.ids,
                        .faults = faults_},
        Ownership{.epoch = *TakeOwnership(*world_.store), .shard = 0});
    world_.transport.Handle([](const kube::OutboundRequest& /*request*/) {
      return Answered(202, "", {{"Location", kMonitor}});
    });
    Look(true);
    for (int i = 0; i < 3; ++i) Wait(seconds(10));
    ASSERT_EQ(world_.Row("op").state, "Running");
    calls_ = Calls();
    reads_ = store_->reads();
  }

  // As the queue gives it; when it is to be looked at again.
  std::optional<Time> Look(bool told, std::int64_t changed = 0, bool nudged = false) {
    const WorkItem item{
        .key = {.kind = WorkKey::Kind::kOperation, .namespace_name = "team", .name = "op"},
        .nudged = nudged,
        .told = told,
        .changed = changed};
    const Result<std::optional<Time>> next = engine_->Reconcile(item);
    EXPECT_TRUE(next.ok()) << next.status().ToString();
    return next.ok() ? *next : std::nullopt;
  }
  // It comes by its time.
  void Wait(Duration by) {
    world_.clock.Advance(by);
    Look(false);
  }
  // As a callback leaves it.
  void Hint() {
    const Status hinted = storage::WriteAndWait(*world_.store, [this](auto& transaction) {
      const storage::OperationRow row = world_.Row("op");
      return transaction.operations().Hint(row.uid, row.submission, world_.clock.Now());
    });
    EXPECT_TRUE(hinted.ok()) << hinted.ToString();
  }
  int Calls() const { return static_cast<int>(world_.transport.requests().size()); }
  int NewCalls() const { return Calls() - calls_; }
  int NewReads() const { return store_->reads() - reads_; }
  // What its history has.
  std::vector<std::string> Told() const {
    std::vector<std::string> actions;
    for (const storage::Attempt& attempt : world_.History("op")) actions.push_back(attempt.action);
    return actions;
  }
  std::int64_t RevisionOfOperation() const {
    const Result<storage::Record> record =
        world_.store->Get({"asyncoperations.operations.asyncops.dev", "team", "op"});
    return record.ok() ? record->revision : 0;
  }

  EngineWorld world_;
  std::string auth_;  // of the system; before Follow
  FaultPoints faults_;
  std::unique_ptr<CountingStore> store_;
  std::unique_ptr<ResourceClient> resources_;
  std::unique_ptr<ExternalClient> external_;
  std::unique_ptr<OperationReconciler> engine_;
  int calls_ = 0;
  int reads_ = 0;
};

TEST_F(EnginePollAloneTest, APollThatTellsNothingNewReadsAndWritesNothing) {
  Follow();
  const storage::Revision revision = world_.store->revision();
  for (int i = 0; i < 50; ++i) Wait(seconds(11));
  EXPECT_EQ(NewCalls(), 50);
  EXPECT_EQ(NewReads(), 0);
  EXPECT_EQ(world_.store->revision(), revision);
}

TEST_F(EnginePollAloneTest, TheTimeOfTheNextPollIsKept) {
  Follow();
  Wait(seconds(11));
  const std::optional<Time> next = Look(false);
  ASSERT_TRUE(next.has_value());
  EXPECT_GT(*next, world_.clock.Now() + seconds(1));
  EXPECT_EQ(NewCalls(), 1) << "it is not due";
  EXPECT_EQ(NewReads(), 0);
}

TEST_F(EnginePollAloneTest, AHintWhileItWaitsForItsTurnIsNotLookedAt) {
  Follow();
  world_.Edit("externalsystems", "cloud", [](Json* object) {
    object->ObjectAt("spec").Set("limits", Json::Of({{"requestsPerSecond", 0.01}, {"burst", 1}}));
  });
  Hint();
  Look(true);
  Hint();
  const std::optional<Time> turn = Look(true);
  ASSERT_EQ(NewCalls(), 1) << "the second has to wait";
  ASSERT_TRUE(turn && *turn > world_.clock.Now() + seconds(60));
  const int reads = NewReads();
  for (int i = 0; i < 3; ++i) {
    Hint();
    EXPECT_EQ(Look(true, kPollsAsked), turn);
  }
  EXPECT_EQ(NewReads(), reads);
  EXPECT_EQ(Look(true), turn);
  EXPECT_GT(NewReads(), reads) << "of anything else it has to know";
  world_.clock.Advance(*turn - world_.clock.Now());
  Look(true, kPollsAsked);
  EXPECT_EQ(NewCalls(), 2);
  EXPECT_EQ(world_.Row("op").hints_answered, world_.Row("op").hints);
}

TEST_F(EnginePollAloneTest, AnAnswerThatTellsTheEndIsTakenWithoutAnotherPoll) {
  Follow();
  world_.transport.Script(Answered(200, R"({"id":"vol-1"})"));
  Wait(seconds(11));
  EXPECT_EQ(NewCalls(), 1);
  const AsyncOperationStatus status = world_.Operation("op");
  EXPECT_EQ(status.state, "Succeeded");
  EXPECT_EQ(status.outputs.StringAt({"volumeID"}), "vol-1");
}

TEST_F(EnginePollAloneTest, AMonitorThatMovesIsFollowed) {
  Follow();
  world_.transport.Script(
      Answered(202, "", {{"Location", "http://cloud.example/v1/operations/8"}}));
  Wait(seconds(11));
  EXPECT_EQ(NewCalls(), 1);
  EXPECT_EQ(world_.Row("op").poll_url, "http://cloud.example/v1/operations/8");
  Wait(seconds(11));
  EXPECT_EQ(world_.transport.requests().back().uri.target, "/v1/operations/8");
}

TEST_F(EnginePollAloneTest, AFailedPollIsWrittenAsAnyOther) {
  Follow();
  world_.transport.Script(Ambiguous());
  Wait(seconds(11));
  EXPECT_EQ(NewCalls(), 1);
  EXPECT_THAT(world_.Operation("op").failure_details, testing::SizeIs(1));
}

TEST_F(EnginePollAloneTest, WhatItHasSeenOfItselfBringsNoLook) {
  Follow();
  Look(true, RevisionOfOperation());
  EXPECT_EQ(NewReads(), 0);
  EXPECT_EQ(NewCalls(), 0);
}

// What users may ask of an operation that runs; each is answered at once, and once.
struct Request {
  const char* annotation;
  const char* value;
  const char* told;  // as the history has it
};

class EnginePollAloneRequestTest : public EnginePollAloneTest,
                                   public testing::WithParamInterface<Request> {};

TEST_P(EnginePollAloneRequestTest, IsReadAtOnce) {
  Follow();
  const auto [annotation, value, told] = GetParam();
  world_.Annotate("asyncoperations", "op", annotation, value);
  Look(true, RevisionOfOperation());
  EXPECT_THAT(Told(), testing::Contains(told));
  const int before = static_cast<int>(Told().size());
  Wait(seconds(11));
  EXPECT_EQ(static_cast<int>(Told().size()), before) << "it is handled";
}

INSTANTIATE_TEST_SUITE_P(All, EnginePollAloneRequestTest,
                         testing::Values(Request{"asyncops.dev/cancel-requested-at", "1", "Refuse"},
                                         Request{"asyncops.dev/retry-requested-at", "1",
                                                 "RetryRequested"},
                                         Request{"asyncops.dev/resolve", "Fail", "Refuse"}));

TEST_F(EnginePollAloneTest, ASuspendIsTakenAtOnceAndPollsGoOn) {
  Follow();
  const auto suspend = [this](bool value) {
    world_.Edit("asyncoperations", "op",
                [value](Json* object) { object->ObjectAt("spec").Set("suspend", value); });
    Look(true, RevisionOfOperation());
  };
  suspend(true);
  EXPECT_THAT(Told(), testing::Contains("Suspend"));
  calls_ = Calls();
  Wait(seconds(11));
  EXPECT_EQ(NewCalls(), 1) << "what runs outside is followed";
  suspend(false);
  EXPECT_THAT(Told(), testing::Contains("Resume"));
}

TEST_F(EnginePollAloneTest, ADeadlineThatIsMovedIsKept) {
  Follow();
  world_.Edit("asyncoperations", "op",
              [](Json* object) { object->ObjectAt("spec").Set("activeDeadline", "5m"); });
  Look(true, RevisionOfOperation());
  calls_ = Calls();
  Wait(seconds(301));
  EXPECT_EQ(NewCalls(), 0);
  EXPECT_EQ(world_.Operation("op").state, "Failed");
}

TEST_F(EnginePollAloneTest, AnotherOperationOfTheSameNameIsStarted) {
  Follow();
  world_.Edit("asyncoperations", "op",
              [](Json* object) { object->ObjectAt("metadata").Erase("finalizers"); });
  world_.Delete("asyncoperations", "op");
  ASSERT_FALSE(world_.Exists("asyncoperations", "op"));
  world_.Create(OperationYaml());
  Look(true, RevisionOfOperation());
  EXPECT_EQ(NewCalls(), 1);
  EXPECT_EQ(world_.transport.requests().back().method, "POST");
}

TEST_F(EnginePollAloneTest, WhatIsGoneIsFollowedNoMore) {
  Follow();
  world_.Edit("asyncoperations", "op",
              [](Json* object) { object->ObjectAt("metadata").Erase("finalizers"); });
  world_.Delete("asyncoperations", "op");
  EXPECT_EQ(Look(true), std::nullopt);
  Wait(seconds(11));
  EXPECT_EQ(NewCalls(), 0);
}

TEST_F(EnginePollAloneTest, ItIsReadNowAndThenThoughNobodyToldAnything) {
  Follow();
  world_.Edit("asyncoperations", "op",
              [](Json* object) { object->ObjectAt("metadata").Erase("finalizers"); });
  world_.Delete("asyncoperations", "op");
  for (int i = 0; i < 400; ++i) Wait(seconds(11));
  const int calls = Calls();
  for (int i = 0; i < 10; ++i) Wait(seconds(11));
  EXPECT_EQ(Calls(), calls) << "the word of its end was lost";
}

TEST_F(EnginePollAloneTest, ALaterOwnerIsRespected) {
  Follow();
  ASSERT_TRUE(TakeOwnership(*world_.store).ok());
  const storage::Revision revision = world_.store->revision();
  const storage::OperationRow row = world_.Row("op");
  world_.transport.Script(Answered(200, R"({"id":"vol-1"})"));
  world_.clock.Advance(seconds(11));
  const WorkItem item{
      .key = {.kind = WorkKey::Kind::kOperation, .namespace_name = "team", .name = "op"}};
  EXPECT_EQ(engine_->Reconcile(item).status().reason(), Reason::kServiceUnavailable);
  EXPECT_EQ(world_.Row("op"), row);
  EXPECT_EQ(world_.store->revision(), revision);
}

TEST_F(EnginePollAloneTest, WhatIsToldWithoutARevisionIsReadAtOnce) {
  Follow();
  Look(true);
  EXPECT_GT(NewReads(), 0);
  reads_ = store_->reads();
  Look(true, 1, true);
  EXPECT_GT(NewReads(), 0);
}

TEST_F(EnginePollAloneTest, AChangedSystemIsReadWithTheOperation) {
  Follow();
  world_.Edit("externalsystems", "cloud", [](Json* object) {
    object->ObjectAt("spec").Set("endpoint", "http://elsewhere.example/v1");
  });
  Wait(seconds(11));
  EXPECT_GT(NewReads(), 0);
  EXPECT_EQ(NewCalls(), 0) << "the monitor is of the other origin now";
  EXPECT_EQ(world_.Operation("op").failure_details.front().code, "OriginRefused");
}

TEST_F(EnginePollAloneTest, ADeletedSystemIsSeenAtTheNextPoll) {
  Follow();
  world_.Delete("externalsystems", "cloud");
  Wait(seconds(11));
  EXPECT_EQ(NewCalls(), 0);
  EXPECT_EQ(EngineWorld::Show(world_.Operation("op").conditions, "Ready"),
            "False/ExternalSystemNotFound");
  world_.Create(CloudYaml(true));
  Look(true, 0, true);
  EXPECT_EQ(NewCalls(), 1);
}

TEST_F(EnginePollAloneTest, AChangedSecretIsUsedAtTheNextPoll) {
  auth_ = "  auth: {bearerTokenSecretRef: {name: token, key: token}}\n";
  Follow();
  Wait(seconds(11));
  EXPECT_EQ(HeaderOf(world_.transport.requests().back(), "Authorization"), "Bearer one");
  world_.Delete("secrets", "token");
  world_.Create(TokenYaml("dHdv"));
  Wait(seconds(11));
  EXPECT_EQ(NewReads(), 0);
  EXPECT_EQ(HeaderOf(world_.transport.requests().back(), "Authorization"), "Bearer two");
  world_.Delete("secrets", "token");
  Wait(seconds(11));
  EXPECT_EQ(NewCalls(), 2);
  EXPECT_EQ(EngineWorld::Show(world_.Operation("op").conditions, "Ready"),
            "False/CredentialsMissing");
}

TEST_F(EnginePollAloneTest, ItsDeadlineIsKept) {
  Follow("  activeDeadline: 1h\n");
  Wait(hours(1));
  EXPECT_EQ(NewCalls(), 0);
  EXPECT_EQ(world_.Operation("op").state, "Failed");
}

TEST_F(EnginePollAloneTest, AClockThatJumpsIsFollowed) {
  Follow();
  world_.clock.SetNow(world_.clock.Now() + hours(10));
  Wait(seconds(11));
  EXPECT_GT(NewReads(), 0);
  EXPECT_EQ(world_.Operation("op").state, "Running");
}

TEST_F(EnginePollAloneTest, ASystemThatIsNotToBeCalledIsLeftAlone) {
  Follow();
  world_.transport.Handle([](const kube::OutboundRequest& /*request*/) {
    return Answered(503, "", {{"Retry-After", "600"}});
  });
  Wait(seconds(11));
  EXPECT_EQ(NewCalls(), 1);
  Wait(seconds(11));
  EXPECT_EQ(NewCalls(), 1) << "it asked for time";
}

}  // namespace
}  // namespace asyncops::reconciler
