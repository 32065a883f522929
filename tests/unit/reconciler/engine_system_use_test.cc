// ExternalSystems that are deleted while something still needs them, in standalone.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/schema/binding.h"
#include "reconciler/annotations.h"
#include "reconciler/last_secrets.h"
#include "reconciler/local_resource_client.h"
#include "reconciler/owner_epoch.h"
#include "reconciler/system_reconciler.h"
#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const ObjectName kCloud{"team", "cloud"};
constexpr std::string_view kToken =
    "{kind: Secret, apiVersion: v1, metadata: {name: token}, data: {token: czNjcjN0}}";

std::string CloudWithToken() {
  return CloudYaml(true) + "  auth: {bearerTokenSecretRef: {name: token, key: token}}\n";
}

class EngineSystemUseTest : public testing::Test {
 protected:
  EngineSystemUseTest() {
    world_.transport.Handle(
        [this](const kube::OutboundRequest& request) { return Serve(request); });
    Start();
  }

  void Start() {
    world_.Start();
    use_ = std::make_unique<SystemUse>();
    const ReconcilerParts parts{.store = *world_.store,
                                .resources = world_.resources(),
                                .external = world_.external(),
                                .clock = world_.clock,
                                .ids = world_.ids,
                                .faults = no_faults_};
    systems_ = std::make_unique<SystemReconciler>(parts, 0, *use_, [](const ObjectName&) {});
    due_.reset();
  }
  void Crash() {
    systems_.reset();
    world_.Crash();
  }

  kube::Exchange Serve(const kube::OutboundRequest& request) {
    if (request.method == "DELETE") deletes_.push_back(HeaderOf(request, "Authorization"));
    if (request.method != "GET")
      return Answered(202, "", {{"Location", "http://cloud.example/v1/operations/7"}});
    return done_ ? Answered(200, R"({"status": "Succeeded", "id": "v-1"})")
                 : Answered(202, R"({"status": "Running"})");
  }

  // Looks at the system now.
  void Look() {
    do {
      const Result<std::optional<Time>> next = systems_->Reconcile(kCloud);
      ASSERT_TRUE(next.ok()) << next.status().ToString();
      due_ = *next;
    } while (due_ && *due_ <= world_.clock.Now());
    world_.Settle();
  }
  // As the queue does: the system is looked at when it said.
  void Pass(Duration by) {
    for (Duration passed{}; passed < by; passed += seconds(1)) {
      world_.Pass(seconds(1));
      if (due_ && *due_ <= world_.clock.Now()) Look();
    }
  }
  void MakeVolume() {
    world_.Create(kToken);
    world_.Create(CloudWithToken());
    Look();
    world_.Create(ResourceYaml());
    Pass(seconds(10));
    ASSERT_EQ(world_.Resource("vol").phase, "Ready");
  }
  // A user's delete, and what its watch brings about.
  void Delete(std::string_view plural, std::string_view name) {
    world_.Delete(plural, name);
    if (plural == "externalsystems") Look();
  }
  bool Exists() const { return world_.Exists("externalsystems", "cloud"); }
  Condition Held() const {
    const ExternalSystemStatus status =
        DecodeAs<ExternalSystem>(world_.Get("externalsystems", "cloud"))->status;
    const Condition* condition = FindCondition(status.conditions, "DeletionBlocked");
    return condition == nullptr ? Condition() : *condition;
  }

  bool done_ = true;
  std::vector<std::string> deletes_;  // with which Authorization each came
  EngineWorld world_;
  FaultPoints no_faults_;
  std::unique_ptr<SystemUse> use_;
  std::unique_ptr<SystemReconciler> systems_;
  std::optional<Time> due_;
};

TEST_F(EngineSystemUseTest, OneThatNobodyUsesGoesWithinAReconcile) {
  world_.Create(CloudYaml(true));
  Look();
  const Json* finalizers =
      world_.Get("externalsystems", "cloud").FindPath({"metadata", "finalizers"});
  ASSERT_NE(finalizers, nullptr);
  const storage::Revision revision = world_.store->revision();
  Look();
  EXPECT_EQ(world_.store->revision(), revision) << "nothing is written twice";
  world_.Delete("externalsystems", "cloud");
  ASSERT_TRUE(Exists()) << "the finalizer holds it";
  Look();
  EXPECT_FALSE(Exists());
  EXPECT_THAT(world_.Events("ExternalSystem", "cloud"), IsEmpty());
}

class DeletionOrderTest : public EngineSystemUseTest,
                          public testing::WithParamInterface<std::vector<std::string_view>> {};

TEST_P(DeletionOrderTest, WhatIsOutsideIsDeletedWithTheCredentialsThatWereKnown) {
  MakeVolume();
  done_ = false;
  for (const std::string_view plural : GetParam()) {
    Delete(plural, plural == "secrets" ? "token" : plural == "asyncresources" ? "vol" : "cloud");
    Pass(seconds(2));
  }
  EXPECT_TRUE(Exists()) << "the delete runs outside";
  done_ = true;
  Pass(minutes(6));
  EXPECT_THAT(deletes_, ElementsAre("Bearer s3cr3t"));
  EXPECT_FALSE(world_.Exists("asyncresources", "vol"));
  EXPECT_FALSE(Exists());
  EXPECT_FALSE(world_.Exists("secrets", "token"));
}

