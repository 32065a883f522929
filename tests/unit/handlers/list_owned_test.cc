#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kOwners =
    "/apis/operations.asyncops.dev/v1alpha1/namespaces/team-a/asyncresources";

struct ListOwnedTest : testing::Test {
  ListOwnedTest() {
    uid = Create(kResources, EncodeJson(ResourceObject("v")));
    const std::string other = Create(kResources, EncodeJson(ResourceObject("w")));
    CreateOperation("v-2", uid, R"({"metadata":{"labels":{"tier":"gold"}}})");
    CreateOperation("v-1", uid, R"({"spec":{"type":"Update"}})");
    CreateOperation("w-1", other, "{}");
    Create(kOperations, EncodeJson(OperationObject("nobodys")));
  }
  std::string Create(std::string_view at, const std::string& body) {
    const ApiResponse made = api.Send("POST", at, body);
    EXPECT_EQ(made.status, 201) << made.body;
    return made.Text({"metadata", "uid"});
  }
  void CreateOperation(std::string_view name, const std::string& owner, std::string_view patch) {
    const Result<Json> changed = ParseJson(With(OperationObject(name), patch));
    Create(kOperations,
           With(*changed, R"({"spec":{"resourceRef":{"kind":"AsyncResource","name":"x","uid":")" +
                              owner + "\"}}}"));
  }
  ApiResponse List(std::string_view query = "", const std::vector<ApiHeader>& headers = {}) {
    return api.Get(At(kOwners, "v/asyncoperations" + std::string(query)), headers);
  }
  static std::vector<std::string> Names(const ApiResponse& list) {
    std::vector<std::string> names;
    const Json json = list.json();
    const Json* items = json.Find("items");
    if (items == nullptr) return {list.body};
    for (const Json& item : items->as_array())
      names.emplace_back(item.StringAt({"metadata", "name"}));
    return names;
  }
  ApiHarness api;
  std::string uid;
};

TEST_F(ListOwnedTest, ListsTheOperationsOfOneResource) {
  const ApiResponse list = List();
  EXPECT_EQ(list.status, 200) << list.body;
  EXPECT_EQ(list.Text({"kind"}), "AsyncOperationList");
  EXPECT_THAT(Names(list), ElementsAre("v-1", "v-2"));
  EXPECT_EQ(api.Send("HEAD", At(kOwners, "v/asyncoperations")).status, 200);
  EXPECT_THAT(Names(api.Get(At(kOwners, "w/asyncoperations/"))), ElementsAre("w-1"));
}

TEST_F(ListOwnedTest, SelectsAndPagesAsTheMainResourceDoes) {
  EXPECT_THAT(Names(List("?labelSelector=tier%3Dgold")), ElementsAre("v-2"));
  EXPECT_THAT(Names(List("?fieldSelector=spec.type%3DUpdate")), ElementsAre("v-1"));
  EXPECT_EQ(List("?fieldSelector=spec.tipe%3DUpdate").status, 400);
  const ApiResponse first = List("?limit=1");
  EXPECT_THAT(Names(first), ElementsAre("v-1"));
  const std::string token = first.Text({"metadata", "continue"});
  EXPECT_NE(token, "");
  const ApiResponse second = List("?limit=1&continue=" + token);
  EXPECT_THAT(Names(second), ElementsAre("v-2"));
  EXPECT_EQ(second.Text({"metadata", "continue"}), "");
  EXPECT_EQ(List("?continue=x").status, 400);
}

TEST_F(ListOwnedTest, CannotBeWidenedByASelector) {
  EXPECT_THAT(Names(List("?fieldSelector=spec.resourceRef.uid%3Danother")), testing::IsEmpty());
  EXPECT_THAT(Names(List("?fieldSelector=metadata.name%3Dnobodys")), testing::IsEmpty());
}

TEST_F(ListOwnedTest, IsATableForKubectl) {
  const ApiResponse table = List("", {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}});
  EXPECT_EQ(table.Text({"kind"}), "Table");
  const Json json = table.json();
  EXPECT_EQ(json.Find("rows")->as_array().size(), 2u);
}

