#include "reconciler/cluster_secret_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/encoding.h"
#include "reconciler/owner_epoch.h"
#include "storage/sqlite_store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_ids.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/reconciler/fake_cluster.h"

namespace asyncops::reconciler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const ObjectName kName{.namespace_name = "team", .name = "out"};

class ClusterSecretWriterTest : public testing::Test {
 protected:
  ClusterSecretWriterTest() {
    Result<std::unique_ptr<storage::Store>> opened =
        storage::OpenSqliteStore({.path = directory_.File("store.db"), .vfs = ""}, clock_);
    EXPECT_TRUE(opened.ok());
    store_ = std::move(*opened);
    owner_ = {.api_version = "asyncops.dev/v1alpha1",
              .kind = "AsyncResource",
              .name = "vol",
              .uid = "u-vol",
              .controller = true,
              .block_owner_deletion = {}};
  }

  Status Apply(const SecretData& values) {
    return ApplyClusterSecret({calls_, secrets_, *store_, epoch_}, kName, owner_, values);
  }
  // A Secret that is there; `more` is merged into its members.
  void Put(const std::string& owner_uid, const std::string& key, const std::string& value,
           const std::function<void(Json*)>& edit = nullptr) {
    Json secret = Json::Of(
        {{"apiVersion", "v1"},
         {"kind", "Secret"},
         {"type", "Opaque"},
         {"metadata",
          Json::Of(
              {{"name", "out"},
               {"namespace", "team"},
               {"uid", "u-out"},
               {"ownerReferences",
                JsonArray{Json::Of(
                    {{"apiVersion", "v1"}, {"kind", "X"}, {"name", "x"}, {"uid", owner_uid}})}}})},
         {"data", Json::Of({{key, Base64Encode(value)}})}});
    if (edit) edit(&secret);
    cluster_.Put("secrets", std::move(secret));
  }
  std::string Value(std::string_view key) const {
    const Json secret = cluster_.Find("secrets", "out");
    return Base64Decode(secret.StringAt({"data", key})).value_or("?");
  }

  FakeClock clock_;
  FakeIds ids_;
  const TempDir directory_;
  std::unique_ptr<storage::Store> store_;
  FakeCluster cluster_;
  ClusterCalls calls_{cluster_, clock_};
  ClusterSecrets secrets_{calls_, clock_, ids_};
  OwnerReference owner_;
  std::int64_t epoch_ = 0;
};

TEST_F(ClusterSecretWriterTest, ASecretIsMadeWithItsOwner) {
  EXPECT_TRUE(Apply({{"token", "hunter2!"}}).ok());
  EXPECT_THAT(cluster_.TakeCalls(), ElementsAre("GET secrets/out", "POST secrets"));
  const Json secret = cluster_.Find("secrets", "out");
  EXPECT_EQ(secret.StringAt({"type"}), "Opaque");
  const Json* owners = secret.FindPath({"metadata", "ownerReferences"});
  ASSERT_NE(owners, nullptr);
  EXPECT_EQ(owners->as_array().front().StringAt({"uid"}), "u-vol");
  EXPECT_EQ(Value("token"), "hunter2!");
  EXPECT_EQ(secrets_.Get(kName)->at("token"), "hunter2!");
  EXPECT_THAT(cluster_.TakeCalls(), IsEmpty()) << "the answer to the write was enough";
}

TEST_F(ClusterSecretWriterTest, KeysAreAddedAndOthersStay) {
  Put("u-vol", "old", "kept");
  EXPECT_TRUE(Apply({{"token", "hunter2!"}}).ok());
  EXPECT_THAT(cluster_.TakeCalls(), ElementsAre("GET secrets/out", "PATCH secrets/out"));
  EXPECT_EQ(Value("old"), "kept");
  EXPECT_EQ(Value("token"), "hunter2!");
  EXPECT_EQ(cluster_.LastOf("PATCH").body.find(Base64Encode("kept")), std::string::npos)
      << "what is not ours is not written";
}

TEST_F(ClusterSecretWriterTest, WhatIsThereAlreadyIsNotWritten) {
  Put("u-vol", "token", "hunter2!");
  EXPECT_TRUE(Apply({{"token", "hunter2!"}}).ok());
  EXPECT_THAT(cluster_.TakeCalls(), ElementsAre("GET secrets/out"));
}

TEST_F(ClusterSecretWriterTest, WithoutValuesItOnlyLooks) {
  EXPECT_TRUE(Apply({}).ok());
  Put("u-other", "token", "theirs");
  EXPECT_EQ(Apply({}).reason(), Reason::kForbidden);
  EXPECT_THAT(cluster_.TakeCalls(), ElementsAre("GET secrets/out", "GET secrets/out"));
}

