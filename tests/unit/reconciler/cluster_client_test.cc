#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/yaml.h"
#include "reconciler/cluster_resource_client.h"
#include "reconciler/owner_epoch.h"
#include "storage/sqlite_store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_ids.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/reconciler/engine_world.h"
#include "tests/unit/reconciler/fake_cluster.h"

namespace asyncops::reconciler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const ObjectName kVol{.namespace_name = "team", .name = "vol"};
const ObjectName kCloud{.namespace_name = "team", .name = "cloud"};

class ClusterClientTest : public testing::Test {
 protected:
  ClusterClientTest() {
    Result<std::unique_ptr<storage::Store>> opened =
        storage::OpenSqliteStore({.path = directory_.File("store.db"), .vfs = ""}, clock_);
    EXPECT_TRUE(opened.ok());
    store_ = std::move(*opened);
    Put("asyncresources", ResourceYaml(), "u-1");
    Put("externalsystems", CloudYaml(true), "u-2");
    client_ = MakeClusterResourceClient({.client = cluster_,
                                         .resources = resources_,
                                         .systems = systems_,
                                         .store = *store_,
                                         .clock = clock_,
                                         .ids = ids_});
  }
  ~ClusterClientTest() override { client_.reset(); }

  void Put(std::string_view plural, const std::string& yaml, std::string_view uid) {
    Json object = ParseYaml(yaml)->front();
    object.ObjectAt("metadata").Set("namespace", "team");
    object.ObjectAt("metadata").Set("uid", uid);
    object.ObjectAt("metadata").Set("generation", 1);
    cluster_.Put(plural, std::move(object));
  }
  void Sync() {
    resources_.Sync();
    systems_.Sync();
    cluster_.TakeCalls();
  }
  Status SetGeneration(std::int64_t generation, const std::string& uid = "u-1") {
    return client_->UpdateResourceStatus(kVol, uid, [generation](AsyncResourceStatus* status) {
      status->observed_generation = generation;
    });
  }
  Json Vol() const { return cluster_.Find("asyncresources", "vol"); }
  // Somebody else's write, of which the informer does not know.
  void Touch() {
    cluster_.Edit("asyncresources", "vol", [this](Json* object) {
      object->ObjectAt("metadata")["annotations"].Set("touched", std::to_string(++touches_));
    });
  }

  int touches_ = 0;
  FakeClock clock_;
  FakeIds ids_;
  const TempDir directory_;
  std::unique_ptr<storage::Store> store_;
  FakeCluster cluster_;
  FakeInformer resources_{cluster_, "asyncresources", false};
  FakeInformer systems_{cluster_, "externalsystems", false};
  std::unique_ptr<ResourceClient> client_;
};

TEST_F(ClusterClientTest, BeforeTheFirstListNothingIsMissing) {
  EXPECT_EQ(client_->GetResource(kVol).status().reason(), Reason::kServiceUnavailable);
  EXPECT_EQ(client_->GetSystem(kCloud).status().reason(), Reason::kServiceUnavailable);
  EXPECT_EQ(SetGeneration(1).reason(), Reason::kServiceUnavailable);
  EXPECT_EQ(client_->GetResource({.namespace_name = "team", .name = "none"}).status().reason(),
            Reason::kServiceUnavailable);
  EXPECT_THAT(cluster_.TakeCalls(), IsEmpty());
  Sync();
  EXPECT_EQ(client_->GetResource(kVol)->metadata.uid, "u-1");
  EXPECT_EQ((*client_->GetSystem(kCloud))->spec.endpoint, "http://cloud.example/v1");
  EXPECT_THAT(cluster_.TakeCalls(), IsEmpty()) << "the informer has them";
}

TEST_F(ClusterClientTest, AMissIsConfirmedAndMayBeNewer) {
  Sync();
  const ObjectName none{.namespace_name = "team", .name = "none"};
  EXPECT_EQ(client_->GetResource(none).status().reason(), Reason::kNotFound);
  EXPECT_THAT(cluster_.TakeCalls(), ElementsAre("GET asyncresources/none"));
  cluster_.Put("externalsystems", [] {
    Json object = ParseYaml(CloudYaml(true))->front();
    object.ObjectAt("metadata").Set("namespace", "team");
    object.ObjectAt("metadata").Set("name", "new");
    return object;
  }());
  EXPECT_TRUE(client_->GetSystem({.namespace_name = "team", .name = "new"}).ok());
}

