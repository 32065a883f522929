#include "apiserver/cluster/informed_objects.h"

#include <gtest/gtest.h>
#include <optional>
#include <utility>

#include "tests/support/fake_api_client.h"

namespace asyncops::apiserver {
namespace {

// Knows what a test says, and nothing before it is synced.
class FakeInformer final : public kube::Informer {
 public:
  std::shared_ptr<const Json> Get(const kube::ObjectKey& key) const override {
    const auto found = objects.find(key);
    return found == objects.end() ? nullptr : std::make_shared<const Json>(found->second);
  }
  std::vector<std::shared_ptr<const Json>> List() const override { return {}; }
  kube::InformerHealth health() const override {
    kube::InformerHealth health;
    health.synced = synced;
    return health;
  }
  bool WaitForSync(Duration /*timeout*/) const override { return synced; }
  std::unique_ptr<Handler> OnChange(
      std::function<void(const kube::ObjectKey&)> /*changed*/) override {
    return nullptr;
  }

  bool synced = true;
  std::map<kube::ObjectKey, Json> objects;
};

Json Named(std::string_view name) { return Json::Of({{"metadata", Json::Of({{"name", name}})}}); }

struct InformedObjectsTest : testing::Test {
  Result<Json> Namespace(const std::string& name) {
    std::optional<Result<Json>> answer;
    objects.GetNamespace(name, [&answer](Result<Json> found) { answer = std::move(found); });
    return answer.value_or(Status(Reason::kTimeout, "no answer"));
  }

  FakeInformer resources;
  FakeInformer namespaces;
  FakeApiClient client;
  InformedObjects objects{
      {{"asyncresources.asyncops.dev", &resources}, {"namespaces", &namespaces}},
      [this](std::string target, std::function<void(Result<Json>)> done) {
        done(client.Call({.target = std::move(target)}));
      }};
  const ResourceInfo& resource = *FindResource("asyncops.dev", "asyncresources");
};

TEST_F(InformedObjectsTest, GivesWhatWasHeardOf) {
  resources.objects[{"team-a", "v"}] = Named("v");
  EXPECT_EQ(*objects.Get(resource, "team-a", "v"), Named("v"));
  EXPECT_EQ(objects.Get(resource, "team-b", "v").status().ToString(),
            "NotFound: asyncresources.asyncops.dev \"v\" not found");
}

TEST_F(InformedObjectsTest, SaysNothingOfWhatItHasNotHeardOfYet) {
  resources.synced = false;
  const Status status = objects.Get(resource, "team-a", "v").status();
  EXPECT_EQ(status.reason(), Reason::kServiceUnavailable);
  EXPECT_EQ(status.details().retry_after_seconds, 1);
}

TEST_F(InformedObjectsTest, AResourceThatNobodyFollowsIsNotThere) {
  EXPECT_EQ(objects.Get(*FindResource("", "secrets"), "team-a", "v").status().reason(),
            Reason::kNotFound);
}

TEST_F(InformedObjectsTest, AKnownNamespaceIsAnsweredAtOnce) {
  namespaces.objects[{"", "team-a"}] = Named("team-a");
  EXPECT_EQ(*Namespace("team-a"), Named("team-a"));
  EXPECT_TRUE(client.requests().empty());
}

TEST_F(InformedObjectsTest, ANewNamespaceIsAskedFor) {
  client.Put("/api/v1/namespaces", Named("team-b"));
  const Result<Json> found = Namespace("team-b");
  ASSERT_TRUE(found.ok()) << found.status().ToString();
  EXPECT_EQ(found->StringAt({"metadata", "name"}), "team-b");
  EXPECT_EQ(Namespace("team-c").status().reason(), Reason::kNotFound);
  // A name that is none stays one part of the path.
  EXPECT_FALSE(Namespace("a/../../secrets").ok());
  EXPECT_EQ(client.requests().back().target, "/api/v1/namespaces/a%2F..%2F..%2Fsecrets");
}

TEST_F(InformedObjectsTest, AFailureToAskIsNoMissingNamespace) {
  client.SetDown(Status(Reason::kServiceUnavailable, "kube-apiserver is away"));
  EXPECT_EQ(Namespace("team-b").status().reason(), Reason::kServiceUnavailable);
}

}  // namespace
}  // namespace asyncops::apiserver
