// ExternalSystems that are deleted while something still needs them, in a cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/meta/condition.h"
#include "api/schema/binding.h"
#include "base/rfc3339.h"
#include "reconciler/annotations.h"
#include "reconciler/owner_epoch.h"
#include "tests/unit/reconciler/cluster_world.h"
#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const ObjectName kCloud{"team", "cloud"};
constexpr std::string_view kToken =
    "{kind: Secret, apiVersion: v1, metadata: {name: token}, data: {token: czNjcjN0}}";

class ClusterSystemUseTest : public testing::Test {
 protected:
  ClusterSystemUseTest() {
    world_.transport.Handle(
        [this](const kube::OutboundRequest& request) { return Serve(request); });
    world_.Start();
  }

  kube::Exchange Serve(const kube::OutboundRequest& request) {
    if (request.method == "DELETE") deletes_.push_back(HeaderOf(request, "Authorization"));
    if (request.method != "GET")
      return Answered(202, "", {{"Location", "http://cloud.example/v1/operations/7"}});
    return done_ ? Answered(200, R"({"status": "Succeeded", "id": "v-1"})")
                 : Answered(202, R"({"status": "Running"})");
  }

  void MakeVolume() {
    world_.Create(kToken);
    world_.Create(CloudYaml(true) + "  auth: {bearerTokenSecretRef: {name: token, key: token}}\n");
    world_.Create(ResourceYaml());
    world_.Pass(seconds(20));
    ASSERT_EQ(world_.Resource("vol").phase, "Ready");
    ASSERT_TRUE(Holds("externalsystems", "cloud"));
  }
  // As kube-apiserver does it.
  void Delete(std::string_view plural) {
    const std::string_view name = plural == "secrets"          ? "token"
                                  : plural == "asyncresources" ? "vol"
                                                               : "cloud";
    if (!Holds(plural, name)) return world_.cluster.Remove(plural, name);
    world_.cluster.Edit(plural, name, [this](Json* object) {
      object->ObjectAt("metadata").Set("deletionTimestamp", FormatTime(world_.clock.Now()));
    });
  }
  bool Holds(std::string_view plural, std::string_view name) const {
    return world_.cluster.Find(plural, name).FindPath({"metadata", "finalizers"}) != nullptr;
  }
  bool Exists(std::string_view plural, std::string_view name) const {
    return !world_.cluster.Find(plural, name).is_null();
  }
  Condition Held() const {
    const ExternalSystemStatus status =
        DecodeAs<ExternalSystem>(world_.cluster.Find("externalsystems", "cloud"))->status;
    const Condition* condition = FindCondition(status.conditions, "DeletionBlocked");
    return condition == nullptr ? Condition() : *condition;
  }

  bool done_ = true;
  std::vector<std::string> deletes_;
  ClusterWorld world_;
};

class ClusterDeletionOrderTest : public ClusterSystemUseTest,
                                 public testing::WithParamInterface<std::vector<std::string_view>> {
};

