// Resources and the operations that they make.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

// Accepts all; operations are done at the first poll, unless told otherwise.
class VolumeCloud {
 public:
  kube::Exchange Serve(const kube::OutboundRequest& request) {
    if (request.method == "GET") {
      if (running) return Answered(202, "", {{"Location", "http://cloud.example/v1/operations/1"}});
      return Answered(200, R"({"id":"v1"})");
    }
    seen.push_back(request.method + " " + PathOf(request));
    if (request.method == "DELETE" && delete_status != 0) return Answered(delete_status);
    return Answered(202, "", {{"Location", "http://cloud.example/v1/operations/1"}});
  }

  bool running = false;
  int delete_status = 0;
  std::vector<std::string> seen;
};

class EngineResourceTest : public testing::Test {
 protected:
  EngineResourceTest() {
    world_.transport.Handle(
        [this](const kube::OutboundRequest& request) { return cloud_.Serve(request); });
    world_.Start();
    world_.Create(CloudYaml(true));
  }
  std::string Phase() { return world_.Resource("vol").phase; }
  std::string Ready() { return world_.Show(world_.Resource("vol").conditions, "Ready"); }

  VolumeCloud cloud_;
  EngineWorld world_;
};

TEST_F(EngineResourceTest, BecomesReadyThroughOneCreateOperation) {
  world_.Create(ResourceYaml());
  world_.Settle();
  EXPECT_EQ(Phase(), "Creating");
  EXPECT_EQ(Ready(), "False/StatusCheckInProgress");
  EXPECT_TRUE(world_.Resource("vol").current_operation_ref.has_value());
  world_.Pass(std::chrono::seconds(10));
  const AsyncResourceStatus status = world_.Resource("vol");
  EXPECT_EQ(status.phase, "Ready");
  EXPECT_EQ(Ready(), "True/Available");
  EXPECT_EQ(status.outputs, Json::Of({{"volumeID", "v1"}}));
  EXPECT_EQ(status.observed_generation, 1);
  EXPECT_FALSE(status.current_operation_ref.has_value());
  EXPECT_THAT(cloud_.seen, ElementsAre("POST /v1/volumes"));
  EXPECT_EQ(world_.Operations().size(), 1U);
  EXPECT_THAT(world_.Events("AsyncResource", "vol"), ElementsAre("Submitted", "Succeeded"));
}

TEST_F(EngineResourceTest, HoldsTheFinalizerBeforeTheOperationExists) {
  world_.Create(ResourceYaml("  suspend: true\n"));
  world_.Settle();
  EXPECT_EQ(world_.Get("asyncresources", "vol").FindPath({"metadata", "finalizers"})->as_array(),
            JsonArray{Json(kResourceFinalizer)});
  EXPECT_EQ(Ready(), "False/Suspended");
  EXPECT_THAT(cloud_.seen, IsEmpty());
  world_.Edit("asyncresources", "vol",
              [](Json* object) { object->ObjectAt("spec").Set("suspend", false); });
  world_.Pass(std::chrono::seconds(20));
  EXPECT_EQ(Phase(), "Ready");
  EXPECT_EQ(world_.Operations().size(), 1U);
}

TEST_F(EngineResourceTest, OperationNamesFitAndBelongToOneGeneration) {
  AsyncResource resource;
  resource.metadata.name = std::string(253, 'a');
  resource.metadata.uid = "u";
  resource.metadata.generation = 1;
  const std::string name = OperationName(resource, kCreate);
  EXPECT_EQ(name.size(), 63U);
  EXPECT_EQ(OperationName(resource, kCreate), name);
  resource.metadata.generation = 2;
  EXPECT_NE(OperationName(resource, kCreate), name);
}

TEST_F(EngineResourceTest, ALostStatusMakesNoSecondOperation) {
  world_.Create(ResourceYaml());
  world_.Settle();
  world_.Edit("asyncresources", "vol", [](Json* object) { object->Set("status", JsonObject()); });
  world_.Crash();
  world_.Start();
  world_.Pass(std::chrono::seconds(20));
  EXPECT_EQ(Phase(), "Ready");
  EXPECT_THAT(cloud_.seen, ElementsAre("POST /v1/volumes"));
}

TEST_F(EngineResourceTest, ChangedParametersMakeOneUpdate) {
  world_.Create(ResourceYaml());
  world_.Pass(std::chrono::seconds(20));
  world_.Edit("asyncresources", "vol", [](Json* object) {
    object->ObjectAt("spec").Set("parameters", Json::Of({{"size", "2Gi"}}));
  });
  world_.Settle();
  EXPECT_EQ(Phase(), "Updating");
  world_.Pass(std::chrono::seconds(20));
  EXPECT_EQ(Phase(), "Ready");
  EXPECT_EQ(world_.Resource("vol").observed_generation, 2);
  EXPECT_THAT(cloud_.seen, ElementsAre("POST /v1/volumes", "PUT /v1/volumes/v1"));
}