TEST_F(ClusterClientTest, AMissThatCannotBeConfirmedIsNoMiss) {
  Sync();
  const ObjectName none{.namespace_name = "team", .name = "none"};
  for (const Status& answer :
       {Status(Reason::kServiceUnavailable, "starting"), Status(Reason::kForbidden, "no"),
        Status(Reason::kNotFound, "the server could not find it"),
        ObjectNotFound("namespaces", "team")}) {
    cluster_.SetIntercept([answer](const kube::ApiRequest&) { return std::optional(answer); });
    const Reason reason = client_->GetResource(none).status().reason();
    EXPECT_NE(reason, Reason::kNotFound) << answer.ToString();
    clock_.Advance(std::chrono::seconds(10));
  }
}

TEST_F(ClusterClientTest, WhatIsNoNameIsNotThere) {
  Sync();
  for (const char* name : {"", "../x", "a?b"}) {
    const ObjectName odd{.namespace_name = "team", .name = name};
    EXPECT_EQ(client_->GetResource(odd).status().reason(), Reason::kNotFound);
    EXPECT_EQ(client_->GetSystem(odd).status().reason(), Reason::kNotFound);
  }
  EXPECT_THAT(cluster_.TakeCalls(), IsEmpty());
}

TEST_F(ClusterClientTest, AnObjectOfAnotherVersionNamesItsField) {
  cluster_.Edit("asyncresources", "vol",
                [](Json* object) { object->ObjectAt("spec").Set("create", 7); });
  cluster_.Edit("externalsystems", "cloud",
                [](Json* object) { object->ObjectAt("spec").Set("endpoint", JsonArray()); });
  Sync();
  const Status resource = client_->GetResource(kVol).status();
  EXPECT_EQ(resource.reason(), Reason::kBadRequest);
  EXPECT_THAT(resource.message(), HasSubstr("AsyncResource team/vol cannot be read: spec: create"));
  EXPECT_THAT(client_->GetSystem(kCloud).status().message(), HasSubstr("spec: endpoint"));
  cluster_.Edit("asyncresources", "vol", [](Json* object) {
    object->Set("status", Json::Of({{"conditions", 7}}));
  });
  Sync();
  EXPECT_THAT(SetGeneration(1).message(), HasSubstr("status: conditions"));
}

TEST_F(ClusterClientTest, AStatusIsWrittenInOneCallAsOurs) {
  Sync();
  EXPECT_TRUE(SetGeneration(3).ok());
  EXPECT_THAT(cluster_.TakeCalls(), ElementsAre("PATCH asyncresources/vol/status"));
  EXPECT_EQ(Vol().IntAt({"status", "observedGeneration"}, 0), 3);
  EXPECT_EQ(Vol().IntAt({"metadata", "generation"}, 0), 1);
  EXPECT_THAT(cluster_.LastOf("PATCH").target, HasSubstr("?fieldManager=asyncops-reconciler"));
}

TEST_F(ClusterClientTest, AnEqualStatusCostsNothing) {
  Sync();
  EXPECT_TRUE(SetGeneration(3).ok());
  cluster_.TakeCalls();
  EXPECT_TRUE(SetGeneration(3).ok());
  EXPECT_THAT(cluster_.TakeCalls(), IsEmpty()) << "though the informer does not show it yet";
  Sync();
  EXPECT_TRUE(SetGeneration(3).ok());
  EXPECT_THAT(cluster_.TakeCalls(), IsEmpty());
}

TEST_F(ClusterClientTest, WhatWentFromAStatusIsTakenOut) {
  Sync();
  const auto update = [this](std::string message, Json outputs) {
    return client_->UpdateResourceStatus(kVol, "u-1",
                                         [&message, &outputs](AsyncResourceStatus* status) {
                                           status->conditions.clear();
                                           if (!message.empty())
                                             status->conditions.emplace_back().type = "Ready";
                                           status->outputs = outputs;
                                         });
  };
  EXPECT_TRUE(update("x", Json::Of({{"a", 1}, {"b", JsonArray{1, 2}}})).ok());
  ASSERT_NE(Vol().FindPath({"status", "outputs", "a"}), nullptr);
  EXPECT_TRUE(update("", Json::Of({{"b", JsonArray{2}}})).ok());
  EXPECT_EQ(Vol().FindPath({"status", "outputs", "a"}), nullptr);
  EXPECT_EQ(*Vol().FindPath({"status", "outputs", "b"}), Json(JsonArray{2}));
  const Json* conditions = Vol().FindPath({"status", "conditions"});
  EXPECT_TRUE(conditions == nullptr || conditions->as_array().empty());
}

