#include "apiserver/handlers/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
                          R"(asyncoperations/history  AsyncOperationHistory ["get"])",
                          R"(asyncoperations/status  AsyncOperation ["get","patch","update"])"));
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

TEST_F(DiscoveryTest, OpenApiIsServedInEachForm) {
  EXPECT_EQ(Get("/openapi/v2").Text({"swagger"}), "2.0");
  const ApiResponse protobuf =
      Get("/openapi/v2", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf");
  EXPECT_EQ(protobuf.status, 200);
  EXPECT_EQ(protobuf.headers.Get("Content-Type"),
            "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  EXPECT_EQ(Get("/openapi/v2", "text/html").status, 406);
  const ApiResponse index = Get("/openapi/v3", "");
  const std::string url = index.Text({"paths", "apis/asyncops.dev/v1alpha1", "serverRelativeURL"});
  EXPECT_THAT(url, testing::StartsWith("/openapi/v3/apis/asyncops.dev/v1alpha1?hash="));
  const ApiResponse document = Get(url);
  EXPECT_EQ(document.Text({"openapi"}).substr(0, 2), "3.");
  EXPECT_THAT(std::string(document.headers.Get("Cache-Control")), testing::HasSubstr("immutable"));
  // Never a redirect to the right hash.
  const ApiResponse stale = Get("/openapi/v3/apis/asyncops.dev/v1alpha1?hash=OLD");
  EXPECT_EQ(stale.status, 200);
  EXPECT_EQ(stale.headers.Get("Cache-Control"), "public");
  EXPECT_EQ(Get("/openapi/v3/apis/example.com/v1").status, 404);
}

}  // namespace
}  // namespace asyncops::apiserver
