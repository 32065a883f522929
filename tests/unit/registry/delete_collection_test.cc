#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct DeleteCollectionTest : testing::Test {
  void Create(std::string_view name, std::string_view patch = "{}") {
    const ApiResponse made = api.Send("POST", kSecrets, With(SecretObject(name), patch));
    EXPECT_EQ(made.status, 201) << made.body;
  }
  ApiResponse Delete(std::string_view query = "", std::string body = "") {
    return api.Send("DELETE", std::string(kSecrets) + std::string(query), std::move(body));
  }
  static std::vector<std::string> NamesOf(const Json& list) {
    std::vector<std::string> names;
    const Json* items = list.Find("items");
    if (items == nullptr || !items->is_array()) return {"no list"};
    for (const Json& item : items->as_array())
      names.emplace_back(item.StringAt({"metadata", "name"}));
    return names;
  }
  std::vector<std::string> Left() { return NamesOf(api.Get(kSecrets).json()); }
  ApiHarness api;
};

TEST_F(DeleteCollectionTest, AnswersWhatItDeleted) {
  Create("a");
  Create("b");
  const std::string before(api.Get(At(kSecrets, "a")).Text({"metadata", "resourceVersion"}));
  const ApiResponse gone = Delete();
  EXPECT_EQ(gone.status, 200) << gone.body;
  EXPECT_EQ(gone.Text({"kind"}), "SecretList");
  EXPECT_EQ(gone.Text({"apiVersion"}), "v1");
  EXPECT_THAT(NamesOf(gone.json()), ElementsAre("a", "b"));
  EXPECT_EQ(gone.json().Find("items")->as_array().front().StringAt({"metadata", "resourceVersion"}),
            before);
  EXPECT_NE(gone.Text({"metadata", "resourceVersion"}), "");
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(DeleteCollectionTest, OfNothingIsAnEmptyList) {
  const ApiResponse gone = Delete();
  EXPECT_EQ(gone.status, 200);
  EXPECT_THAT(NamesOf(gone.json()), IsEmpty());
}

TEST_F(DeleteCollectionTest, SelectorsChoose) {
  Create("a", R"({"metadata":{"labels":{"of":"x"}}})");
  Create("b", R"({"metadata":{"labels":{"of":"y"}}})");
  Create("c", R"({"metadata":{"labels":{"of":"x"}}})");
  EXPECT_THAT(NamesOf(Delete("?labelSelector=of%3Dx").json()), ElementsAre("a", "c"));
  EXPECT_THAT(Left(), ElementsAre("b"));
  Create("d");
  EXPECT_THAT(NamesOf(Delete("?fieldSelector=metadata.name%3Dd").json()), ElementsAre("d"));
  EXPECT_THAT(Left(), ElementsAre("b"));
}

TEST_F(DeleteCollectionTest, ALimitEndsItWithATokenForTheRest) {
  for (const char* name : {"a", "b", "c"}) Create(name);
  const ApiResponse first = Delete("?limit=2");
  EXPECT_THAT(NamesOf(first.json()), ElementsAre("a", "b"));
  EXPECT_THAT(Left(), ElementsAre("c"));
  const std::string next = first.Text({"metadata", "continue"});
  ASSERT_NE(next, "");
  const ApiResponse second = Delete("?limit=2&continue=" + next);
  EXPECT_THAT(NamesOf(second.json()), ElementsAre("c"));
  EXPECT_EQ(second.Text({"metadata", "continue"}), "");
}

TEST_F(DeleteCollectionTest, FinalizersAndPoliciesHold) {
  Create("free");
  Create("held", R"({"metadata":{"finalizers":["a.example/x"]}})");
  EXPECT_EQ(Delete().status, 200);
  EXPECT_THAT(Left(), ElementsAre("held"));
  EXPECT_EQ(api.Get(At(kSecrets, "held")).Text({"metadata", "deletionTimestamp"}),
            "2026-01-01T00:00:00Z");
  Create("later");
  EXPECT_EQ(Delete("", R"({"propagationPolicy":"Orphan"})").status, 200);
  const Json later = api.Get(At(kSecrets, "later")).json();
  EXPECT_EQ(EncodeJson(*later.FindPath({"metadata", "finalizers"})), R"(["orphan"])");
}

TEST_F(DeleteCollectionTest, ADryRunLeavesAll) {
  Create("a");
  Create("b");
  for (const auto& [query, body] : std::vector<std::pair<std::string, std::string>>{
           {"?dryRun=All", ""}, {"", R"({"dryRun":["All"]})"}, {"?dryRun=All", "{}"}}) {
    EXPECT_THAT(NamesOf(Delete(query, body).json()), ElementsAre("a", "b"));
    EXPECT_THAT(Left(), ElementsAre("a", "b"));
  }
}

TEST_F(DeleteCollectionTest, MoreThanFewAreDeletedInSeveralTransactions) {
  api.Insert("", "secrets", ManySecrets(100));
  EXPECT_EQ(NamesOf(Delete().json()).size(), 100U);
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(DeleteCollectionTest, MoreThanCanBeShownIsAStatus) {
  api.Insert("", "secrets", ManySecrets(501));
  const ApiResponse gone = Delete();
  EXPECT_EQ(gone.status, 200);
  EXPECT_EQ(EncodeJson(gone.json()),
            R"({"apiVersion":"v1","details":{"kind":"secrets"},"kind":"Status","metadata":{},)"
            R"("status":"Success"})");
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(DeleteCollectionTest, OtherNamespacesKeepTheirs) {
  const std::string elsewhere = "/api/v1/namespaces/default/secrets";
  ASSERT_EQ(api.Send("POST", elsewhere, EncodeJson(SecretObject("s"))).status, 201);
  Create("s");
  EXPECT_EQ(Delete().status, 200);
  EXPECT_EQ(api.Get(At(elsewhere, "s")).status, 200);
}

struct Refusal {
  std::string_view reason;
  std::string target;
  std::string body;
  int code;
  std::string_view message;  // a part of it
};

TEST_F(DeleteCollectionTest, RefusesWhatIsNotServedOrDoesNotHold) {
  Create("s");
  const std::string secrets(kSecrets);
  const std::vector<Refusal> table = {
      {"all namespaces at once", "/api/v1/secrets", "", 405,
       "deletecollection is not supported on resources of kind \"secrets\""},
      {"namespaces", "/api/v1/namespaces", "", 405, "deletecollection is not supported"},
      {"a broken selector", secrets + "?labelSelector=a%3D%3D%3Db", "", 400, "unable to parse"},
      {"an unknown field", secrets + "?fieldSelector=a%3Db", "", 400, "not a known field selector"},
      {"a past state", secrets + "?resourceVersion=1&resourceVersionMatch=Exact", "", 400,
       "what is there now"},
      {"a broken token", secrets + "?continue=x", "", 400, "continue"},
      {"an unknown policy", secrets, R"({"propagationPolicy":"Sideways"})", 422,
       "Unsupported value"},
      {"another object's uid", secrets, R"({"preconditions":{"uid":"other"}})", 409,
       "does not match the UID in record"},
  };
  for (const Refusal& row : table) {
    const ApiResponse refused = api.Send("DELETE", row.target, row.body);
    EXPECT_EQ(refused.status, row.code) << row.reason << refused.body;
    EXPECT_THAT(refused.Text({"message"}), HasSubstr(std::string(row.message))) << row.reason;
    EXPECT_THAT(Left(), ElementsAre("s")) << row.reason;
  }
}

}  // namespace
}  // namespace asyncops::apiserver
