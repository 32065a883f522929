// Edits of an AsyncResource at any moment, its deletion at any state, and the ways out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

constexpr const char* kRetry = "asyncops.dev/retry-requested-at";
constexpr const char* kForce = "asyncops.dev/force-delete";

// Makes volumes; an operation runs until it is told otherwise.
class EngineGenerationTest : public testing::Test {
 protected:
  EngineGenerationTest() {
    world_.transport.Handle(
        [this](const kube::OutboundRequest& request) { return Serve(request); });
    world_.Start();
    world_.Create(CloudYaml(true));
  }
  kube::Exchange Serve(const kube::OutboundRequest& request) {
    const kube::Exchange accepted =
        Answered(202, "", {{"Location", "http://cloud.example/v1/operations/1"}});
    if (request.method == "GET") return running_ ? accepted : Answered(200, R"({"id":"v1"})");
    seen_.push_back(request.method + " " + request.body);
    const auto refused = refused_.find(request.method);
    return refused == refused_.end() ? accepted : refused->second;
  }
  void Size(const char* size) {
    world_.Edit("asyncresources", "vol", [size](Json* object) {
      object->ObjectAt("spec").Set("parameters", Json::Of({{"size", size}}));
    });
  }
  void Ready() {
    world_.Create(ResourceYaml());
    running_ = false;
    world_.Pass(seconds(20));
    ASSERT_EQ(world_.Resource("vol").phase, "Ready");
    running_ = true;
  }
  std::string Blocked() {
    const Conditions conditions = world_.Resource("vol").conditions;
    const Condition* blocked = FindCondition(conditions, "DeletionBlocked");
    return blocked == nullptr ? "" : blocked->message;
  }
  std::string TheOperation(std::string_view type) {
    for (const std::string& name : world_.Operations()) {
      if (name.find(type) != std::string::npos) return name;
    }
    return "";
  }
  std::vector<std::string> Events() { return world_.Events("AsyncResource", "vol"); }

  bool running_ = true;
  std::map<std::string, kube::Exchange> refused_;  // by method
  std::vector<std::string> seen_;
  EngineWorld world_;
};

TEST_F(EngineGenerationTest, OfTwoEditsInFlightTheLastWinsAndTheOtherIsSaidToBeSkipped) {
  world_.Create(ResourceYaml());
  world_.Pass(seconds(5));
  Size("2Gi");
  world_.Pass(seconds(5));
  Size("3Gi");
  world_.Pass(seconds(5));
  running_ = false;
  world_.Pass(minutes(2));
  EXPECT_THAT(seen_, ElementsAre(R"(POST {"size":"1Gi"})", R"(PUT {"size":"3Gi"})"));
  EXPECT_EQ(world_.Resource("vol").phase, "Ready");
  EXPECT_EQ(world_.Resource("vol").observed_generation, 3);
  EXPECT_THAT(world_.EventMessages("AsyncResource", "vol", "GenerationSkipped"),
              ElementsAre(HasSubstr("generation 2 came while another operation was under way")));
}

TEST_F(EngineGenerationTest, AnEditThatIsTakenBackInFlightMakesNoOperation) {
  world_.Create(ResourceYaml());
  world_.Pass(seconds(5));
  Size("2Gi");
  world_.Pass(seconds(5));
  Size("1Gi");
  running_ = false;
  world_.Pass(minutes(2));
  EXPECT_EQ(seen_.size(), 1U);
  EXPECT_EQ(world_.Resource("vol").observed_generation, 3);
  EXPECT_THAT(Events(), Not(Contains("GenerationSkipped")));
}

TEST_F(EngineGenerationTest, AnUpdateThatIsTakenBackAfterItFailedIsCarriedOut) {
  Ready();
  refused_.emplace("PUT", Answered(422));
  Size("2Gi");
  world_.Pass(seconds(5));
  ASSERT_EQ(world_.Resource("vol").phase, "Failed");
  refused_.clear();
  running_ = false;
  Size("1Gi");
  world_.Pass(seconds(20));
  EXPECT_EQ(world_.Resource("vol").phase, "Ready");
  EXPECT_EQ(seen_.back(), R"(PUT {"size":"1Gi"})") << "how far the failed one came is unknown";
}

