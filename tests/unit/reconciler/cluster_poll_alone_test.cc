// Polls for which the operation is not read, over kube-apiserver: what changes there is seen.
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "tests/unit/reconciler/cluster_world.h"
#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kAuth = "  auth: {bearerTokenSecretRef: {name: token, key: token}}\n";

class ClusterPollAloneTest : public testing::Test {
 protected:
  ClusterPollAloneTest() {
    world_.Start();
    world_.transport.Handle([](const kube::OutboundRequest& /*request*/) {
      return Answered(202, R"({"status": "Running"})",
                      {{"Location", "http://cloud.example/v1/operations/1"}});
    });
  }

  // An operation that runs, whose polls tell nothing new.
  void Follow(const std::string& more = "") {
    world_.Create("kind: Secret\napiVersion: v1\nmetadata: {name: token}\ndata: {token: b25l}\n");
    world_.Create(CloudYaml(true) + more);
    world_.Create(ResourceYaml());
    world_.Pass(minutes(3), seconds(5));
    ASSERT_EQ(world_.Operations().size(), 1U);
    operation_ = world_.Operations().front();
    ASSERT_EQ(world_.Operation(operation_).state, "Running");
    calls_ = Calls();
  }
  // Another poll is due afterwards.
  void Pass() { world_.Pass(seconds(90), seconds(5)); }
  int Calls() const { return static_cast<int>(world_.transport.requests().size()); }
  int NewCalls() const { return Calls() - calls_; }
  kube::OutboundRequest Last() const { return world_.transport.requests().back(); }
  AsyncOperationStatus Shown() const { return world_.Operation(operation_); }
  void EditSystem(const std::function<void(Json*)>& edit) {
    world_.cluster.Edit("externalsystems", "cloud", edit);
  }

  ClusterWorld world_;
  std::string operation_;
  int calls_ = 0;
};

TEST_F(ClusterPollAloneTest, ItAsksNothingOfKubeApiserverAndWritesNothing) {
  Follow();
  world_.cluster.TakeCalls();
  const storage::Revision revision = world_.store->revision();
  world_.Pass(minutes(20), seconds(5));
  EXPECT_GT(NewCalls(), 15);
  EXPECT_THAT(world_.cluster.TakeCalls(), testing::IsEmpty());
  EXPECT_EQ(world_.store->revision(), revision);
}

TEST_F(ClusterPollAloneTest, AnEditOfTheSystemIsSeen) {
  Follow();
  EditSystem([](Json* object) {
    object->ObjectAt("spec").Set("endpoint", "http://elsewhere.example/v1");
    object->ObjectAt("metadata").Set("generation", 2);
  });
  Pass();
  EXPECT_EQ(NewCalls(), 0) << "the monitor is of the other origin now";
  EXPECT_EQ(Shown().failure_details.front().code, "OriginRefused");
}

TEST_F(ClusterPollAloneTest, AnEditThatTheEngineWasNotToldOfIsSeenToo) {
  Follow();
  // The informer knows it, and the word of it is lost: only the poll itself looks.
  world_.SetInformersLive(false);
  EditSystem([](Json* object) {
    object->ObjectAt("spec").Set("endpoint", "http://elsewhere.example/v1");
    object->ObjectAt("metadata").Set("generation", 2);
  });
  ASSERT_TRUE(
      world_.resources()
          .UpdateSystemStatus({"team", "cloud"}, [](auto* status) { status->circuit = "Open"; })
          .ok())
      << "our own write is read back, with the edit";
  Pass();
  EXPECT_EQ(NewCalls(), 0);
}

TEST_F(ClusterPollAloneTest, ADeletedSystemIsSeen) {
  Follow();
  world_.cluster.Remove("externalsystems", "cloud");
  Pass();
  EXPECT_EQ(NewCalls(), 0);
  EXPECT_EQ(EngineWorld::Show(Shown().conditions, "Ready"), "False/ExternalSystemNotFound");
}

TEST_F(ClusterPollAloneTest, ALeavingSystemKeepsItsCredentials) {
  Follow(kAuth);
  EditSystem([](Json* object) {
    object->ObjectAt("metadata").Set("deletionTimestamp", "2026-01-01T00:01:00Z");
    object->ObjectAt("metadata").Set("finalizers", JsonArray{Json("asyncops.dev/in-use")});
  });
  world_.cluster.Remove("secrets", "token");
  Pass();
  EXPECT_GT(NewCalls(), 0);
  EXPECT_EQ(HeaderOf(Last(), "Authorization"), "Bearer one");
}

TEST_F(ClusterPollAloneTest, AChangedSecretIsUsed) {
  Follow(kAuth);
  EXPECT_EQ(HeaderOf(Last(), "Authorization"), "Bearer one");
  world_.cluster.Edit("secrets", "token",
                      [](Json* object) { object->ObjectAt("data").Set("token", "dHdv"); });
  // The thread that reads Secrets again waits a second of the real clock at most.
  const SystemClock real;
  const SteadyTime begun = real.SteadyNow();
  while (HeaderOf(Last(), "Authorization") != "Bearer two" &&
         real.SteadyNow() - begun < seconds(30)) {
    world_.Pass(seconds(5));
    std::this_thread::yield();
  }
  EXPECT_EQ(HeaderOf(Last(), "Authorization"), "Bearer two");
}

TEST_F(ClusterPollAloneTest, AResourceThatIsDeletedEndsItsOperation) {
  Follow();
  world_.cluster.Edit("asyncresources", "vol", [](Json* object) {
    object->ObjectAt("metadata").Set("deletionTimestamp", "2026-01-01T00:01:00Z");
  });
  world_.transport.Handle([](const kube::OutboundRequest& request) {
    return request.method == "GET" ? Answered(200, R"({"id": "v-1"})")
                                   : Answered(202, "", {{"Location", "/v1/operations/2"}});
  });
  world_.Pass(minutes(10), seconds(5));
  EXPECT_EQ(world_.Sent("DELETE"), 1);
  EXPECT_TRUE(world_.cluster.Find("asyncresources", "vol").is_null());
}

TEST_F(ClusterPollAloneTest, ItsDeadlineIsKept) {
  Follow();
  world_.Pass(hours(25), minutes(1));
  EXPECT_EQ(Shown().state, "Failed");
  EXPECT_EQ(Shown().failure_details.front().code, "DeadlineExceeded");
}

TEST_F(ClusterPollAloneTest, ARestartGoesOnWithIt) {
  Follow();
  world_.Crash();
  world_.Start();
  Pass();
  EXPECT_GT(NewCalls(), 0);
  EXPECT_EQ(world_.Sent("POST"), 1);
}

TEST_F(ClusterPollAloneTest, WhileKubeApiserverIsAwayItIsPolledOnAndItsEndIsTaken) {
  Follow();
  world_.cluster.SetAway(true);
  Pass();
  EXPECT_GT(NewCalls(), 0);
  world_.transport.Handle(
      [](const kube::OutboundRequest& /*request*/) { return Answered(200, R"({"id": "v-1"})"); });
  Pass();
  EXPECT_EQ(Shown().state, "Succeeded");
}

}  // namespace
}  // namespace asyncops::reconciler