TEST_F(EngineResourceTest, AChangeThatMattersNotOutsideMakesNoOperation) {
  world_.Create(ResourceYaml());
  world_.Pass(std::chrono::seconds(20));
  world_.Edit("asyncresources", "vol",
              [](Json* object) { object->ObjectAt("spec").Set("deletionPolicy", "Orphan"); });
  world_.Pass(std::chrono::seconds(20));
  EXPECT_EQ(world_.Resource("vol").observed_generation, 2);
  EXPECT_EQ(cloud_.seen.size(), 1U);
}

TEST_F(EngineResourceTest, AChangeWhileInFlightIsTakenUpAfterwards) {
  cloud_.running = true;
  world_.Create(ResourceYaml());
  world_.Pass(std::chrono::seconds(5));
  world_.Edit("asyncresources", "vol", [](Json* object) {
    object->ObjectAt("spec").Set("parameters", Json::Of({{"size", "2Gi"}}));
  });
  world_.Pass(std::chrono::seconds(5));
  EXPECT_EQ(cloud_.seen.size(), 1U);
  EXPECT_EQ(world_.Resource("vol").observed_generation, 1);
  cloud_.running = false;
  world_.Pass(std::chrono::seconds(60));
  EXPECT_EQ(Phase(), "Ready");
  EXPECT_THAT(cloud_.seen, ElementsAre("POST /v1/volumes", "PUT /v1/volumes/v1"));
}

TEST_F(EngineResourceTest, AFailedOneWaitsForAChangeOrForBeingAsked) {
  world_.transport.Script(Answered(422));
  world_.Create(ResourceYaml());
  world_.Pass(std::chrono::seconds(20));
  EXPECT_EQ(Phase(), "Failed");
  EXPECT_TRUE(world_.Show(world_.Resource("vol").conditions, "TerminalError").starts_with("True"));
  world_.Annotate("asyncresources", "vol", "asyncops.dev/retry-requested-at", "1");
  world_.Pass(std::chrono::seconds(20));
  EXPECT_EQ(Phase(), "Ready");
  EXPECT_EQ(world_.Operations().size(), 1U) << "the same operation, another submission";
  EXPECT_EQ(world_.Operation(world_.Operations()[0]).submission, 2);
}

TEST_F(EngineResourceTest, DeletingDeletesOutsideFirst) {
  world_.Create(ResourceYaml());
  world_.Pass(std::chrono::seconds(20));
  world_.Delete("asyncresources", "vol");
  world_.Settle();
  EXPECT_EQ(Phase(), "Deleting");
  EXPECT_EQ(Ready(), "False/Deleting");
  world_.Pass(std::chrono::seconds(20));
  EXPECT_FALSE(world_.Exists("asyncresources", "vol"));
  EXPECT_THAT(cloud_.seen, ElementsAre("POST /v1/volumes", "DELETE /v1/volumes/v1"));
  EXPECT_THAT(world_.Operations(), IsEmpty()) << "they go with their owner";
  EXPECT_THAT(world_.Events("AsyncResource", "vol"), Contains("Deleted"));
}

TEST_F(EngineResourceTest, WhatIsGoneOutsideCountsAsDeleted) {
  cloud_.delete_status = 404;
  world_.Create(ResourceYaml());
  world_.Pass(std::chrono::seconds(20));
  world_.Delete("asyncresources", "vol");
  world_.Pass(std::chrono::seconds(20));
  EXPECT_FALSE(world_.Exists("asyncresources", "vol"));
}

TEST_F(EngineResourceTest, ADeleteThatFailsBlocksSaysSoAndIsTriedAgain) {
  cloud_.delete_status = 422;
  world_.Create(ResourceYaml());
  world_.Pass(std::chrono::seconds(20));
  world_.Delete("asyncresources", "vol");
  world_.Pass(std::chrono::seconds(5));
  EXPECT_TRUE(
      world_.Show(world_.Resource("vol").conditions, "DeletionBlocked").starts_with("True/"));
  EXPECT_THAT(world_.Events("AsyncResource", "vol"), Contains("DeletionBlocked"));
  cloud_.delete_status = 0;
  world_.Pass(std::chrono::seconds(30));
  EXPECT_FALSE(world_.Exists("asyncresources", "vol"));
}