TEST_F(EngineGenerationTest, AnEditAfterACreateThatFailedCreatesAnew) {
  refused_.emplace("POST", Answered(422));
  world_.Create(ResourceYaml());
  world_.Pass(seconds(5));
  ASSERT_EQ(world_.Resource("vol").phase, "Failed");
  refused_.clear();
  running_ = false;
  Size("2Gi");
  world_.Pass(seconds(20));
  EXPECT_EQ(world_.Resource("vol").phase, "Ready");
  EXPECT_EQ(seen_.back(), R"(POST {"size":"2Gi"})");
}

TEST_F(EngineGenerationTest, BesideACreateThatMayStillRunNothingIsCreated) {
  world_.Create(ResourceYaml("  activeDeadline: 1m\n"));
  world_.Pass(minutes(2));
  ASSERT_EQ(world_.Resource("vol").phase, "Failed");
  Size("2Gi");
  world_.Pass(minutes(2));
  EXPECT_EQ(seen_.size(), 1U);
  EXPECT_THAT(FindCondition(world_.Resource("vol").conditions, "Ready")->message,
              HasSubstr("may still run outside"));
  // A person says that it does not.
  world_.Annotate("asyncresources", "vol", kRetry, "1");
  world_.Pass(seconds(5));
  const std::string create = TheOperation("create");
  EXPECT_EQ(world_.Operation(create).state, "OutcomeUnknown");
  world_.Annotate("asyncoperations", create, "asyncops.dev/resolve", "Retry");
  running_ = false;
  world_.Pass(minutes(1));
  EXPECT_EQ(world_.Resource("vol").phase, "Ready");
  EXPECT_THAT(seen_, ElementsAre(R"(POST {"size":"1Gi"})", R"(POST {"size":"1Gi"})",
                                 R"(PUT {"size":"2Gi"})"));
}

TEST_F(EngineGenerationTest, ADeletionWaitsForAnUpdateThatRuns) {
  Ready();
  Size("2Gi");
  world_.Pass(seconds(5));
  world_.Delete("asyncresources", "vol");
  world_.Pass(seconds(10));
  EXPECT_EQ(seen_.size(), 2U) << "nothing is deleted under a running update";
  running_ = false;
  world_.Pass(minutes(1));
  EXPECT_FALSE(world_.Exists("asyncresources", "vol"));
  EXPECT_EQ(seen_.back(), "DELETE ");
  EXPECT_THAT(world_.Operations(), IsEmpty());
}

TEST_F(EngineGenerationTest, ARetryOfADeletionActsAtOnceWhateverItsValue) {
  Ready();
  refused_.emplace("DELETE", Answered(401));
  world_.Delete("asyncresources", "vol");
  world_.Pass(seconds(5));
  ASSERT_EQ(seen_.size(), 2U);
  world_.Annotate("asyncresources", "vol", kRetry, "now please");
  world_.Pass(seconds(2));
  EXPECT_EQ(seen_.size(), 3U) << "the delete that waits is woken";
  world_.Pass(seconds(2));
  EXPECT_EQ(seen_.size(), 3U) << "one value acts once";
}

TEST_F(EngineGenerationTest, ARetryOfADeleteThatFailedActsAtOnceToo) {
  Ready();
  refused_.emplace("DELETE", Answered(422));
  world_.Delete("asyncresources", "vol");
  world_.Pass(seconds(2));
  ASSERT_EQ(seen_.size(), 2U);
  world_.Annotate("asyncresources", "vol", kRetry, "now please");
  world_.Pass(seconds(2));
  EXPECT_EQ(seen_.size(), 3U);
  world_.Pass(seconds(5));
  EXPECT_EQ(seen_.size(), 3U) << "and the next one waits again";
  world_.Pass(seconds(60));
  EXPECT_GT(seen_.size(), 3U);
}

TEST_F(EngineGenerationTest, AnOldRetryIsNothingThatADeletionHasToHearOf) {
  world_.Create(ResourceYaml());
  world_.Annotate("asyncresources", "vol", kRetry, "long ago");
  running_ = false;
  world_.Pass(seconds(20));
  running_ = true;
  world_.Delete("asyncresources", "vol");
  world_.Pass(seconds(20));
  EXPECT_THAT(world_.Events("AsyncOperation", TheOperation("delete")), ElementsAre("Submitted"));
}

TEST_F(EngineGenerationTest, ForceLeavesTheThingBehindAndSaysSo) {
  Ready();
  refused_.emplace("DELETE", Answered(422));
  world_.Delete("asyncresources", "vol");
  world_.Pass(seconds(5));
  EXPECT_THAT(Blocked(), HasSubstr("kubectl -n team annotate asyncresource/vol "
                                   "asyncops.dev/force-delete=true"));
  world_.Annotate("asyncresources", "vol", kForce, "true");
  world_.Pass(seconds(2));
  EXPECT_FALSE(world_.Exists("asyncresources", "vol"));
  EXPECT_THAT(world_.Operations(), IsEmpty());
  EXPECT_THAT(Events(), Contains("Orphaned"));
}

