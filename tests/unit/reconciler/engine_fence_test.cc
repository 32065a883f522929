// Two owners of one store: the older one writes nothing any more, whatever it is about to write.
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/annotations.h"
#include "reconciler/events.h"
#include "reconciler/local_resource_client.h"
#include "reconciler/owner_epoch.h"
#include "reconciler/system_reconciler.h"
#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::seconds;

kube::Exchange Accepted() {
  return Answered(202, "", {{"Location", "http://cloud.example/v1/operations/7"}});
}

class EngineFenceTest : public testing::Test {
 protected:
  EngineFenceTest() {
    world_.transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
    world_.Start();
    world_.Create(CloudYaml(true));
    world_.Create(OperationYaml());
  }
  StoredOperation Load() { return *LoadOperation(*world_.store, {"team", "op"}); }

  EngineWorld world_;
};

TEST_F(EngineFenceTest, NoWayOfTheWriterPassesALaterOwner) {
  world_.Pass(seconds(3));
  const std::int64_t ours = *TakeOwnership(*world_.store);
  const StoredOperation stored = Load();
  ASSERT_TRUE(stored.state.has_value());
  ASSERT_TRUE(TakeOwnership(*world_.store).ok());
  const storage::OperationRow row = world_.Row("op");
  const Json object = world_.Get("asyncoperations", "op");

  OperationWriter late(*world_.store, world_.clock, ours);
  Transition transition;
  transition.next = *stored.state;
  transition.next.row.state = "Recovering";
  transition.expected_state = stored.state->row.state;
  AsyncOperation another = stored.operation;
  another.metadata.name = "another";
  const std::vector<std::pair<const char*, std::function<Status()>>> ways = {
      {"Commit", [&late, &stored,
                  &transition] { return late.Commit(stored.operation, transition).status(); }},
      {"Show",
       [&late, &stored] {
         return late.Show(stored.operation, &*stored.state, Blocked{"Suspended", "x"}, {});
       }},
      {"RefuseAnnotation",
       [this, &late, &stored] {
         world_.Annotate("asyncoperations", "op", "asyncops.dev/resolve", "Retry");
         return late.RefuseAnnotation(stored.operation, kResolve, {});
       }},
      {"Remove", [&late, &stored] { return late.Remove(stored.operation, {}); }},
      {"Create", [&late, &another] { return late.Create(another, {}).status(); }},
      {"Annotate",
       [&late] {
         return late.Annotate({"team", "op"}, kRetryRequestedAt, "9", "");
       }},
      {"DropFinalizer",
       [&late, &stored] { return late.DropFinalizer(stored.operation, kOperationFinalizer); }},
      {"Suspend", [&late, &stored] { return late.Suspend(stored.operation, true, ""); }},
      {"RequestDeletion", [&late, &stored] { return late.RequestDeletion(stored.operation); }},
  };
  for (const auto& [name, write] : ways)
    EXPECT_EQ(write().reason(), Reason::kServiceUnavailable) << name;
  EXPECT_EQ(world_.Row("op"), row);
  const Json after = world_.Get("asyncoperations", "op");
  EXPECT_EQ(*after.Find("spec"), *object.Find("spec"));
  EXPECT_EQ(*after.Find("status"), *object.Find("status"));
  EXPECT_EQ(*after.FindPath({"metadata", "finalizers"}),
            *object.FindPath({"metadata", "finalizers"}));
  EXPECT_EQ(after.StringAt({"metadata", "annotations", kResolve}), "Retry") << "it was not dropped";
}

TEST_F(EngineFenceTest, AnOwnerThatWasOvertakenSendsNothing) {
  ASSERT_TRUE(TakeOwnership(*world_.store).ok());
  const auto resources = MakeLocalResourceClient(*world_.store, world_.clock, world_.ids);
  ExternalClient external(world_.transport, *resources, world_.clock);
  FaultPoints faults;
  const ReconcilerParts parts{.store = *world_.store,
                              .resources = *resources,
                              .external = external,
                              .clock = world_.clock,
                              .ids = world_.ids,
                              .faults = faults};
  OperationReconciler old(parts, {.epoch = 1, .shard = 0});
  const Result<std::optional<Time>> next = old.Reconcile({"team", "op"}, false);
  EXPECT_EQ(next.status().reason(), Reason::kServiceUnavailable);
  EXPECT_TRUE(world_.transport.requests().empty()) << "its intent could not be written";
}

TEST_F(EngineFenceTest, NeitherDoesItTouchAResource) {
  world_.Create(ResourceYaml());
  ASSERT_TRUE(TakeOwnership(*world_.store).ok());
  const storage::Revision revision = world_.store->revision();
  const auto resources = MakeLocalResourceClient(*world_.store, world_.clock, world_.ids);
  ExternalClient external(world_.transport, *resources, world_.clock);
  FaultPoints faults;
  const ReconcilerParts parts{.store = *world_.store,
                              .resources = *resources,
                              .external = external,
                              .clock = world_.clock,
                              .ids = world_.ids,
                              .faults = faults};
  ResourceReconciler old(parts, {.epoch = 1, .shard = 0});
  EXPECT_EQ(old.Reconcile({"team", "vol"}).status().reason(), Reason::kServiceUnavailable);
  EXPECT_EQ(world_.store->revision(), revision);
}

