#include "apiserver/handlers/openapi_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "tests/support/api_harness.h"

namespace asyncops::apiserver {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kV2Protobuf =
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
constexpr std::string_view kV3Protobuf =
    "application/com.github.proto-openapi.spec.v3@v1.0+protobuf";

struct OpenApiHandlerTest : testing::Test {
  ApiResponse Get(std::string_view path, std::string_view accept = "application/json") {
    return api.Get(path, {{"Accept", std::string(accept)}});
  }
  std::string UrlOf(std::string_view group_version) {
    return Get("/openapi/v3", "").Text({"paths", group_version, "serverRelativeURL"});
  }
  ApiHarness api;
};

TEST_F(OpenApiHandlerTest, Version2IsServedInBothEncodings) {
  EXPECT_EQ(Get("/openapi/v2").Text({"swagger"}), "2.0");
  const ApiResponse protobuf = Get("/openapi/v2", kV2Protobuf);
  EXPECT_EQ(protobuf.status, 200);
  EXPECT_EQ(protobuf.headers.Get("Content-Type"),
            "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  EXPECT_THAT(protobuf.body, StartsWith("\x0A\x03"
                                        "2.0"));
  EXPECT_EQ(Get("/openapi/v2", "text/html").status, 406);
}

TEST_F(OpenApiHandlerTest, TheIndexNamesEachGroupVersionUnderItsHash) {
  const ApiResponse index = Get("/openapi/v3", "");
  const Json json = index.json();
  std::vector<std::string> names;
  for (const JsonMember& member : json.Find("paths")->as_object()) names.push_back(member.name);
  EXPECT_THAT(names, testing::ElementsAre("api/v1", "apis/asyncops.dev/v1alpha1",
                                          "apis/operations.asyncops.dev/v1alpha1"));
  EXPECT_THAT(UrlOf("api/v1"), StartsWith("/openapi/v3/api/v1?hash="));
  EXPECT_EQ(Get("/openapi/v3/").body, index.body);
}

TEST_F(OpenApiHandlerTest, UnderItsHashADocumentIsKeptForEver) {
  const ApiResponse document = Get(UrlOf("apis/operations.asyncops.dev/v1alpha1"));
  EXPECT_EQ(document.Text({"openapi"}), "3.0.0");
  EXPECT_THAT(std::string(document.headers.Get("Cache-Control")), StartsWith("public, immutable"));
  EXPECT_NE(document.headers.Get("Expires"), "");
  EXPECT_EQ(document.headers.Get("Vary"), "Accept");
}

// kube-openapi redirects to the right hash; a redirect of ours is refused by kube-apiserver.
TEST_F(OpenApiHandlerTest, AnotherHashIsAnsweredWithTheDocumentAsItIs) {
  const ApiResponse current = Get(UrlOf("apis/asyncops.dev/v1alpha1"));
  for (const std::string query : {"?hash=OLD", "", "?hash="}) {
    const ApiResponse stale = Get("/openapi/v3/apis/asyncops.dev/v1alpha1" + query);
    EXPECT_EQ(stale.status, 200) << query;
    EXPECT_EQ(stale.body, current.body) << query;
    EXPECT_EQ(stale.headers.Get("Cache-Control"), "public") << query;
    EXPECT_EQ(stale.headers.Get("Expires"), "") << query;
  }
  EXPECT_EQ(Get("/openapi/v3/apis/example.com/v1").status, 404);
  EXPECT_EQ(Get("/openapi/v3x").status, 404);
}

TEST_F(OpenApiHandlerTest, Version3IsServedInProtobufUnderTheSameHash) {
  const std::string url = UrlOf("apis/operations.asyncops.dev/v1alpha1");
  for (const std::string_view accept :
       {kV3Protobuf,
        std::string_view("application/com.github.proto-openapi.spec.v3.v1.0+protobuf")}) {
    const ApiResponse protobuf = Get(url, accept);
    EXPECT_EQ(protobuf.status, 200);
    EXPECT_EQ(protobuf.headers.Get("Content-Type"),
              "application/com.github.proto-openapi.spec.v3.v1.0+protobuf");
    EXPECT_THAT(protobuf.body, StartsWith("\x0A\x05"
                                          "3.0.0"));
    EXPECT_THAT(std::string(protobuf.headers.Get("Cache-Control")), HasSubstr("immutable"));
    EXPECT_NE(protobuf.headers.Get("ETag"), Get(url).headers.Get("ETag"))
        << "each encoding has its own tag";
  }
  EXPECT_EQ(Get(url, "application/xml").status, 406);
  EXPECT_THAT(Get(url, "application/xml").Text({"message"}), HasSubstr(std::string(kV3Protobuf)));
}

