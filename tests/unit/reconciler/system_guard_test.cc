#include "reconciler/system_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "base/yaml.h"
#include "reconciler/operation_object.h"
#include "storage/sqlite_store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/reconciler/engine_world.h"
#include "tests/unit/reconciler/fake_cluster.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kHeld = R"(["asyncops.dev/in-use"])";

class SystemGuardTest : public testing::Test {
 protected:
  SystemGuardTest() {
    Result<std::unique_ptr<storage::Store>> opened =
        storage::OpenSqliteStore({.path = directory_.File("store.db"), .vfs = ""}, clock_);
    EXPECT_TRUE(opened.ok());
    store_ = std::move(*opened);
    Put("externalsystems", CloudYaml(true));
    guard_ = std::make_unique<SystemGuard>(cluster_, resources_, systems_, *store_, clock_);
  }

  void Put(std::string_view plural, const std::string& yaml) {
    Json object = ParseYaml(yaml)->front();
    object.ObjectAt("metadata").Set("namespace", "team");
    cluster_.Put(plural, std::move(object));
  }
  // It is being deleted, as a namespace controller would have it.
  void Leave(std::string_view plural, std::string_view name) {
    cluster_.Edit(plural, name, [](Json* object) {
      object->ObjectAt("metadata").Set("deletionTimestamp", "2026-11-30T00:00:00Z");
    });
  }
  void SetFinalizer(std::string_view plural, std::string_view name, std::string_view finalizer) {
    cluster_.Edit(plural, name, [finalizer](Json* object) { AddFinalizer(finalizer, object); });
  }
  // In this state; "" where it has none yet.
  void PutOperation(const std::string& name, const std::string& state) {
    const storage::ObjectKey key{
        .resource = OperationResource().GroupResource(), .namespace_name = "team", .name = name};
    const Status written =
        storage::WriteAndWait(*store_, [&key, &state](storage::Transaction& transaction) {
          const std::string start = R"({"metadata":{"resourceVersion":")";
          storage::ObjectVersion version;
          version.uid = "u-" + key.name;
          version.encoded = {.json = start + R"("}})", .revision_at = start.size()};
          version.fields = storage::EncodedPairs(
              {{"spec.externalSystemRef.name", "cloud"}, {"status.state", state}});
          const Result<storage::Record> present = transaction.Get(key);
          return present.ok() ? transaction.Update(key, 0, version).status()
                              : transaction.Create(key, version).status();
        });
    ASSERT_TRUE(written.ok()) << written.ToString();
  }
  milliseconds Look() {
    resources_.Sync();
    systems_.Sync();
    return guard_->Look();
  }
  // As they stand; or that there are none, or that the system has gone.
  std::string Finalizers() const {
    const Json system = cluster_.Find("externalsystems", "cloud");
    if (system.is_null()) return "gone";
    const Json* held = system.FindPath({"metadata", "finalizers"});
    return held == nullptr ? "none" : EncodeJson(*held);
  }

  FakeClock clock_;
  const TempDir directory_;
  std::unique_ptr<storage::Store> store_;
  FakeCluster cluster_;
  FakeInformer resources_{cluster_, "asyncresources", false};
  FakeInformer systems_{cluster_, "externalsystems", false};
  std::unique_ptr<SystemGuard> guard_;
};

TEST_F(SystemGuardTest, ASystemIsHeldAsSoonAsItIsSeen) {
  Look();
  EXPECT_EQ(Finalizers(), kHeld);
  EXPECT_THAT(cluster_.TakeCalls(), ElementsAre("PATCH externalsystems/cloud"));
  Look();
  EXPECT_THAT(cluster_.TakeCalls(), IsEmpty()) << "once is enough";
}

TEST_F(SystemGuardTest, FinalizersOfOthersStay) {
  SetFinalizer("externalsystems", "cloud", "example.com/mine");
  Look();
  EXPECT_EQ(Finalizers(), R"(["example.com/mine","asyncops.dev/in-use"])");
  Leave("externalsystems", "cloud");
  Look();
  EXPECT_EQ(Finalizers(), R"(["example.com/mine"])");
}

TEST_F(SystemGuardTest, OneThatNobodyUsesGoes) {
  Look();
  Leave("externalsystems", "cloud");
  Look();
  EXPECT_EQ(Finalizers(), "gone");
}