TEST_F(ClusterClientTest, AConflictIsTriedOnTheNewestAtOnce) {
  Sync();
  Touch();
  EXPECT_TRUE(SetGeneration(3).ok());
  EXPECT_THAT(cluster_.TakeCalls(),
              ElementsAre("PATCH asyncresources/vol/status", "GET asyncresources/vol",
                          "PATCH asyncresources/vol/status"));
  EXPECT_EQ(Vol().IntAt({"status", "observedGeneration"}, 0), 3);
  EXPECT_EQ(Vol().StringAt({"metadata", "annotations", "touched"}), "1");
}

TEST_F(ClusterClientTest, AConflictWithoutEndIsGivenUp) {
  Sync();
  cluster_.SetIntercept([this](const kube::ApiRequest& request) -> std::optional<Status> {
    if (request.method == "PATCH") Touch();
    return std::nullopt;
  });
  EXPECT_EQ(SetGeneration(3).reason(), Reason::kServiceUnavailable)
      << "a Conflict would be tried again without a pause";
  EXPECT_LE(cluster_.calls(), 20);
}

TEST_F(ClusterClientTest, AnotherOfTheSameNameIsNotWrittenTo) {
  Sync();
  EXPECT_EQ(SetGeneration(3, "u-other").reason(), Reason::kNotFound);
  // Made anew while the informer shows the first.
  cluster_.Remove("asyncresources", "vol");
  EXPECT_EQ(SetGeneration(3).reason(), Reason::kNotFound);
  Put("asyncresources", ResourceYaml(), "u-9");
  EXPECT_EQ(SetGeneration(4).reason(), Reason::kNotFound);
  EXPECT_EQ(Vol().FindPath({"status"}), nullptr);
  EXPECT_TRUE(SetGeneration(4, "u-9").ok()) << "the live one is known by now";
}

TEST_F(ClusterClientTest, FinalizersAreOfTheNewest) {
  Sync();
  const auto add = [](std::vector<std::string>* all) {
    if (std::find(all->begin(), all->end(), "x/y") == all->end()) all->push_back("x/y");
  };
  EXPECT_TRUE(client_->UpdateFinalizers(kVol, "u-1", add).ok());
  EXPECT_THAT(cluster_.TakeCalls(),
              ElementsAre("GET asyncresources/vol", "PATCH asyncresources/vol"));
  // Taken off by somebody, unseen: it goes on again.
  cluster_.Edit("asyncresources", "vol",
                [](Json* object) { object->ObjectAt("metadata").Erase("finalizers"); });
  EXPECT_TRUE(client_->UpdateFinalizers(kVol, "u-1", add).ok());
  EXPECT_EQ(*Vol().FindPath({"metadata", "finalizers"}), Json(JsonArray{Json("x/y")}));
  cluster_.TakeCalls();
  EXPECT_TRUE(client_->UpdateFinalizers(kVol, "u-1", add).ok());
  EXPECT_THAT(cluster_.TakeCalls(), ElementsAre("GET asyncresources/vol")) << "it is on";
  EXPECT_EQ(client_->UpdateFinalizers(kVol, "u-other", add).reason(), Reason::kNotFound);
}

TEST_F(ClusterClientTest, TheLastFinalizerOfADeletedObjectLetsItGo) {
  Sync();
  cluster_.Edit("asyncresources", "vol", [](Json* object) {
    object->ObjectAt("metadata").Set("deletionTimestamp", "2026-01-01T00:00:00Z");
    object->ObjectAt("metadata").Set("finalizers", JsonArray{Json("x/y")});
  });
  EXPECT_EQ(client_
                ->UpdateFinalizers(kVol, "u-1",
                                   [](std::vector<std::string>* all) { all->push_back("x/z"); })
                .reason(),
            Reason::kConflict)
      << "kube-apiserver takes none on any more";
  EXPECT_TRUE(client_->GetResource(kVol)->metadata.deletion_timestamp)
      << "the caller sees why, though the informer does not";
  EXPECT_TRUE(
      client_->UpdateFinalizers(kVol, "u-1", [](std::vector<std::string>* all) { all->clear(); })
          .ok());
  EXPECT_TRUE(Vol().is_null());
}

TEST_F(ClusterClientTest, OneWhoWasReplacedWritesNothing) {
  Sync();
  client_->WriteFor(*TakeOwnership(*store_));
  EXPECT_TRUE(SetGeneration(3).ok());
  EXPECT_TRUE(TakeOwnership(*store_).ok());
  EXPECT_EQ(SetGeneration(4).reason(), Reason::kServiceUnavailable);
  EXPECT_EQ(client_->UpdateSystemStatus(kCloud, [](ExternalSystemStatus* s) { s->in_flight = 2; })
                .reason(),
            Reason::kServiceUnavailable);
  EXPECT_EQ(client_
                ->UpdateFinalizers(kVol, "u-1",
                                   [](std::vector<std::string>* all) { all->push_back("x/y"); })
                .reason(),
            Reason::kServiceUnavailable);
  EXPECT_EQ(Vol().IntAt({"status", "observedGeneration"}, 0), 3);
  EXPECT_TRUE(client_->GetResource(kVol).ok()) << "it may look";
}

