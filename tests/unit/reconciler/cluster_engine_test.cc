// The engine over kube-apiserver: what it does while that is there, lags, and is away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "api/meta/condition.h"
#include "reconciler/annotations.h"
#include "reconciler/operation_states.h"
#include "tests/unit/reconciler/cluster_world.h"
#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::IsEmpty;
using testing::SizeIs;

kube::Exchange Accepted(int id) {
  return Answered(202, "",
                  {{"Location", "http://cloud.example/v1/operations/" + std::to_string(id)}});
}

class ClusterEngineTest : public testing::Test {
 protected:
  ClusterEngineTest() { world_.Start(); }

  // A cloud whose operations take until `done_`.
  void Serve() {
    world_.transport.Handle([this](const kube::OutboundRequest& request) {
      if (request.method != "GET") return Accepted(++started_);
      return done_ ? Answered(200, R"({"status": "Succeeded", "id": "v-1"})")
                   : Answered(202, R"({"status": "Running"})");
    });
  }

  std::string Ready() const {
    return EngineWorld::Show(world_.Resource("vol").conditions, "Ready");
  }
  Json Vol() const { return world_.cluster.Find("asyncresources", "vol"); }

  bool done_ = true;
  int started_ = 0;
  ClusterWorld world_;
};

TEST_F(ClusterEngineTest, AResourceIsMadeShownAndDeletedThroughKubeApiserver) {
  Serve();
  world_.Create(CloudYaml(true));
  world_.Create(ResourceYaml());
  world_.Pass(seconds(30));
  EXPECT_EQ(started_, 1);
  EXPECT_EQ(Ready().substr(0, 5), "True/");
  ASSERT_NE(Vol().FindPath({"status", "outputs", "volumeID"}), nullptr);
  EXPECT_NE(Vol().FindPath({"metadata", "finalizers"}), nullptr);
  EXPECT_FALSE(world_.cluster.All("events").empty());

  world_.cluster.Edit("asyncresources", "vol", [](Json* object) {
    object->ObjectAt("metadata").Set("deletionTimestamp", "2026-01-01T00:01:00Z");
  });
  world_.Pass(seconds(30));
  EXPECT_EQ(world_.Sent("DELETE"), 1);
  EXPECT_TRUE(Vol().is_null()) << "the last finalizer is off";
  EXPECT_EQ(world_.failures, 0);
}

TEST_F(ClusterEngineTest, WhatIsShownWakesNobodyTwice) {
  Serve();
  world_.Create(CloudYaml(true));
  world_.Create(ResourceYaml());
  world_.Pass(seconds(30));
  world_.cluster.TakeCalls();
  world_.Pass(minutes(30), seconds(10));
  std::vector<std::string> calls = world_.cluster.TakeCalls();
  EXPECT_THAT(calls, IsEmpty()) << "an equal status costs kube-apiserver nothing";
}

TEST_F(ClusterEngineTest, AnHourWithoutKubeApiserverHoldsUpNothingThatRuns) {
  Serve();
  done_ = false;
  world_.Create(CloudYaml(true));
  world_.Create(ResourceYaml());
  world_.Pass(seconds(5));
  ASSERT_EQ(started_, 1);
  ASSERT_THAT(world_.Operations(), SizeIs(1));
  const std::string operation = world_.Operations().front();
  ASSERT_EQ(Ready().substr(0, 6), "False/");

  // Events apart: the drainer, which paces them, is not in this world.
  int asked = 0;
  world_.cluster.SetIntercept([&asked](const kube::ApiRequest& request) {
    if (request.target.find("/events") == std::string::npos) ++asked;
    return std::optional(Status(Reason::kServiceUnavailable, "connection refused"));
  });
  const int reconciles_before = world_.reconciles;
  world_.Pass(minutes(10), seconds(2));
  done_ = true;
  world_.Pass(minutes(50), seconds(2));
  EXPECT_EQ(world_.Operation(operation).state, state::kSucceeded) << "it came to its end";
  EXPECT_EQ(Ready().substr(0, 6), "False/") << "nobody could be told";
  EXPECT_LT(asked, 200) << "nothing spins";
  EXPECT_GT(asked, 10);
  EXPECT_LT(world_.reconciles - reconciles_before, 1000);
  EXPECT_GT(world_.failures, 10) << "it was tried";

  world_.cluster.SetIntercept(nullptr);
  world_.Pass(minutes(2));
  EXPECT_EQ(Ready().substr(0, 5), "True/") << "status has caught up";
  EXPECT_EQ(started_, 1) << "and nothing was submitted twice";
  std::vector<std::string> reasons;
  for (const auto& [key, event] : world_.cluster.All("events"))
    reasons.emplace_back(event.StringAt({"reason"}));
  EXPECT_THAT(reasons, Contains("Succeeded")) << "Events have waited";
}