TEST_F(OpenApiHandlerTest, TagsSaveTheTransfer) {
  for (const std::string& path :
       {std::string("/openapi/v2"), std::string("/openapi/v3"), UrlOf("api/v1")}) {
    const std::string tag(Get(path).headers.Get("ETag"));
    ASSERT_NE(tag, "") << path;
    const ApiResponse again =
        api.Get(path, {{"Accept", "application/json"}, {"If-None-Match", tag}});
    EXPECT_EQ(again.status, 304) << path;
    EXPECT_EQ(again.body, "") << path;
  }
}

// The verbs of RBAC that an operation of the document stands for.
std::vector<std::string> VerbsOf(std::string_view action) {
  if (action == "list") return {"list", "watch"};
  if (action == "post") return {"create"};
  if (action == "put") return {"update"};
  return {std::string(action)};
}

TEST_F(OpenApiHandlerTest, SaysTheSameVerbsAsDiscovery) {
  for (const std::string group :
       {"api/v1", "apis/asyncops.dev/v1alpha1", "apis/operations.asyncops.dev/v1alpha1"}) {
    std::map<std::string, std::set<std::string>> documented;
    const Json document = Get(UrlOf(group)).json();
    for (const JsonMember& path : document.Find("paths")->as_object()) {
      // "widgets" of /g/namespaces/{namespace}/widgets/{name}, "widgets/status" of what is below.
      std::string resource = path.name.substr(group.size() + 2);
      for (const std::string_view part : {"namespaces/{namespace}/", "/{name}"}) {
        if (const std::size_t at = resource.find(part); at != std::string::npos)
          resource.erase(at, part.size());
      }
      for (const JsonMember& operation : path.value.as_object()) {
        if (operation.name == "parameters") continue;
        for (std::string& verb : VerbsOf(operation.value.StringAt({"x-kubernetes-action"})))
          documented[resource].insert(std::move(verb));
      }
    }
    std::map<std::string, std::set<std::string>> discovered;
    const Json list = Get("/" + group).json();
    for (const Json& resource : list.Find("resources")->as_array()) {
      for (const Json& verb : resource.Find("verbs")->as_array())
        discovered[std::string(resource.StringAt({"name"}))].insert(verb.as_string());
    }
    EXPECT_EQ(documented, discovered) << group;
  }
}

TEST_F(OpenApiHandlerTest, TellsTheSubresources) {
  const Json document = Get(UrlOf("apis/operations.asyncops.dev/v1alpha1")).json();
  const std::string base = "/apis/operations.asyncops.dev/v1alpha1/namespaces/{namespace}/";
  struct Row {
    std::string path;
    std::string_view method;
    std::string_view action;
    std::string_view kind;
  };
  const std::vector<Row> table = {
      {"asyncoperations/{name}/cancel", "post", "post", "AsyncOperationCancel"},
      {"asyncoperations/{name}/retry", "post", "post", "AsyncOperationRetry"},
      {"asyncoperations/{name}/resolve", "post", "post", "AsyncOperationResolution"},
      {"asyncoperations/{name}/history", "get", "get", "AsyncOperationHistory"},
      {"asyncoperations/{name}/status", "put", "put", "AsyncOperation"},
      {"asyncresources/{name}/asyncoperations", "get", "get", "AsyncOperationList"},
  };
  for (const Row& row : table) {
    const Json* operation = document.FindPath({"paths", base + row.path, row.method});
    ASSERT_NE(operation, nullptr) << row.path;
    EXPECT_EQ(operation->StringAt({"x-kubernetes-action"}), row.action) << row.path;
    EXPECT_EQ(operation->StringAt({"x-kubernetes-group-version-kind", "kind"}), row.kind)
        << row.path;
  }
  EXPECT_EQ(document.FindPath({"paths", base + "asyncresources"}), nullptr);
}

}  // namespace
}  // namespace asyncops::apiserver