TEST_F(ClusterClientTest, ASystemsStatusIsWrittenLikewise) {
  Sync();
  EXPECT_TRUE(
      client_->UpdateSystemStatus(kCloud, [](ExternalSystemStatus* s) { s->in_flight = 2; }).ok());
  EXPECT_THAT(cluster_.TakeCalls(), ElementsAre("PATCH externalsystems/cloud/status"));
  EXPECT_EQ((*client_->GetSystem(kCloud))->status.in_flight, 2);
}

TEST_F(ClusterClientTest, WhatIsWrittenIsKnownUntilTheInformerShowsIt) {
  Sync();
  EXPECT_TRUE(SetGeneration(3).ok());
  EXPECT_EQ(client_->GetResource(kVol)->status.observed_generation, 3);
  cluster_.Edit("asyncresources", "vol",
                [](Json* object) { object->ObjectAt("metadata").Set("labels", Json::Of({})); });
  EXPECT_TRUE(cluster_.calls() > 0);
  Sync();
  EXPECT_TRUE(SetGeneration(4).ok());
  EXPECT_THAT(cluster_.TakeCalls(), ElementsAre("PATCH asyncresources/vol/status"))
      << "the informer's is the newest again";
  cluster_.Remove("asyncresources", "vol");
  Sync();
  EXPECT_EQ(client_->GetResource(kVol).status().reason(), Reason::kNotFound);
}

TEST_F(ClusterClientTest, WhileItIsAwayReadsGoOnAndWritesFailAtOnce) {
  Sync();
  cluster_.SetAway(true);
  EXPECT_EQ(SetGeneration(3).reason(), Reason::kServiceUnavailable);
  const int calls = cluster_.calls();
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(client_->GetResource(kVol).ok());
    EXPECT_EQ(SetGeneration(3).reason(), Reason::kServiceUnavailable);
  }
  EXPECT_EQ(cluster_.calls(), calls);
}

TEST_F(ClusterClientTest, AStatusThatIsNotServedIsNoLoop) {
  Sync();
  cluster_.SetIntercept([](const kube::ApiRequest& request) -> std::optional<Status> {
    if (request.method != "PATCH") return std::nullopt;
    return Status(Reason::kNotFound, "the server could not find the requested resource");
  });
  EXPECT_EQ(SetGeneration(3).reason(), Reason::kServiceUnavailable);
  EXPECT_LE(cluster_.calls(), 20);
}

TEST_F(ClusterClientTest, WatchesTellOfWhatIsThereAndOfWhatChanges) {
  Sync();
  std::vector<std::string> told;
  const auto note = [&told](const ObjectName& name) { told.push_back(name.name); };
  auto resources = client_->Watch(WatchedKind::kAsyncResource, note);
  auto systems = client_->Watch(WatchedKind::kExternalSystem, note);
  EXPECT_THAT(told, ElementsAre("vol", "cloud"));
  Touch();
  Sync();
  EXPECT_THAT(told, ElementsAre("vol", "cloud", "vol"));
  resources.reset();
  cluster_.Remove("asyncresources", "vol");
  cluster_.Remove("externalsystems", "cloud");
  Sync();
  EXPECT_THAT(told, ElementsAre("vol", "cloud", "vol", "cloud"));
}

TEST_F(ClusterClientTest, SecretsAreReadWrittenAndWatched) {
  std::vector<std::string> told;
  auto secrets = client_->Watch(WatchedKind::kSecret,
                                [&told](const ObjectName& name) { told.push_back(name.name); });
  const ObjectName out{.namespace_name = "team", .name = "out"};
  EXPECT_EQ(client_->GetSecret(out).status().reason(), Reason::kNotFound);
  const OwnerReference owner{.api_version = "v1",
                             .kind = "X",
                             .name = "x",
                             .uid = "u-1",
                             .controller = {},
                             .block_owner_deletion = {}};
  EXPECT_TRUE(client_->ApplySecret(out, owner, {{"token", "t"}}).ok());
  EXPECT_EQ(client_->GetSecret(out)->at("token"), "t");
  EXPECT_THAT(told, ElementsAre("out"));
}

}  // namespace
}  // namespace asyncops::reconciler