INSTANTIATE_TEST_SUITE_P(
    Orders, DeletionOrderTest,
    testing::Values(std::vector<std::string_view>{"secrets", "externalsystems", "asyncresources"},
                    std::vector<std::string_view>{"secrets", "asyncresources", "externalsystems"},
                    std::vector<std::string_view>{"externalsystems", "secrets", "asyncresources"},
                    std::vector<std::string_view>{"externalsystems", "asyncresources", "secrets"},
                    std::vector<std::string_view>{"asyncresources", "secrets", "externalsystems"},
                    std::vector<std::string_view>{"asyncresources", "externalsystems", "secrets"}));

TEST_F(EngineSystemUseTest, OneThatIsHeldSaysWhoUsesItAndTellsOnce) {
  MakeVolume();
  Delete("externalsystems", "cloud");
  Pass(minutes(2));
  ASSERT_TRUE(Exists());
  EXPECT_EQ(Held().reason, "InUse");
  EXPECT_EQ(Held().message,
            "it is used by AsyncResource vol, and goes once these are gone or, of "
            "AsyncOperations, have ended. Not under deletion is asyncresource/vol: kubectl -n team "
            "delete asyncresource/vol. To leave behind what is outside: kubectl -n team annotate "
            "asyncresource/vol asyncops.dev/force-delete=true, which counts once that is under "
            "deletion");
  EXPECT_THAT(world_.Events("ExternalSystem", "cloud"), ElementsAre("InUse"));
  world_.Edit("asyncresources", "vol", [](Json* object) {
    object->ObjectAt("spec").Set("parameters", Json::Of({{"size", "2Gi"}}));
  });
  Pass(seconds(10));
  EXPECT_EQ(world_.Resource("vol").observed_generation, 2) << "it can be used until then";
  Delete("asyncresources", "vol");
  Pass(seconds(10));
  EXPECT_FALSE(Exists());
}

TEST_F(EngineSystemUseTest, AnOperationOfAUserHoldsItUntilItHasEnded) {
  world_.Create(CloudYaml(true));
  Look();
  done_ = false;
  world_.Create(OperationYaml());
  Delete("externalsystems", "cloud");
  Pass(seconds(20));
  ASSERT_TRUE(Exists());
  EXPECT_THAT(Held().message, HasSubstr("used by AsyncOperation op, and goes"));
  EXPECT_THAT(Held().message, HasSubstr("annotate asyncoperation/op asyncops.dev/force-delete"));
  done_ = true;
  Pass(seconds(20));
  EXPECT_EQ(world_.Operation("op").phase, "Succeeded");
  EXPECT_FALSE(Exists()) << "what has ended needs it no more";
}

TEST_F(EngineSystemUseTest, WhatWasNeverSentHoldsItOnlyUntilItIsRemoved) {
  world_.Create(CloudYaml(true));
  Look();
  world_.Create(OperationYaml("  suspend: true\n"));
  Delete("externalsystems", "cloud");
  ASSERT_TRUE(Exists()) << "it is to be sent";
  world_.Edit("asyncoperations", "op", [](Json* object) {
    object->ObjectAt("metadata").Set("finalizers", JsonArray{Json("a.example/x")});
  });
  world_.Delete("asyncoperations", "op");
  Pass(seconds(5));
  EXPECT_TRUE(world_.Exists("asyncoperations", "op")) << "somebody else holds it";
  EXPECT_FALSE(Exists());
}

TEST_F(EngineSystemUseTest, AfterARestartASecretThatIsGoneIsNamedWithTheWaysOut) {
  MakeVolume();
  Delete("secrets", "token");
  Delete("externalsystems", "cloud");
  Crash();
  Start();
  world_.Delete("asyncresources", "vol");
  Look();
  Pass(seconds(5));
  ASSERT_TRUE(Exists());
  EXPECT_THAT(deletes_, IsEmpty());
  EXPECT_THAT(Held().message,
              HasSubstr("They cannot call: secret \"team/token\" is not there, and what it held "
                        "is not known any more: make it again"));
  EXPECT_THAT(Held().message, Not(HasSubstr("Not under deletion")));
  EXPECT_THAT(Held().message, HasSubstr("asyncresource/vol asyncops.dev/force-delete=true"));
  world_.Create(kToken);
  world_.Nudge();
  Pass(seconds(10));
  EXPECT_THAT(deletes_, ElementsAre("Bearer s3cr3t"));
  EXPECT_FALSE(Exists());
}