TEST_F(SystemGuardTest, OneThatIsLeavingAlreadyGetsNoFinalizer) {
  SetFinalizer("externalsystems", "cloud", "example.com/mine");
  Leave("externalsystems", "cloud");
  Look();
  EXPECT_THAT(cluster_.TakeCalls(), IsEmpty());
}

TEST_F(SystemGuardTest, OneStaysWhileADeletionOutsideIsToCome) {
  Put("asyncresources", ResourceYaml());
  SetFinalizer("asyncresources", "vol", kResourceFinalizer);
  Look();
  // As when a namespace is deleted: all at once.
  Leave("externalsystems", "cloud");
  Leave("asyncresources", "vol");
  Look();
  EXPECT_EQ(Finalizers(), kHeld);
  cluster_.Remove("asyncresources", "vol");
  Look();
  EXPECT_EQ(Finalizers(), "gone");
}

TEST_F(SystemGuardTest, OneStaysForAResourceThatIsNotDeletedAtAll) {
  Put("asyncresources", ResourceYaml());
  Look();
  Leave("externalsystems", "cloud");
  Look();
  EXPECT_EQ(Finalizers(), kHeld);
}

TEST_F(SystemGuardTest, AResourceThatNeedsNothingOutsideAnyMoreHoldsNothing) {
  Put("asyncresources", ResourceYaml());
  SetFinalizer("asyncresources", "vol", "example.com/mine");
  Look();
  Leave("externalsystems", "cloud");
  Leave("asyncresources", "vol");
  Look();
  EXPECT_EQ(Finalizers(), "gone");
}

TEST_F(SystemGuardTest, ResourcesOfOthersHoldNothing) {
  Json other = ParseYaml(ResourceYaml())->front();
  other.ObjectAt("metadata").Set("namespace", "elsewhere");
  cluster_.Put("asyncresources", other);
  other.ObjectAt("metadata").Set("namespace", "team");
  other.ObjectAt("spec")["externalSystemRef"] = Json::Of({{"name", "another"}});
  cluster_.Put("asyncresources", other);
  Look();
  Leave("externalsystems", "cloud");
  Look();
  EXPECT_EQ(Finalizers(), "gone");
}

TEST_F(SystemGuardTest, OneStaysUntilItsOperationsHaveEnded) {
  PutOperation("new", "");
  PutOperation("over", "Failed");
  Look();
  Leave("externalsystems", "cloud");
  Look();
  EXPECT_EQ(Finalizers(), kHeld);
  PutOperation("new", "Running");
  Look();
  EXPECT_EQ(Finalizers(), kHeld);
  PutOperation("new", "Succeeded");
  Look();
  EXPECT_EQ(Finalizers(), "gone");
}

TEST_F(SystemGuardTest, NothingIsDroppedBeforeAllIsKnown) {
  Look();
  Leave("externalsystems", "cloud");
  cluster_.TakeCalls();
  FakeInformer unsynced(cluster_, "asyncresources", false);
  SystemGuard early(cluster_, unsynced, systems_, *store_, clock_);
  early.Look();
  EXPECT_THAT(cluster_.TakeCalls(), IsEmpty());
}

TEST_F(SystemGuardTest, WhatFailsIsDoneLater) {
  const milliseconds usual = Look();
  Leave("externalsystems", "cloud");
  resources_.Sync();
  systems_.Sync();
  cluster_.SetAway(true);
  EXPECT_GT(guard_->Look(), usual) << "nobody is there to be asked so often";
  cluster_.SetAway(false);
  clock_.Advance(std::chrono::seconds(10));
  EXPECT_EQ(Look(), usual);
  EXPECT_EQ(Finalizers(), "gone");
}

TEST_F(SystemGuardTest, AnInformerThatIsBehindIsNoFailure) {
  const milliseconds usual = Look();
  Leave("externalsystems", "cloud");
  resources_.Sync();
  systems_.Sync();
  cluster_.Edit("externalsystems", "cloud", [](Json* object) {
    object->ObjectAt("metadata")["annotations"].Set("touched", "yes");
  });
  EXPECT_EQ(guard_->Look(), usual);
  EXPECT_EQ(Finalizers(), kHeld);
  Look();
  EXPECT_EQ(Finalizers(), "gone");
}

}  // namespace
}  // namespace asyncops::reconciler
