// One operation outside that two AsyncOperations claim.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/yaml.h"
#include "reconciler/same_operation.h"
#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A system that names its operations in the answer to the submit.
constexpr const char* kSystem = R"(
kind: ExternalSystem
apiVersion: asyncops.dev/v1alpha1
metadata: {name: cloud}
spec: {endpoint: "http://cloud.example/v1", preset: Custom, limits: {requestTimeout: 10s}}
)";

std::string Named(const std::string& name, std::string_view more = "") {
  return R"(
kind: AsyncOperation
apiVersion: operations.asyncops.dev/v1alpha1
metadata: {name: )" +
         name + R"(}
spec:
  type: Create
  externalSystemRef: {name: cloud}
  submit: {method: POST, path: /volumes, body: {}}
  operation: {id: /id}
  poll:
    path: "/operations/${operation.id}"
    interval: {initial: 1s, max: 10s}
    acceptors: [{when: response.body.done == true, state: Succeeded}]
)" + std::string(more);
}

class EngineSharedTest : public testing::Test {
 protected:
  EngineSharedTest() {
    world_.transport.Handle([this](const kube::OutboundRequest& request) {
      if (request.method == "POST") return Answered(202, R"({"id":")" + id_ + R"("})");
      return Answered(200, done_ ? R"({"done":true})" : R"({"done":false})");
    });
    world_.Start();
    world_.Create(kSystem);
  }
  std::string Shared(std::string_view name) {
    return world_.Show(world_.Operation(name).conditions, "OperationShared");
  }
  std::vector<std::string> Events(std::string_view name) {
    return world_.Events("AsyncOperation", name);
  }
  // A second operation whose submit gets lost.
  void Park(const std::string& name) {
    world_.transport.Script(Ambiguous());
    world_.Create(Named(name));
    world_.Settle();
    ASSERT_EQ(world_.Operation(name).state, "OutcomeUnknown");
  }

  EngineWorld world_;
  std::string id_ = "7";
  bool done_ = false;
};

TEST_F(EngineSharedTest, TheSecondOneIsWarnedOfAndGoesOn) {
  world_.Create(Named("first"));
  world_.Pass(seconds(3));
  ASSERT_EQ(world_.Operation("first").operation_id, "7");
  world_.Create(Named("second"));
  world_.Pass(seconds(3));
  EXPECT_EQ(Shared("first"), "");
  EXPECT_EQ(Shared("second"), "True/SameOperationID");
  EXPECT_THAT(Events("second"), ElementsAre("Submitted", "OperationShared"));
  EXPECT_THAT(world_.EventMessages("AsyncOperation", "second", "OperationShared"),
              ElementsAre(HasSubstr("AsyncOperation first")));
  done_ = true;
  world_.Pass(seconds(15));
  EXPECT_EQ(world_.Operation("second").state, "Succeeded");
  EXPECT_EQ(Shared("second"), "True/SameOperationID") << "it is as true as before";
}

TEST_F(EngineSharedTest, OneThatSucceededCountsAndOneThatFailedDoesNot) {
  done_ = true;
  world_.Create(Named("first"));
  world_.Pass(seconds(5));
  ASSERT_EQ(world_.Operation("first").state, "Succeeded");
  world_.Create(Named("second"));
  world_.Pass(seconds(5));
  EXPECT_EQ(Shared("second"), "True/SameOperationID");
  id_ = "8";
  done_ = false;
  world_.Create(Named("third", "  activeDeadline: 20s\n"));
  world_.Pass(seconds(30));
  ASSERT_EQ(world_.Operation("third").state, "Failed");
  world_.Create(Named("fourth"));
  world_.Pass(seconds(5));
  EXPECT_EQ(Shared("fourth"), "");
}

TEST_F(EngineSharedTest, AnotherIDOrAnotherSystemIsNothing) {
  world_.Create(Named("first"));
  world_.Pass(seconds(3));
  id_ = "8";
  world_.Create(Named("second"));
  std::string system = kSystem;
  system.replace(system.find("{name: cloud}"), 13, "{name: other}");
  world_.Create(system);
  std::string third = Named("third");
  third.replace(third.find("{name: cloud}"), 13, "{name: other}");
  world_.Create(third);
  world_.Pass(seconds(3));
  EXPECT_EQ(Shared("second"), "");
  EXPECT_EQ(Shared("third"), "");
}

TEST_F(EngineSharedTest, WhatFollowsAnIDIsNotAdoptedByAnother) {
  world_.Create(Named("first"));
  world_.Pass(seconds(3));
  Park("second");
  world_.Annotate("asyncoperations", "second", "asyncops.dev/resolve", "Adopt:7");
  world_.Pass(seconds(3));
  EXPECT_EQ(world_.Operation("second").state, "OutcomeUnknown");
  EXPECT_THAT(world_.EventMessages("AsyncOperation", "second", "RequestRefused"),
              ElementsAre(HasSubstr("AsyncOperation first follows 7 already")));
  world_.Annotate("asyncoperations", "second", "asyncops.dev/resolve", "ForceAdopt:7");
  world_.Pass(seconds(3));
  EXPECT_EQ(world_.Operation("second").operation_id, "7");
  EXPECT_EQ(Shared("second"), "True/SameOperationID");
}

TEST_F(EngineSharedTest, WhatNobodyFollowsIsAdopted) {
  Park("second");
  world_.Annotate("asyncoperations", "second", "asyncops.dev/resolve", "Adopt:7");
  world_.Pass(seconds(3));
  EXPECT_EQ(world_.Operation("second").operation_id, "7");
  EXPECT_EQ(Shared("second"), "");
  EXPECT_THAT(Events("second"), Not(Contains("RequestRefused")));
}

TEST_F(EngineSharedTest, OperationsOfOneResourceMayShareTheIDOfTheirThing) {
  const std::string of = "  resourceRef: {kind: AsyncResource, name: vol, uid: u-1}\n";
  world_.Create(Named("first", of));
  world_.Pass(seconds(3));
  world_.Create(Named("second", of));
  world_.Pass(seconds(3));
  EXPECT_EQ(Shared("second"), "");
}

TEST_F(EngineSharedTest, ALiveClaimIsFoundBeforeAnEndedOne) {
  done_ = true;
  world_.Create(Named("a"));
  world_.Pass(seconds(3));
  done_ = false;
  world_.Create(Named("b"));
  world_.Pass(seconds(3));
  const AsyncOperation self = [] {
    AsyncOperation operation;
    operation.metadata.namespace_name = "team";
    operation.metadata.name = "c";
    operation.spec.external_system_ref = LocalObjectRef{.name = "cloud"};
    return operation;
  }();
  EXPECT_EQ(**FindSameOperation(*world_.store, self, "7"),
            (OtherOperation{.name = "b", .live = true}));
  EXPECT_EQ(*FindSameOperation(*world_.store, self, ""), std::nullopt);
  EXPECT_EQ(*FindSameOperation(*world_.store, self, "9"), std::nullopt);
}

}  // namespace
}  // namespace asyncops::reconciler