TEST_F(ClusterEngineTest, AChangeMadeBeforeTheOutageIsCarriedOutOnceAfterARestartWithinIt) {
  Serve();
  done_ = false;
  world_.Create(CloudYaml(true));
  world_.Create(ResourceYaml());
  world_.Pass(seconds(5));
  world_.cluster.SetAway(true);
  world_.Pass(minutes(1));
  world_.Crash();
  done_ = true;
  world_.Start();
  world_.Pass(minutes(30), seconds(2));
  world_.cluster.SetAway(false);
  world_.Pass(minutes(2));
  EXPECT_EQ(Ready().substr(0, 5), "True/");
  EXPECT_EQ(started_, 1);
  EXPECT_THAT(world_.Operations(), SizeIs(1));
}

TEST_F(ClusterEngineTest, AnInformerThatLagsStartsNothingTwice) {
  Serve();
  world_.Create(CloudYaml(true));
  world_.SetInformersLive(true);
  world_.Create(ResourceYaml());
  // What is written from here on the informers do not show.
  world_.SetInformersLive(false);
  world_.Pass(minutes(5));
  EXPECT_EQ(started_, 1);
  EXPECT_THAT(world_.Operations(), SizeIs(1));
  EXPECT_EQ(Ready().substr(0, 5), "True/");
  world_.SetInformersLive(true);
  world_.Pass(minutes(1));
  EXPECT_EQ(started_, 1);
  EXPECT_EQ(world_.failures, 0);
}

TEST_F(ClusterEngineTest, AResourceDeletedBeforeItsFinalizerStartsNothing) {
  Serve();
  world_.Create(CloudYaml(true));
  world_.Create(ResourceYaml());
  world_.SetInformersLive(false);
  // Another's finalizer holds it; ours may not come on any more, and the informer has not seen it.
  world_.cluster.Edit("asyncresources", "vol", [](Json* object) {
    object->ObjectAt("metadata").Set("deletionTimestamp", "2026-01-01T00:00:00Z");
    object->ObjectAt("metadata").Set("finalizers", JsonArray{Json("example.com/hold")});
  });
  world_.Pass(minutes(1));
  EXPECT_EQ(started_, 0);
  EXPECT_THAT(world_.Operations(), IsEmpty());
  EXPECT_LT(world_.reconciles, 20) << "it does not spin until the informer has caught up";
}

TEST_F(ClusterEngineTest, OperationsStayWhereTheResourceIsOnlyNotKnown) {
  Serve();
  done_ = false;
  world_.Create(CloudYaml(true));
  world_.Create(ResourceYaml());
  world_.Pass(seconds(5));
  ASSERT_THAT(world_.Operations(), SizeIs(1));
  // Its CRD is not served: a 404 that names no object.
  world_.cluster.SetIntercept([](const kube::ApiRequest& request) -> std::optional<Status> {
    if (request.target.find("/asyncresources") == std::string::npos) return std::nullopt;
    return Status(Reason::kNotFound, "the server could not find the requested resource");
  });
  const Json vol = Vol();
  world_.cluster.Remove("asyncresources", "vol");
  world_.Pass(minutes(2));
  ASSERT_THAT(world_.Operations(), SizeIs(1));
  const Result<storage::Record> record =
      world_.store->Get({.resource = "asyncoperations.operations.asyncops.dev",
                         .namespace_name = "team",
                         .name = world_.Operations().front()});
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(record->json.find("deletionTimestamp"), std::string::npos);
  EXPECT_GT(world_.failures, 0);
}

