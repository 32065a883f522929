#include "apiserver/registry/cluster_objects.h"

#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <utility>
#include <vector>

#include "apiserver/registry/registry.h"
#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

// What kube-apiserver is said to have; namespaces are answered when a test says so.
class FakeCluster final : public ClusterObjects {
 public:
  Result<Json> Get(const ResourceInfo& resource, const std::string& /*namespace_name*/,
                   const std::string& name) const override {
    const auto found = objects.find(name);
    if (found == objects.end()) return NotFound(resource.group, resource.plural, name);
    return found->second;
  }
  void GetNamespace(const std::string& name,
                    std::function<void(Result<Json>)> done) const override {
    const auto found = objects.find(name);
    Result<Json> answer = found == objects.end() ? Result<Json>(NotFound("", "namespaces", name))
                                                 : Result<Json>(found->second);
    if (failure.ok()) {
      waiting.emplace_back([done, answer] { done(answer); });
    } else {
      waiting.emplace_back([done, status = failure] { done(status); });
    }
  }

  std::map<std::string, Json> objects;
  Status failure;
  mutable std::vector<std::function<void()>> waiting;
};

struct ClusterObjectsTest : testing::Test {
  ClusterObjectsTest() {
    cluster.objects["team-a"] = Json::Of({{"metadata", Json::Of({{"name", "team-a"}})}});
    cluster.objects["ending"] =
        Json::Of({{"metadata",
                   Json::Of({{"name", "ending"}, {"deletionTimestamp", "2026-01-01T00:00:00Z"}})}});
  }
  Result<WriteResult> Create(const std::string& in, const std::string& name, bool dry_run = false) {
    std::promise<Result<WriteResult>> written;
    Json object = OperationObject(name);
    object.ObjectAt("metadata").Set("namespace", in);
    registry.Create(
        *FindResource("operations.asyncops.dev", "asyncoperations"), in, {std::move(object), {}},
        {.dry_run = dry_run},
        [&written](Result<WriteResult> result) { written.set_value(std::move(result)); });
    for (const auto& answer : std::exchange(cluster.waiting, {})) answer();
    return written.get_future().get();
  }

  ApiHarness api;
  FakeCluster cluster;
  Registry registry{api.store(), api.clock(), api.ids(), &cluster};
};

TEST_F(ClusterObjectsTest, CreatesInANamespaceOfTheCluster) {
  const Result<WriteResult> made = Create("team-a", "op");
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_TRUE(made->created);
  EXPECT_EQ(Create("team-a", "op").status().reason(), Reason::kAlreadyExists);
}

TEST_F(ClusterObjectsTest, AnswersOnceTheNamespaceIsKnown) {
  int answers = 0;
  registry.Create(*FindResource("operations.asyncops.dev", "asyncoperations"), "missing",
                  {OperationObject("op"), {}}, {},
                  [&answers](const Result<WriteResult>& /*result*/) { ++answers; });
  EXPECT_EQ(answers, 0);
  ASSERT_EQ(cluster.waiting.size(), 1u);
  cluster.waiting.front()();
  EXPECT_EQ(answers, 1);
}

TEST_F(ClusterObjectsTest, RefusesAMissingNamespaceInKubeApiserversWords) {
  for (const bool dry_run : {false, true}) {
    // "default" is in the store, which is not asked.
    const Status status = Create("default", "op", dry_run).status();
    EXPECT_EQ(status.ToString(), "NotFound: namespaces \"default\" not found");
    EXPECT_EQ(status.details().kind, "namespaces");
  }
}

TEST_F(ClusterObjectsTest, RefusesATerminatingNamespaceWithItsCause) {
  for (const bool dry_run : {false, true}) {
    const Status status = Create("ending", "op", dry_run).status();
    EXPECT_EQ(status.reason(), Reason::kForbidden);
    ASSERT_EQ(status.details().causes.size(), 1u);
    EXPECT_EQ(status.details().causes[0].reason, "NamespaceTerminating");
    EXPECT_EQ(status.details().causes[0].field, "metadata.namespace");
    EXPECT_EQ(status.details().name, "op");
  }
}

TEST_F(ClusterObjectsTest, StoresNothingWhereTheClusterCannotBeAsked) {
  cluster.failure = Status(Reason::kServiceUnavailable, "kube-apiserver is away");
  EXPECT_EQ(Create("team-a", "op").status(), cluster.failure);
  cluster.failure = Status::Ok();
  EXPECT_TRUE(Create("team-a", "op").ok());
}

TEST_F(ClusterObjectsTest, ADryRunLooksAtTheNameAndStoresNothing) {
  ASSERT_TRUE(Create("team-a", "op", true).ok());
  ASSERT_TRUE(Create("team-a", "op").ok());
  EXPECT_EQ(Create("team-a", "op", true).status().reason(), Reason::kAlreadyExists);
}

TEST_F(ClusterObjectsTest, ADeclarationIsTheClusters) {
  ASSERT_EQ(api.Send("POST", kResources, EncodeJson(ResourceObject("v"))).status, 201);
  const ResourceInfo& resource = *FindResource("asyncops.dev", "asyncresources");
  EXPECT_EQ(registry.GetDeclared(resource, "team-a", "v").status().reason(), Reason::kNotFound);
  cluster.objects["v"] = ResourceObject("v");
  EXPECT_EQ(*registry.GetDeclared(resource, "team-a", "v"), ResourceObject("v"));
  const Result<Json> own = api.registry().GetDeclared(resource, "team-a", "v");
  ASSERT_TRUE(own.ok());
  EXPECT_NE(own->StringAt({"metadata", "uid"}), "");
}

}  // namespace
}  // namespace asyncops::apiserver