TEST_F(EngineFenceTest, NorASecretNorASystem) {
  world_.Create(
      "kind: Secret\napiVersion: v1\nmetadata: {name: old, ownerReferences: [{uid: u1}]}\n");
  const auto resources = MakeLocalResourceClient(*world_.store, world_.clock, world_.ids);
  resources->WriteFor(*TakeOwnership(*world_.store));
  const OwnerReference owner{.api_version = "v1",
                             .kind = "AsyncOperation",
                             .name = "op",
                             .uid = "u1",
                             .controller = {},
                             .block_owner_deletion = {}};
  EXPECT_TRUE(resources->ApplySecret({"team", "mine"}, owner, {{"k", "v"}}).ok());
  ASSERT_TRUE(TakeOwnership(*world_.store).ok());
  const storage::Revision revision = world_.store->revision();
  const std::vector<std::pair<const char*, Status>> ways = {
      {"a new Secret", resources->ApplySecret({"team", "new"}, owner, {{"k", "v"}})},
      {"an old Secret", resources->ApplySecret({"team", "old"}, owner, {{"k", "v"}})},
      {"a system's status",
       resources->UpdateSystemStatus(
           {"team", "cloud"}, [](ExternalSystemStatus* status) { status->circuit = "Open"; })},
  };
  for (const auto& [name, status] : ways)
    EXPECT_EQ(status.reason(), Reason::kServiceUnavailable) << name;
  EXPECT_EQ(world_.store->revision(), revision);
}

TEST_F(EngineFenceTest, AnOwnerThatWasOvertakenTellsNothingOfASystem) {
  world_.Edit("externalsystems", "cloud", [](Json* object) {
    object->ObjectAt("spec").Set(
        "auth", Json::Of({{"bearerTokenSecretRef", Json::Of({{"name", "none"}, {"key", "k"}})}}));
  });
  const auto resources = MakeLocalResourceClient(*world_.store, world_.clock, world_.ids);
  ExternalClient external(world_.transport, *resources, world_.clock);
  FaultPoints faults;
  const ReconcilerParts parts{.store = *world_.store,
                              .resources = *resources,
                              .external = external,
                              .clock = world_.clock,
                              .ids = world_.ids,
                              .faults = faults};
  SystemUse use;
  const std::int64_t ours = *TakeOwnership(*world_.store);
  ASSERT_TRUE(TakeOwnership(*world_.store).ok());
  const storage::Revision revision = world_.store->revision();
  SystemReconciler old(parts, ours, use, [](const ObjectName& /*system*/) {});
  EXPECT_EQ(old.Reconcile({"team", "cloud"}).status().reason(), Reason::kServiceUnavailable);
  const Result<int> delivered = DeliverEvents(*world_.store, faults);
  ASSERT_TRUE(delivered.ok());
  EXPECT_EQ(*delivered, 0) << "the Event goes out before the status, and is fenced as that";
  EXPECT_EQ(world_.store->revision(), revision);
}

TEST_F(EngineFenceTest, AnAnswerThatComesAfterATakeOverIsNotWritten) {
  // The old owner hangs in its call; the new one finds the intent and recovers it by the key.
  std::int64_t later = 0;
  world_.transport.Handle([this, &later](const kube::OutboundRequest& /*request*/) {
    if (later == 0) later = *TakeOwnership(*world_.store);
    return Accepted();
  });
  const auto resources = MakeLocalResourceClient(*world_.store, world_.clock, world_.ids);
  ExternalClient external(world_.transport, *resources, world_.clock);
  FaultPoints faults;
  const ReconcilerParts parts{.store = *world_.store,
                              .resources = *resources,
                              .external = external,
                              .clock = world_.clock,
                              .ids = world_.ids,
                              .faults = faults};
  OperationReconciler old(parts, {.epoch = *TakeOwnership(*world_.store), .shard = 0});
  EXPECT_EQ(old.Reconcile({"team", "op"}, false).status().reason(), Reason::kServiceUnavailable);
  EXPECT_EQ(world_.Row("op").state, "Intent");
  OperationReconciler present(parts, {.epoch = later, .shard = 0});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(present.Reconcile({"team", "op"}, false).ok());
  EXPECT_EQ(world_.Row("op").state, "Submitted");
  const std::vector<kube::OutboundRequest> sent = world_.transport.requests();
  ASSERT_GE(sent.size(), 2U);
  EXPECT_EQ(HeaderOf(sent[0], "Idempotency-Key"), HeaderOf(sent[1], "Idempotency-Key"));
}

TEST_F(EngineFenceTest, TheNewestOwnerAndNobodysEpochPass) {
  const std::int64_t newest = *TakeOwnership(*world_.store);
  EXPECT_TRUE(CheckOwnership(*world_.store, newest).ok());
  EXPECT_TRUE(CheckOwnership(*world_.store, 0).ok());
  EXPECT_FALSE(CheckOwnership(*world_.store, newest - 1).ok());
}

}  // namespace
}  // namespace asyncops::reconciler