TEST_F(ClusterEngineTest, WhatIsToldBeforeAWriteThatFailsIsToldOnce) {
  world_.cluster.SetIntercept([](const kube::ApiRequest& request) -> std::optional<Status> {
    const bool finalizers = request.target.find("/externalsystems/cloud?") != std::string::npos;
    if (request.method == "GET" || finalizers) return std::nullopt;
    return Status(Reason::kInternalError, "etcd has no leader");
  });
  world_.Create(CloudYaml(true) + "  auth: {bearerTokenSecretRef: {name: token, key: token}}\n");
  world_.Pass(minutes(10));
  EXPECT_GT(world_.failures, 5) << "its status cannot be written";
  EXPECT_THAT(*world_.store->engine().Outbox(100), SizeIs(1));
  world_.cluster.SetIntercept(nullptr);
  world_.Pass(minutes(2));
  EXPECT_THAT(world_.cluster.All("events"), SizeIs(1));
}

TEST_F(ClusterEngineTest, ASubmitThatCouldNotLookAtItsSecretGoesOnSoonAfter) {
  Serve();
  world_.Create(CloudYaml(true));
  world_.Create(ResourceYaml());
  world_.cluster.Edit("asyncresources", "vol", [](Json* object) {
    JsonArray& outputs = object->ObjectAt("spec")["outputs"].as_array();
    outputs.front().Set("toSecret", Json::Of({{"name", "vol"}, {"key", "id"}}));
  });
  bool away = true;
  world_.cluster.SetIntercept([&away](const kube::ApiRequest& request) -> std::optional<Status> {
    if (!away || request.target.find("/secrets") == std::string::npos) return std::nullopt;
    return Status(Reason::kInternalError, "etcd has no leader");
  });
  world_.Pass(minutes(3));
  ASSERT_EQ(started_, 0) << "what cannot be kept is not made";
  ASSERT_THAT(world_.Operations(), SizeIs(1));
  EXPECT_EQ(EngineWorld::Show(world_.Operation(world_.Operations().front()).conditions, "Ready"),
            "False/SecretNotWritten");
  away = false;
  world_.Pass(seconds(30));
  EXPECT_EQ(started_, 1);
  EXPECT_EQ(Ready().substr(0, 5), "True/");
  EXPECT_FALSE(world_.cluster.Find("secrets", "vol").is_null());
}

TEST_F(ClusterEngineTest, ASecretThatAppearsWakesWhatWaitsForIt) {
  Serve();
  world_.Create(CloudYaml(true) + "  auth: {bearerTokenSecretRef: {name: token, key: token}}\n");
  world_.Create(ResourceYaml());
  world_.Pass(seconds(10));
  ASSERT_EQ(started_, 0);
  world_.Create(R"(
kind: Secret
apiVersion: v1
metadata: {name: token}
data: {token: aHVudGVyMg==}
)");
  // The thread that reads Secrets again waits a second of the real clock at most.
  const SystemClock real;
  const SteadyTime begun = real.SteadyNow();
  const Time patience = world_.clock.Now() + minutes(10);
  while (started_ == 0 && real.SteadyNow() - begun < seconds(30)) {
    // On a fast disk its deadline would pass meanwhile.
    world_.clock.Now() < patience ? world_.Pass(seconds(1)) : world_.Settle();
    std::this_thread::yield();
  }
  EXPECT_EQ(started_, 1);
  const std::vector<kube::OutboundRequest> requests = world_.transport.requests();
  ASSERT_FALSE(requests.empty());
  EXPECT_EQ(HeaderOf(requests.front(), "Authorization"), "Bearer hunter2");
}

}  // namespace
}  // namespace asyncops::reconciler