TEST_F(EngineSystemUseTest, AfterARestartADeletionByForceLetsItGo) {
  MakeVolume();
  Delete("secrets", "token");
  Delete("externalsystems", "cloud");
  Crash();
  Start();
  world_.Delete("asyncresources", "vol");
  Look();
  Pass(seconds(5));
  world_.Annotate("asyncresources", "vol", kForceDelete, "true");
  Pass(seconds(10));
  EXPECT_THAT(deletes_, IsEmpty());
  EXPECT_FALSE(world_.Exists("asyncresources", "vol"));
  EXPECT_FALSE(Exists());
}

TEST_F(EngineSystemUseTest, ASecretThatIsDeletedAloneStopsNewCalls) {
  MakeVolume();
  Delete("secrets", "token");
  Delete("asyncresources", "vol");
  Pass(seconds(30));
  EXPECT_THAT(deletes_, IsEmpty());
  EXPECT_TRUE(world_.Exists("asyncresources", "vol"));
}

TEST_F(EngineSystemUseTest, ManyUsersAreCountedAndTheFirstNamed) {
  world_.Create(CloudYaml(true));
  Look();
  done_ = false;
  for (const std::string_view name : {"a", "b", "c", "d"}) {
    std::string yaml = ResourceYaml();
    yaml.replace(yaml.find("name: vol"), 9, "name: " + std::string(name));
    world_.Create(yaml);
  }
  std::string other = ResourceYaml();
  other.replace(other.find("name: cloud"), 11, "name: clouds");
  world_.Create(other);
  Pass(seconds(3));
  Delete("externalsystems", "cloud");
  EXPECT_THAT(Held().message, HasSubstr("it is used by 4 AsyncResources (a, b, c, ...), and"))
      << "their own operations are not counted beside them";
}

TEST_F(EngineSystemUseTest, ALaterOwnerIsNotOvertaken) {
  world_.Create(CloudYaml(true));
  const auto resources = MakeLocalResourceClient(*world_.store, world_.clock, world_.ids);
  resources->WriteFor(*TakeOwnership(*world_.store));
  const std::string uid(world_.Get("externalsystems", "cloud").StringAt({"metadata", "uid"}));
  ASSERT_TRUE(TakeOwnership(*world_.store).ok());
  const auto add = [](std::vector<std::string>* all) { all->emplace_back(kSystemFinalizer); };
  EXPECT_EQ(resources->UpdateSystemFinalizers(kCloud, uid, add).reason(),
            Reason::kServiceUnavailable);
  EXPECT_EQ(resources->UpdateSystemFinalizers(kCloud, "another", add).reason(), Reason::kNotFound);
}

TEST_F(EngineSystemUseTest, NoFinalizerIsPutOnWhatIsLeaving) {
  world_.Create(CloudYaml(true));
  world_.Edit("externalsystems", "cloud", [](Json* object) {
    object->ObjectAt("metadata").Set("finalizers", JsonArray{Json("a.example/x")});
  });
  world_.Delete("externalsystems", "cloud");
  const auto add = [](std::vector<std::string>* all) { all->emplace_back(kSystemFinalizer); };
  EXPECT_EQ(world_.resources().UpdateSystemFinalizers(kCloud, "", add).reason(), Reason::kConflict);
  const storage::Revision revision = world_.store->revision();
  Look();
  EXPECT_EQ(world_.store->revision(), revision) << "it is none of ours any more";
}

TEST(LastSecretsTest, WhatIsGoneIsAsItWasReadLast) {
  LastSecrets last;
  const ObjectName name{"team", "token"};
  const Result<SecretData> gone = NotFound("", "secrets", "token");
  EXPECT_EQ(last.OrLast(name, gone).status().reason(), Reason::kNotFound);
  last.Note(name, {{"k", "old"}});
  last.Note(name, {{"k", "new"}});
  EXPECT_EQ(last.OrLast(name, gone)->at("k"), "new");
  EXPECT_EQ(last.OrLast(name, Status(Reason::kForbidden, "no"))->at("k"), "new");
  EXPECT_EQ(last.OrLast(name, SecretData{{"k", "newest"}})->at("k"), "newest");
  EXPECT_EQ(last.OrLast(name, Status(Reason::kServiceUnavailable, "away")).status().reason(),
            Reason::kServiceUnavailable)
      << "it may be there";
}

TEST(LastSecretsTest, WhatWasReadLongestAgoMakesRoom) {
  LastSecrets last(1000);
  const Result<SecretData> gone = NotFound("", "secrets", "x");
  for (const char* name : {"a", "b", "c"})
    last.Note({"team", name}, {{"k", std::string(200, 'x')}});
  last.Note({"team", "a"}, {{"k", std::string(200, 'x')}});
  last.Note({"team", "d"}, {{"k", std::string(200, 'x')}});
  EXPECT_TRUE(last.OrLast({"team", "a"}, gone).ok());
  EXPECT_FALSE(last.OrLast({"team", "b"}, gone).ok());
  EXPECT_TRUE(last.OrLast({"team", "d"}, gone).ok());
  last.Note({"team", "huge"}, {{"k", std::string(2000, 'x')}});
  EXPECT_FALSE(last.OrLast({"team", "huge"}, gone).ok());
}

}  // namespace
}  // namespace asyncops::reconciler