TEST_F(EngineResourceTest, ADeleteThatIsCorrectedIsTriedAsItIsNow) {
  cloud_.delete_status = 422;
  world_.Create(ResourceYaml());
  world_.Pass(std::chrono::seconds(20));
  world_.Delete("asyncresources", "vol");
  world_.Pass(std::chrono::seconds(5));
  EXPECT_THAT(FindCondition(world_.Resource("vol").conditions, "DeletionBlocked")->message,
              testing::HasSubstr("correct spec.delete"));
  cloud_.delete_status = 0;
  world_.Edit("asyncresources", "vol", [](Json* object) {
    object->ObjectAt("spec")["delete"].ObjectAt("submit").Set("path", "/disks/${outputs.volumeID}");
  });
  world_.Pass(std::chrono::seconds(3));
  EXPECT_EQ(cloud_.seen.back(), "DELETE /v1/disks/v1");
  world_.Pass(std::chrono::seconds(20));
  EXPECT_FALSE(world_.Exists("asyncresources", "vol"));
}

TEST_F(EngineResourceTest, WhatWasNeverMadeIsDeletedAtOnce) {
  world_.transport.Script(Answered(422));
  world_.Create(ResourceYaml());
  world_.Settle();
  ASSERT_EQ(Phase(), "Failed");
  world_.Delete("asyncresources", "vol");
  world_.Settle();
  EXPECT_FALSE(world_.Exists("asyncresources", "vol"));
  EXPECT_THAT(cloud_.seen, IsEmpty());
}

TEST_F(EngineResourceTest, AnOrphanIsLeftBehindAndThatIsTold) {
  world_.Create(ResourceYaml("  deletionPolicy: Orphan\n"));
  world_.Pass(std::chrono::seconds(20));
  world_.Delete("asyncresources", "vol");
  world_.Settle();
  EXPECT_FALSE(world_.Exists("asyncresources", "vol"));
  EXPECT_EQ(cloud_.seen.size(), 1U);
  EXPECT_THAT(world_.Events("AsyncResource", "vol"), Contains("Orphaned"));
}

TEST_F(EngineResourceTest, ACreateInFlightEndsBeforeTheDelete) {
  cloud_.running = true;
  world_.Create(ResourceYaml());
  world_.Pass(std::chrono::seconds(5));
  world_.Delete("asyncresources", "vol");
  world_.Pass(std::chrono::seconds(5));
  EXPECT_THAT(cloud_.seen, ElementsAre("POST /v1/volumes"));
  cloud_.running = false;
  world_.Pass(std::chrono::seconds(60));
  EXPECT_FALSE(world_.Exists("asyncresources", "vol"));
  EXPECT_THAT(cloud_.seen, ElementsAre("POST /v1/volumes", "DELETE /v1/volumes/v1"));
}

TEST_F(EngineResourceTest, OnceDeletedOutsideItIsLeftToWhoeverElseHoldsIt) {
  world_.Create(ResourceYaml());
  world_.Settle();
  world_.Edit("asyncresources", "vol", [](Json* object) {
    object->ObjectAt("metadata")["finalizers"].as_array().push_back("foregroundDeletion");
  });
  world_.Pass(std::chrono::seconds(20));
  world_.Delete("asyncresources", "vol");
  world_.Pass(std::chrono::seconds(20));
  EXPECT_EQ(EncodeJson(*world_.Get("asyncresources", "vol").FindPath({"metadata", "finalizers"})),
            R"(["foregroundDeletion"])");
  // The garbage collector deletes what it owns.
  for (const std::string& operation : world_.Operations())
    world_.Delete("asyncoperations", operation);
  world_.Pass(std::chrono::seconds(60));
  EXPECT_THAT(world_.Operations(), IsEmpty());
  EXPECT_THAT(cloud_.seen, ElementsAre("POST /v1/volumes", "DELETE /v1/volumes/v1"));
}

TEST_F(EngineResourceTest, OperationsThatWereOrphanedStay) {
  world_.Create(ResourceYaml());
  world_.Pass(std::chrono::seconds(20));
  const std::vector<std::string> before = world_.Operations();
  ASSERT_EQ(before.size(), 1U);
  world_.Edit("asyncoperations", before.front(),
              [](Json* object) { object->ObjectAt("metadata").Erase("ownerReferences"); });
  world_.Delete("asyncresources", "vol");
  world_.Pass(std::chrono::seconds(60));
  EXPECT_FALSE(world_.Exists("asyncresources", "vol"));
  EXPECT_EQ(world_.Operations(), before);
  const Json left = world_.Get("asyncoperations", before.front());
  EXPECT_TRUE(left.StringAt({"metadata", "deletionTimestamp"}).empty());
}

TEST_F(EngineResourceTest, AReadyOneAtRestWritesNothing) {
  world_.Create(ResourceYaml());
  world_.Pass(std::chrono::seconds(20));
  const storage::Revision revision = world_.store->revision();
  world_.Pass(std::chrono::minutes(5), std::chrono::seconds(10));
  EXPECT_EQ(world_.store->revision(), revision);
}

}  // namespace
}  // namespace asyncops::reconciler