TEST_F(ClusterSecretWriterTest, WhatIsNotTheOwnersOrCannotTakeItStaysAsItIs) {
  Put("u-other", "token", "theirs");
  EXPECT_EQ(Apply({{"token", "hunter2!"}}).reason(), Reason::kForbidden);
  Put("u-vol", "token", "old", [](Json* secret) {
    secret->ObjectAt("metadata").Set("deletionTimestamp", "2026-01-01T00:00:00Z");
  });
  EXPECT_EQ(Apply({{"token", "hunter2!"}}).reason(), Reason::kForbidden);
  Put("u-vol", "token", "old", [](Json* secret) { secret->Set("immutable", true); });
  EXPECT_EQ(Apply({{"token", "hunter2!"}}).reason(), Reason::kForbidden);
  EXPECT_TRUE(Apply({{"token", "old"}}).ok()) << "it holds that";
  Put("u-vol", "token", "old");
  EXPECT_EQ(Apply({{"bad key", "hunter2!"}}).reason(), Reason::kInvalid);
  EXPECT_EQ(Value("token"), "old");
}

TEST_F(ClusterSecretWriterTest, WhoIsFasterIsRespected) {
  int races = 0;
  cluster_.SetIntercept([this, &races](const kube::ApiRequest& request) -> std::optional<Status> {
    if (request.method == "GET" || ++races > 3) return std::nullopt;
    Put("u-vol", "theirs", "v" + std::to_string(races));
    return std::nullopt;
  });
  EXPECT_TRUE(Apply({{"token", "hunter2!"}}).ok());
  EXPECT_EQ(Value("theirs"), "v3");
  EXPECT_EQ(Value("token"), "hunter2!");
}

TEST_F(ClusterSecretWriterTest, ARaceWithoutEndIsGivenUp) {
  int races = 0;
  cluster_.SetIntercept([this, &races](const kube::ApiRequest& request) -> std::optional<Status> {
    if (request.method != "GET") Put("u-vol", "theirs", "v" + std::to_string(++races));
    return std::nullopt;
  });
  EXPECT_EQ(Apply({{"token", "hunter2!"}}).reason(), Reason::kServiceUnavailable);
  EXPECT_LE(races, 10);
}

TEST_F(ClusterSecretWriterTest, ARefusalNamesTheRightAndShowsNoValue) {
  cluster_.SetIntercept([](const kube::ApiRequest& request) -> std::optional<Status> {
    if (request.method == "GET") return std::nullopt;
    return Status(Reason::kForbidden,
                  "admission webhook says hunter2! or " + Base64Encode("hunter2!"));
  });
  const Status refused = Apply({{"token", "hunter2!"}});
  EXPECT_EQ(refused.reason(), Reason::kForbidden);
  EXPECT_THAT(refused.message(), HasSubstr("\"create\" on secrets"));
  EXPECT_THAT(refused.message(), Not(HasSubstr("hunter2!")));
  EXPECT_THAT(refused.message(), Not(HasSubstr(Base64Encode("hunter2!"))));
}

TEST_F(ClusterSecretWriterTest, OneWhoWasReplacedWritesNothing) {
  epoch_ = *TakeOwnership(*store_);
  EXPECT_TRUE(Apply({{"token", "one"}}).ok());
  EXPECT_TRUE(TakeOwnership(*store_).ok());
  EXPECT_EQ(Apply({{"token", "two"}}).reason(), Reason::kServiceUnavailable);
  EXPECT_EQ(Value("token"), "one");
}

TEST_F(ClusterSecretWriterTest, ANamespaceThatIsGoneIsNoLoop) {
  cluster_.SetIntercept([](const kube::ApiRequest& request) -> std::optional<Status> {
    if (request.method == "GET") return std::nullopt;
    return ObjectNotFound("namespaces", "team");
  });
  EXPECT_EQ(Apply({{"token", "one"}}).reason(), Reason::kServiceUnavailable);
  EXPECT_LE(cluster_.calls(), 20);
}

TEST_F(ClusterSecretWriterTest, WhatIsNoNameIsInvalid) {
  EXPECT_EQ(ApplyClusterSecret({calls_, secrets_, *store_, 0},
                               {.namespace_name = "team", .name = "../x"}, owner_, {{"a", "b"}})
                .reason(),
            Reason::kInvalid);
  EXPECT_EQ(cluster_.calls(), 0);
}

}  // namespace
}  // namespace asyncops::reconciler