TEST_F(ListOwnedTest, IsWatched) {
  const std::string version = List().Text({"metadata", "resourceVersion"});
  const auto watch =
      api.Watch(At(kOwners, "v/asyncoperations?watch=true&resourceVersion=" + version));
  ASSERT_EQ(watch->status(), 200);
  CreateOperation("w-2", "another", "{}");
  CreateOperation("v-3", uid, "{}");
  const std::vector<Json> events = watch->Next(1);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].StringAt({"type"}), "ADDED");
  EXPECT_EQ(events[0].StringAt({"object", "metadata", "name"}), "v-3");
}

TEST_F(ListOwnedTest, TheResourceMustBeThere) {
  const ApiResponse missing = api.Get(At(kOwners, "nobody/asyncoperations"));
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.Text({"message"}), "asyncresources.asyncops.dev \"nobody\" not found");
  EXPECT_EQ(missing.Text({"details", "group"}), "asyncops.dev");
  EXPECT_EQ(api.Get("/apis/operations.asyncops.dev/v1alpha1/namespaces/default/asyncresources/v/"
                    "asyncoperations")
                .status,
            404)
      << "of another namespace";
}

TEST_F(ListOwnedTest, NothingElseIsServedThere) {
  struct Row {
    std::string_view reason;
    std::string_view method;
    std::string target;
    int code;
  };
  const std::string at(kOwners);
  const std::vector<Row> table = {
      {"resources are of another group", "GET", at, 404},
      {"one of them too", "GET", at + "/v", 404},
      {"and their status", "GET", at + "/v/status", 404},
      {"in all namespaces", "GET", "/apis/operations.asyncops.dev/v1alpha1/asyncresources", 404},
      {"without a namespace", "GET",
       "/apis/operations.asyncops.dev/v1alpha1/asyncresources/v/asyncoperations", 404},
      {"one operation has its own path", "GET", at + "/v/asyncoperations/v-1", 404},
      {"operations are not made here", "POST", at + "/v/asyncoperations", 405},
      {"nor deleted", "DELETE", at + "/v/asyncoperations", 405},
      {"nor changed", "PATCH", at + "/v/asyncoperations", 405},
      {"a name that is none", "GET", at + "/../asyncoperations", 400},
      {"the group of resources has no such subresource", "GET", At(kResources, "v/asyncoperations"),
       404},
  };
  for (const Row& row : table)
    EXPECT_EQ(api.Send(row.method, row.target).status, row.code) << row.reason;
}

TEST_F(ListOwnedTest, NeedsLeaveToGetTheResource) {
  std::vector<std::string> asked;
  std::string denied;
  api.SetAuthorization([&asked, &denied](const Attributes& a) {
    std::string text = std::string(a.verb) + " " + std::string(a.group) + " " +
                       std::string(a.resource) + "/" + std::string(a.subresource) + " " +
                       std::string(a.namespace_name) + " " + std::string(a.name);
    const bool allowed = denied.empty() || text.find(denied) == std::string::npos;
    asked.push_back(std::move(text));
    return Decision{.allowed = allowed, .reason = ""};
  });
  EXPECT_EQ(List("?watch=0").status, 200);
  EXPECT_THAT(asked,
              ElementsAre("get operations.asyncops.dev asyncresources/asyncoperations team-a v",
                          "get asyncops.dev asyncresources/ team-a v"));
  denied = "asyncresources/ ";
  const ApiResponse refused = List();
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.Text({"message"}),
              HasSubstr("asyncresources.asyncops.dev \"v\" is forbidden"));
  EXPECT_EQ(api.Get(At(kOwners, "nobody/asyncoperations")).status, 403)
      << "whether it is there is not told";
  denied = "operations.asyncops.dev";
  EXPECT_EQ(List().status, 403);
}

}  // namespace
}  // namespace asyncops::apiserver
