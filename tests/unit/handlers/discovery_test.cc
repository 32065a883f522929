#include "apiserver/handlers/discovery.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "base/yaml.h"
#include "tests/support/api_harness.h"

namespace asyncops::apiserver {
namespace {

using testing::ElementsAre;

constexpr std::string_view kAggregatedV2 =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
constexpr std::string_view kAggregatedV2Beta1 =
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";

struct DiscoveryTest : testing::Test {
  ApiResponse Get(std::string_view path, std::string_view accept = "application/json") {
    return api.Get(path, {{"Accept", std::string(accept)}});
  }
  ApiHarness api;
};

TEST_F(DiscoveryTest, ListsGroupsInTheLegacyForm) {
  const ApiResponse answer = Get("/apis");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.Get("Content-Type"), "application/json");
  EXPECT_EQ(EncodeJson(answer.json()),
            R"({"apiVersion":"v1","groups":[{"name":"operations.asyncops.dev","preferredVersion":)"
            R"({"groupVersion":"operations.asyncops.dev/v1alpha1","version":"v1alpha1"},)"
            R"("versions":[{"groupVersion":"operations.asyncops.dev/v1alpha1","version":)"
            R"("v1alpha1"}]},{"name":"asyncops.dev","preferredVersion":{"groupVersion":)"
            R"("asyncops.dev/v1alpha1","version":"v1alpha1"},"versions":[{"groupVersion":)"
            R"("asyncops.dev/v1alpha1","version":"v1alpha1"}]}],"kind":"APIGroupList"})");
  EXPECT_EQ(Get("/apis/").body, answer.body);
  EXPECT_EQ(Get("/apis/asyncops.dev").Text({"kind"}), "APIGroup");
  EXPECT_EQ(Get("/api").Text({"versions"}), R"(["v1"])");
  EXPECT_EQ(Get("/apis/example.com").status, 404);
  EXPECT_EQ(Get("/apis/asyncops.dev/v9").status, 404);
}

TEST_F(DiscoveryTest, ListsResourcesWithTheVerbsThatAreServed) {
  const Json list = Get("/apis/operations.asyncops.dev/v1alpha1").json();
  EXPECT_EQ(list.StringAt({"kind"}), "APIResourceList");
  EXPECT_EQ(list.StringAt({"groupVersion"}), "operations.asyncops.dev/v1alpha1");
  std::vector<std::string> lines;
  for (const Json& resource : list.Find("resources")->as_array()) {
    lines.push_back(std::string(resource.StringAt({"name"})) + " " +
                    std::string(resource.StringAt({"singularName"})) + " " +
                    std::string(resource.StringAt({"kind"})) + " " +
                    EncodeJson(*resource.Find("verbs")));
  }
  EXPECT_THAT(lines,
              ElementsAre("asyncoperations asyncoperation AsyncOperation "
                          R"(["create","delete","deletecollection","get","list","patch","update",)"
                          R"("watch"])",
                          R"(asyncoperations/cancel  AsyncOperationCancel ["create"])",
                          R"(asyncoperations/history  AsyncOperationHistory ["get"])",
                          R"(asyncoperations/resolve  AsyncOperationResolution ["create"])",
                          R"(asyncoperations/retry  AsyncOperationRetry ["create"])",
                          R"(asyncoperations/status  AsyncOperation ["get","patch","update"])",
                          R"(asyncresources/asyncoperations  AsyncOperationList ["get"])"));
  const Json& main = list.Find("resources")->as_array().front();
  EXPECT_EQ(EncodeJson(*main.Find("categories")), R"(["asyncops"])");
  EXPECT_EQ(EncodeJson(*main.Find("shortNames")), R"(["aop"])");
}

TEST_F(DiscoveryTest, SpeaksTheAggregatedForms) {
  const std::string kubectl =
      std::string(kAggregatedV2) + "," + std::string(kAggregatedV2Beta1) + ",application/json";
  const ApiResponse v2 = Get("/apis", kubectl);
  EXPECT_EQ(v2.headers.Get("Content-Type"), kAggregatedV2);
  EXPECT_EQ(v2.Text({"kind"}), "APIGroupDiscoveryList");
  EXPECT_EQ(v2.Text({"apiVersion"}), "apidiscovery.k8s.io/v2");
  const ApiResponse beta = Get("/apis", std::string(kAggregatedV2Beta1) + ",application/json");
  EXPECT_EQ(beta.headers.Get("Content-Type"), kAggregatedV2Beta1);
  EXPECT_EQ(Get("/api", kubectl).Text({"kind"}), "APIGroupDiscoveryList");
  const Json json = v2.json();
  const Json& group = json.Find("items")->as_array().front();
  EXPECT_EQ(group.StringAt({"metadata", "name"}), "operations.asyncops.dev");
  const Json& version = group.Find("versions")->as_array().front();
  EXPECT_EQ(version.StringAt({"freshness"}), "Current");
  const Json& resource = version.Find("resources")->as_array().front();
  EXPECT_EQ(resource.StringAt({"scope"}), "Namespaced");
  EXPECT_EQ(resource.StringAt({"responseKind", "kind"}), "AsyncOperation");
  for (const Json& subresource : resource.Find("subresources")->as_array())
    EXPECT_TRUE(subresource.Find("responseKind")->is_object());
  // Only the lists of groups have that form.
  EXPECT_EQ(Get("/apis/asyncops.dev/v1alpha1", kubectl).Text({"kind"}), "APIResourceList");
}

TEST_F(DiscoveryTest, WithoutAFormThatWeHaveIsNotAcceptable) {
  const ApiResponse refused = Get("/apis", "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(refused.status, 406);
  EXPECT_EQ(refused.Text({"reason"}), "NotAcceptable");
  EXPECT_EQ(Get("/apis/asyncops.dev/v1alpha1", "application/json, */*").status, 200);
}

TEST_F(DiscoveryTest, IsCachedByItsTag) {
  for (const std::string_view accept : {kAggregatedV2, std::string_view("application/json")}) {
    const ApiResponse first = Get("/apis", accept);
    const std::string tag(first.headers.Get("ETag"));
    EXPECT_EQ(tag.size(), 130u);
    EXPECT_EQ(first.headers.Get("Vary"), "Accept");
    EXPECT_EQ(first.headers.Get("Cache-Control"), "public");
    const ApiResponse again =
        api.Get("/apis", {{"Accept", std::string(accept)}, {"If-None-Match", tag}});
    EXPECT_EQ(again.status, 304);
    EXPECT_EQ(again.body, "");
    EXPECT_EQ(again.headers.Get("ETag"), tag);
    EXPECT_EQ(
        api.Get("/apis", {{"Accept", std::string(accept)}, {"If-None-Match", "\"x\""}}).status,
        200);
  }
  EXPECT_NE(Get("/apis", kAggregatedV2).headers.Get("ETag"), Get("/apis").headers.Get("ETag"));
}

TEST_F(DiscoveryTest, TakesTheTagOutOfAnyList) {
  const std::string tag(Get("/apis").headers.Get("ETag"));
  struct Row {
    std::string_view reason;
    std::string none_match;
    int code;
  };
  const std::vector<Row> table = {
      {"the tag", tag, 304},
      {"a list", "\"x\", " + tag, 304},
      {"a weak tag counts", "W/" + tag, 304},
      {"any", "*", 304},
      {"without quotes it is another", tag.substr(1, tag.size() - 2), 200},
      {"none", "\"x\",\"y\"", 200},
  };
  for (const Row& row : table) {
    EXPECT_EQ(api.Get("/apis", {{"If-None-Match", row.none_match}}).status, row.code) << row.reason;
  }
}

// kube-apiserver asks an aggregated server without a clause for plain JSON, and goes on to the
// group's own path where it is refused.
TEST_F(DiscoveryTest, ChoosesTheFormByTheAcceptHeader) {
  struct Row {
    std::string_view reason;
    std::string path;
    std::string accept;
    int code;
    std::string_view content_type;
  };
  const std::string v2(kAggregatedV2);
  const std::string beta(kAggregatedV2Beta1);
  const std::string_view json = "application/json";
  const std::vector<Row> table = {
      {"kube-apiserver", "/apis", v2 + "," + beta, 200, kAggregatedV2},
      {"an older one", "/apis", beta, 200, kAggregatedV2Beta1},
      {"kubectl 1.30", "/apis", v2 + "," + beta + ",application/json", 200, kAggregatedV2},
      {"kubectl 1.27", "/apis", beta + ",application/json", 200, kAggregatedV2Beta1},
      {"kubectl 1.20", "/apis", "application/json, */*", 200, json},
      {"nothing said", "/apis", "", 200, json},
      {"anything", "/apis", "*/*", 200, json},
      {"with a slash", "/apis/", v2, 200, kAggregatedV2},
      {"of core", "/api", v2, 200, kAggregatedV2},
      {"of core with a slash", "/api/", v2, 200, kAggregatedV2},
      {"quality comes before the place", "/apis", v2 + ";q=0.5,application/json", 200, json},
      {"a version to come", "/apis",
       "application/json;g=apidiscovery.k8s.io;v=v9;as="
       "APIGroupDiscoveryList",
       406, json},
      {"with a way back", "/apis",
       "application/json;g=apidiscovery.k8s.io;v=v9;as="
       "APIGroupDiscoveryList,application/json",
       200, json},
      {"another thing of that group", "/apis",
       "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroup", 406, json},
      {"protobuf alone", "/apis", "application/vnd.kubernetes.protobuf", 406, json},
      {"protobuf first, as controllers ask", "/apis",
       "application/vnd.kubernetes.protobuf,application/json", 200, json},
      {"one version has no such form", "/apis/asyncops.dev/v1alpha1", v2, 406, json},
      {"but takes the way back", "/apis/asyncops.dev/v1alpha1", v2 + ",application/json", 200,
       json},
  };
  for (const Row& row : table) {
    const ApiResponse answer = Get(row.path, row.accept);
    EXPECT_EQ(answer.status, row.code) << row.reason << answer.body;
    EXPECT_EQ(answer.headers.Get("Content-Type"), row.content_type) << row.reason;
  }
}

// Run from the root of the source tree, as ctest does. A change that is meant shows in the diff of
// the file: write what the failure prints.
std::string Golden(const std::string& name) {
  std::ifstream in("tests/golden/discovery/" + name);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

TEST_F(DiscoveryTest, ReadsAsTheGoldenFiles) {
  EXPECT_EQ(EncodeYaml(Get("/apis/operations.asyncops.dev/v1alpha1").json()),
            Golden("operations_legacy.yaml"));
  EXPECT_EQ(EncodeYaml(Get("/apis", kAggregatedV2).json()), Golden("groups_aggregated.yaml"));
  EXPECT_EQ(EncodeYaml(Get("/api", kAggregatedV2).json()), Golden("core_aggregated.yaml"));
}

// client-go 0.26.0 to 0.26.3 end where a responseKind is missing.
TEST_F(DiscoveryTest, EveryResponseKindIsThere) {
  for (const std::string path : {"/api", "/apis"}) {
    const Json json = Get(path, kAggregatedV2Beta1).json();
    for (const Json& group : json.Find("items")->as_array()) {
      const Json& version = group.Find("versions")->as_array().front();
      for (const Json& resource : version.Find("resources")->as_array()) {
        ASSERT_NE(resource.Find("responseKind"), nullptr);
        EXPECT_TRUE(resource.Find("responseKind")->is_object());
        const Json* below = resource.Find("subresources");
        if (below == nullptr) continue;
        for (const Json& subresource : below->as_array())
          EXPECT_FALSE(subresource.StringAt({"responseKind", "kind"}).empty());
      }
    }
  }
}

}  // namespace
}  // namespace asyncops::apiserver