TEST_P(ClusterDeletionOrderTest, WhatIsOutsideIsDeletedWithTheCredentialsThatWereKnown) {
  MakeVolume();
  done_ = false;
  for (const std::string_view plural : GetParam()) {
    Delete(plural);
    world_.Pass(seconds(2));
  }
  EXPECT_TRUE(Exists("externalsystems", "cloud")) << "the delete runs outside";
  done_ = true;
  world_.Pass(minutes(6));
  EXPECT_THAT(deletes_, ElementsAre("Bearer s3cr3t"));
  EXPECT_FALSE(Exists("asyncresources", "vol"));
  EXPECT_FALSE(Exists("externalsystems", "cloud"));
  EXPECT_EQ(world_.failures, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Orders, ClusterDeletionOrderTest,
    testing::Values(std::vector<std::string_view>{"secrets", "externalsystems", "asyncresources"},
                    std::vector<std::string_view>{"secrets", "asyncresources", "externalsystems"},
                    std::vector<std::string_view>{"externalsystems", "secrets", "asyncresources"},
                    std::vector<std::string_view>{"externalsystems", "asyncresources", "secrets"},
                    std::vector<std::string_view>{"asyncresources", "secrets", "externalsystems"},
                    std::vector<std::string_view>{"asyncresources", "externalsystems", "secrets"}));

TEST_F(ClusterSystemUseTest, OneThatNobodyUsesGoesWithinAReconcile) {
  world_.Create(CloudYaml(true));
  world_.Settle();
  Delete("externalsystems");
  world_.Settle();
  EXPECT_FALSE(Exists("externalsystems", "cloud"));
  EXPECT_THAT(world_.cluster.All("events"), IsEmpty());
}

TEST_F(ClusterSystemUseTest, AllAtOnceAfterADayOfRest) {
  MakeVolume();
  world_.Pass(hours(24), minutes(2));
  for (const std::string_view plural : {"secrets", "externalsystems", "asyncresources"})
    Delete(plural);
  world_.Pass(minutes(1));
  EXPECT_THAT(deletes_, ElementsAre("Bearer s3cr3t"));
  EXPECT_FALSE(Exists("externalsystems", "cloud"));
}

TEST_F(ClusterSystemUseTest, TheRoleThatReadsSecretsMayGoFirst) {
  MakeVolume();
  world_.cluster.SetIntercept([](const kube::ApiRequest& request) -> std::optional<Status> {
    if (request.target.find("/secrets/") == std::string::npos) return std::nullopt;
    return Status(Reason::kForbidden, "secrets \"token\" is forbidden");
  });
  Delete("externalsystems");
  Delete("asyncresources");
  world_.Pass(minutes(1));
  EXPECT_THAT(deletes_, ElementsAre("Bearer s3cr3t"));
  EXPECT_FALSE(Exists("externalsystems", "cloud"));
}

TEST_F(ClusterSystemUseTest, OneThatIsHeldSaysWhoUsesItAndTellsOnce) {
  MakeVolume();
  Delete("externalsystems");
  world_.Pass(minutes(1));
  EXPECT_EQ(Held().reason, "InUse");
  EXPECT_THAT(Held().message, HasSubstr("it is used by AsyncResource vol, and goes once"));
  int told = 0;
  for (const auto& [key, event] : world_.cluster.All("events"))
    told += event.StringAt({"reason"}) == "InUse" ? 1 : 0;
  EXPECT_EQ(told, 1);
  world_.cluster.TakeCalls();
  world_.Pass(minutes(1));
  EXPECT_THAT(world_.cluster.TakeCalls(), Not(Contains(HasSubstr("PATCH"))));
}

TEST_F(ClusterSystemUseTest, AfterARestartASecretThatIsGoneIsNamedWithTheWaysOut) {
  MakeVolume();
  for (const std::string_view plural : {"secrets", "externalsystems", "asyncresources"})
    Delete(plural);
  world_.Crash();
  world_.Start();
  world_.Pass(seconds(10));
  EXPECT_THAT(deletes_, IsEmpty());
  EXPECT_THAT(Held().message, HasSubstr("secret \"team/token\" is not there, and what it held"));
  world_.cluster.Edit("asyncresources", "vol", [](Json* object) {
    object->ObjectAt("metadata")["annotations"].Set(kForceDelete, Json("true"));
  });
  world_.Pass(seconds(10));
  EXPECT_FALSE(Exists("asyncresources", "vol"));
  EXPECT_FALSE(Exists("externalsystems", "cloud"));
}

TEST_F(ClusterSystemUseTest, AResourceThatTheInformerDoesNotShowYetHoldsIt) {
  world_.Create(CloudYaml(true));
  world_.Settle();
  world_.resource_informer.SetLive(false);
  const std::string uid = world_.Create(ResourceYaml());
  // Ours, and newer than what the informer has.
  ASSERT_TRUE(world_.resources()
                  .UpdateFinalizers({"team", "vol"}, uid,
                                    [](std::vector<std::string>* finalizers) {
                                      finalizers->emplace_back(kResourceFinalizer);
                                    })
                  .ok());
  const Result<std::vector<ObjectMeta>> users = world_.resources().ListResourcesOf(kCloud);
  ASSERT_TRUE(users.ok());
  ASSERT_EQ(users->size(), 1U);
  EXPECT_THAT(users->front().finalizers, ElementsAre(kResourceFinalizer));
  world_.cluster.Remove("asyncresources", "vol");
  EXPECT_THAT(*world_.resources().ListResourcesOf(kCloud), IsEmpty()) << "it was asked for";
  EXPECT_THAT(*world_.resources().ListResourcesOf({"other", "cloud"}), IsEmpty());
}

TEST_F(ClusterSystemUseTest, ALaterOwnerIsNotOvertaken) {
  world_.Create(CloudYaml(true));
  world_.Settle();
  Delete("externalsystems");
  ASSERT_TRUE(TakeOwnership(*world_.store).ok());
  world_.Settle();
  EXPECT_TRUE(Exists("externalsystems", "cloud"));
  world_.cluster.TakeCalls();
  const Status dropped = world_.resources().UpdateSystemFinalizers(
      kCloud, "", [](std::vector<std::string>* finalizers) { finalizers->clear(); });
  EXPECT_EQ(dropped.reason(), Reason::kServiceUnavailable);
  EXPECT_THAT(world_.cluster.TakeCalls(), Not(Contains(HasSubstr("PATCH"))));
}

TEST_F(ClusterSystemUseTest, NoRetriesAreShownAsNone) {
  MakeVolume();
  const Json vol = world_.cluster.Find("asyncresources", "vol");
  ASSERT_NE(vol.FindPath({"status", "retryCount"}), nullptr)
      << "a column of the CRD would be empty";
  EXPECT_EQ(vol.IntAt({"status", "retryCount"}, -1), 0);
}

}  // namespace
}  // namespace asyncops::reconciler