TEST_F(EngineGenerationTest, ForceAndOrphanWorkWhileAnOperationRuns) {
  for (const bool force : {true, false}) {
    SCOPED_TRACE(force ? "force" : "orphan");
    EngineWorld world;
    world.transport.Handle([](const kube::OutboundRequest& /*request*/) {
      return Answered(202, "", {{"Location", "http://cloud.example/v1/operations/1"}});
    });
    world.Start();
    world.Create(CloudYaml(true));
    world.Create(ResourceYaml());
    world.Pass(seconds(5));
    if (force) {
      world.Annotate("asyncresources", "vol", kForce, "true");
    } else {
      world.Edit("asyncresources", "vol",
                 [](Json* object) { object->ObjectAt("spec").Set("deletionPolicy", "Orphan"); });
    }
    world.Pass(seconds(5));
    EXPECT_TRUE(world.Exists("asyncresources", "vol")) << "nothing was deleted yet";
    world.Delete("asyncresources", "vol");
    world.Pass(seconds(5));
    EXPECT_FALSE(world.Exists("asyncresources", "vol"));
    EXPECT_THAT(world.Operations(), IsEmpty()) << "they would hold up the namespace";
  }
}

TEST_F(EngineGenerationTest, OrphanWorksWhereNobodyKnowsWhatRuns) {
  world_.Delete("externalsystems", "cloud");
  world_.Create(CloudYaml(false));
  refused_.emplace("POST", Ambiguous());
  world_.Create(ResourceYaml());
  world_.Pass(seconds(5));
  world_.Delete("asyncresources", "vol");
  world_.Pass(seconds(5));
  EXPECT_THAT(Blocked(), HasSubstr("OutcomeUnknown"));
  world_.Edit("asyncresources", "vol",
              [](Json* object) { object->ObjectAt("spec").Set("deletionPolicy", "Orphan"); });
  world_.Pass(seconds(5));
  EXPECT_FALSE(world_.Exists("asyncresources", "vol"));
  EXPECT_THAT(world_.Operations(), IsEmpty());
}

TEST_F(EngineGenerationTest, AnOperationOfALiveResourceDoesNotGoByForce) {
  world_.Create(ResourceYaml());
  world_.Pass(seconds(5));
  const std::string create = TheOperation("create");
  world_.Annotate("asyncoperations", create, kForce, "true");
  world_.Delete("asyncoperations", create);
  world_.Pass(minutes(6), seconds(10));
  EXPECT_EQ(seen_.size(), 1U) << "its resource would make another one beside it";
  EXPECT_THAT(FindCondition(world_.Operation(create).conditions, "DeletionBlocked")->message,
              HasSubstr("It belongs to AsyncResource vol"));
}

TEST_F(EngineGenerationTest, ADeletionThatLastsSaysWhatItWaitsFor) {
  Ready();
  world_.Delete("asyncresources", "vol");
  world_.Pass(minutes(4), seconds(30));
  EXPECT_EQ(Blocked(), "");
  world_.Pass(minutes(2), seconds(30));
  EXPECT_THAT(Blocked(), HasSubstr("the deletion waits for AsyncOperation vol-delete-"));
  EXPECT_THAT(Blocked(), HasSubstr("runs outside"));
  EXPECT_THAT(Events(), Contains("DeletionBlocked"));
}

TEST_F(EngineGenerationTest, SuspendAndResumeReachTheOperationWithWhoAsked) {
  world_.Create(ResourceYaml());
  world_.Pass(seconds(5));
  const auto suspend = [this](bool value, const char* by) {
    world_.Annotate("asyncresources", "vol", "asyncops.dev/requested-by", by);
    world_.Edit("asyncresources", "vol",
                [value](Json* object) { object->ObjectAt("spec").Set("suspend", value); });
    world_.Pass(seconds(2));
  };
  suspend(true, "alice");
  suspend(false, "bob");
  EXPECT_THAT(Events(), ElementsAre("Submitted", "Suspended", "Resumed"));
  EXPECT_THAT(world_.EventMessages("AsyncResource", "vol", "Resumed"),
              ElementsAre(HasSubstr("by bob")));
}

}  // namespace
}  // namespace asyncops::reconciler
