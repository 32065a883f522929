#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/handlers/list_options.h"
#include "base/encoding.h"
#include "base/rfc3339.h"
#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kGroup = "operations.asyncops.dev";

struct ListTest : testing::Test {
  void Create(std::string_view name, std::string_view patch = "{}") {
    const ApiResponse made =
        api.Send("POST", kOperations, With(OperationObject(name), std::string(patch)));
    ASSERT_EQ(made.status, 201) << made.body;
  }
  ApiResponse List(std::string_view query = "", const std::vector<ApiHeader>& headers = {}) {
    return api.Get(std::string(kOperations) + std::string(query), headers);
  }
  static std::vector<std::string> Names(const ApiResponse& list) {
    std::vector<std::string> names;
    const Json json = list.json();
    const Json* items = json.Find("items");
    if (items == nullptr || !items->is_array()) return {"no items: " + list.body};
    for (const Json& item : items->as_array())
      names.emplace_back(item.StringAt({"metadata", "name"}));
    return names;
  }
  ApiHarness api;
};

TEST_F(ListTest, OfNothingHasItemsAndAVersion) {
  const ApiResponse list = List();
  EXPECT_EQ(list.status, 200);
  EXPECT_EQ(list.headers.Get("Content-Type"), "application/json");
  EXPECT_EQ(list.body,
            "{\"apiVersion\":\"operations.asyncops.dev/v1alpha1\",\"kind\":\"AsyncOperationList\","
            "\"items\":[],\"metadata\":{\"resourceVersion\":\"3\"}}\n");
  EXPECT_EQ(Names(api.Get("/apis/asyncops.dev/v1alpha1/namespaces/nowhere/asyncresources")),
            std::vector<std::string>());
}

TEST_F(ListTest, IsSortedAndEachItemStandsForItself) {
  Create("b");
  Create("a");
  const ApiResponse list = List();
  EXPECT_THAT(Names(list), ElementsAre("a", "b"));
  const Json first = list.json().Find("items")->as_array().front();
  EXPECT_EQ(first, api.Get(At(kOperations, "a")).json());
  EXPECT_EQ(first.StringAt({"kind"}), "AsyncOperation");
}

TEST_F(ListTest, OfAllNamespaces) {
  ASSERT_EQ(
      api.Send("POST", "/api/v1/namespaces/default/secrets", EncodeJson(SecretObject("d"))).status,
      201);
  ASSERT_EQ(api.Send("POST", kSecrets, EncodeJson(SecretObject("a"))).status, 201);
  EXPECT_THAT(Names(api.Get("/api/v1/secrets")), ElementsAre("d", "a"));
  EXPECT_THAT(Names(api.Get(kSecrets)), ElementsAre("a"));
  EXPECT_THAT(Names(api.Get("/api/v1/namespaces")), ElementsAre("default", "team-a"));
}

TEST_F(ListTest, PagesShowOneMomentWhateverIsWritten) {
  for (const std::string_view name : {"a", "b", "c", "d", "e"}) Create(name);
  ApiResponse page = List("?limit=2");
  const std::string version = page.Text({"metadata", "resourceVersion"});
  EXPECT_THAT(Names(page), ElementsAre("a", "b"));
  Create("b2");
  ASSERT_EQ(api.Send("DELETE", At(kOperations, "c")).status, 200);
  page = List("?limit=2&continue=" + page.Text({"metadata", "continue"}));
  EXPECT_THAT(Names(page), ElementsAre("c", "d"));
  EXPECT_EQ(page.Text({"metadata", "resourceVersion"}), version);
  page = List("?limit=2&continue=" + page.Text({"metadata", "continue"}));
  EXPECT_THAT(Names(page), ElementsAre("e"));
  EXPECT_EQ(page.Text({"metadata", "continue"}), "");
  EXPECT_EQ(page.Text({"metadata", "resourceVersion"}), version);
}

TEST_F(ListTest, ALimitThatFitsHasNoContinue) {
  for (const std::string_view name : {"a", "b"}) Create(name);
  EXPECT_EQ(List("?limit=2").Text({"metadata", "continue"}), "");
  EXPECT_EQ(Names(List("?limit=0")).size(), 2u);
  EXPECT_EQ(Names(List("?limit=-1")).size(), 2u);
  EXPECT_EQ(List("?limit=x").status, 400);
}

TEST_F(ListTest, StreamsMoreThanOneReadTakes) {
  api.Insert(kGroup, "asyncoperations", ManyOperations(1203));
  EXPECT_EQ(Names(List()).size(), 1203u);
  const ApiResponse page = List("?limit=1100");
  EXPECT_EQ(Names(page).size(), 1100u);
  const ApiResponse rest = List("?limit=1100&continue=" + page.Text({"metadata", "continue"}));
  EXPECT_EQ(Names(rest).size(), 103u);
  EXPECT_EQ(Names(rest).front(), "op-2100");
}

TEST_F(ListTest, IsNotMadeAheadOfTheClient) {
  api.Insert(kGroup, "asyncoperations", ManyOperations(600));
  http::Response answer;
  api.Start(ApiHarness::MakeRequest("GET", kOperations, "", {}),
            [&answer](http::Response response) { answer = std::move(response); });
  std::string out;
  EXPECT_EQ(answer.source->Read(&out), http::BodySource::State::kMore);
  EXPECT_LT(out.size(), 80u * 1024);
}

TEST_F(ListTest, SelectsByLabelsAndFields) {
  Create("a", R"({"metadata":{"labels":{"tier":"gold","n":"5"}}})");
  Create("b", R"({"metadata":{"labels":{"tier":"tin"}},"spec":{"type":"Delete"}})");
  Create("c", R"({"spec":{"externalSystemRef":{"name":"other"}}})");
  struct Row {
    std::string_view reason;
    std::string_view query;
    std::vector<std::string> names;
  };
  const std::vector<Row> table = {
      {"equality", "?labelSelector=tier%3Dgold", {"a"}},
      {"inequality takes in who has none", "?labelSelector=tier!%3Dgold", {"b", "c"}},
      {"sets", "?labelSelector=tier%20in%20(gold,tin)", {"a", "b"}},
      {"existence", "?labelSelector=tier", {"a", "b"}},
      {"absence", "?labelSelector=!tier", {"c"}},
      {"numbers", "?labelSelector=n%3E4", {"a"}},
      {"both at once", "?labelSelector=tier,!n", {"b"}},
      {"a name", "?fieldSelector=metadata.name%3Db", {"b"}},
      {"not a name", "?fieldSelector=metadata.name!%3Db", {"a", "c"}},
      {"a namespace", "?fieldSelector=metadata.namespace%3Dteam-a", {"a", "b", "c"}},
      {"a field", "?fieldSelector=spec.type%3DDelete", {"b"}},
      {"a reference", "?fieldSelector=spec.externalSystemRef.name%3Dother", {"c"}},
      {"the phase", "?fieldSelector=status.phase%3DPending", {"a", "b", "c"}},
      {"fields and labels", "?fieldSelector=spec.type%3DCreate&labelSelector=tier", {"a"}},
      {"nobody", "?labelSelector=tier%3Dlead", {}},
      {"paged", "?labelSelector=tier&limit=1", {"a"}},
  };
  for (const Row& row : table) EXPECT_EQ(Names(List(row.query)), row.names) << row.reason;
}

TEST_F(ListTest, SelectsByTheTimeOfCreation) {
  Create("early");
  const std::string then = FormatTime(api.clock().Now() + std::chrono::seconds(1));
  api.clock().Advance(std::chrono::hours(30));
  Create("late");
  EXPECT_THAT(Names(List("?createdAfter=" + then)), ElementsAre("late"));
  EXPECT_THAT(Names(List("?createdBefore=" + then)), ElementsAre("early"));
  EXPECT_THAT(Names(List("?createdAfter=" + then + "&createdBefore=" + then)), IsEmpty());
  EXPECT_THAT(Names(List("?completedAfter=" + then)), IsEmpty()) << "neither is over";
  EXPECT_THAT(Names(List("?createdAfter=2020-01-01T00:00:00Z&limit=5")),
              ElementsAre("early", "late"));
}

TEST_F(ListTest, ATimeThatIsNoneIsRefused) {
  const ApiResponse refused = List("?completedBefore=yesterday");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.Text({"message"}),
            "completedBefore must be a time of RFC 3339, such as 2026-11-29T16:47:53Z");
  EXPECT_EQ(api.Get("/api/v1/namespaces/team-a/secrets?createdAfter=2020-01-01T00:00:00Z")
                .Text({"message"}),
            "createdAfter selects asyncoperations, not secrets");
}

TEST_F(ListTest, AFailureCodeCanBeSelected) {
  Create("a");
  Create("b");
  ASSERT_EQ(api.Patch(At(kOperations, "a/status"), R"({"status":{"failureDetails":[
                {"code":"DataQuotaExceeded","message":"m","timestamp":"2026-01-01T00:00:00Z"}]}})")
                .status,
            200);
  EXPECT_THAT(Names(List("?fieldSelector=status.failureCode%3DDataQuotaExceeded")),
              ElementsAre("a"));
}

struct Refusal {
  std::string_view reason;
  std::string query;
  int code;
  std::string_view message;  // a part of it
};

TEST_F(ListTest, RefusesWhatItCannotMean) {
  Create("a");
  const std::string continued = "&continue=" + ContinueToken{3, "team-a", "a"}.Encode();
  const std::vector<Refusal> table = {
      {"an unknown field", "?fieldSelector=spec.bogus%3Da", 400,
       "\"spec.bogus\" is not a known field selector: only \"metadata.name\""},
      {"a broken field selector", "?fieldSelector=a", 400, "selector"},
      {"a broken label selector", "?labelSelector=a%20in%20(", 400, "unable to parse requirement"},
      {"a version that is no number", "?resourceVersion=abc", 422,
       "resourceVersion: Invalid value"},
      {"a match without a version", "?resourceVersionMatch=Exact", 422,
       "resourceVersionMatch is forbidden unless resourceVersion is provided"},
      {"exactly any version", "?resourceVersionMatch=Exact&resourceVersion=0", 422,
       "resourceVersionMatch \"Exact\" is forbidden for resourceVersion \"0\""},
      {"an unknown match", "?resourceVersionMatch=About&resourceVersion=1", 422,
       "resourceVersionMatch: Unsupported value: \"About\""},
      {"a page of two moments", "?limit=1&resourceVersion=2" + continued, 400,
       "specifying resource version is not allowed when using continue"},
      {"a match of a page", "?resourceVersionMatch=Exact&resourceVersion=0" + continued, 422,
       "resourceVersionMatch is forbidden"},
      {"events of a list", "?sendInitialEvents=true", 422,
       "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"},
      {"a version that is to come", "?resourceVersion=99", 504,
       "Timeout: Too large resource version: 99, current: 4"},
  };
  for (const Refusal& row : table) {
    const ApiResponse refused = List(row.query);
    EXPECT_EQ(refused.status, row.code) << row.reason << refused.body;
    EXPECT_THAT(refused.Text({"message"}), HasSubstr(std::string(row.message))) << row.reason;
  }
}

TEST_F(ListTest, VersionsAreAnyAtLeastOrExact) {
  Create("a");  // 4
  Create("b");  // 5
  EXPECT_EQ(Names(List("?resourceVersion=0")).size(), 2u);
  EXPECT_EQ(Names(List("?resourceVersion=4")).size(), 2u);
  EXPECT_EQ(Names(List("?resourceVersion=4&resourceVersionMatch=NotOlderThan")).size(), 2u);
  const ApiResponse exact = List("?resourceVersion=4&resourceVersionMatch=Exact");
  EXPECT_THAT(Names(exact), ElementsAre("a"));
  EXPECT_EQ(exact.Text({"metadata", "resourceVersion"}), "4");
  // The old meaning of a version beside a limit.
  EXPECT_THAT(Names(List("?resourceVersion=4&limit=5")), ElementsAre("a"));
}

std::string Token(std::string_view json) { return Base64UrlEncode(json); }

TEST_F(ListTest, ATokenThatIsNotOursIsRefused) {
  Create("a");
  const std::vector<std::pair<std::string, std::string>> table = {
      {"no base64", "!!!"},
      {"no JSON", Token("{")},
      {"no object", Token("[]")},
      {"another version", Token(R"({"v":"v2","rv":3,"start":"team-a/a\u0000"})")},
      {"no resource version", Token(R"({"v":"meta.k8s.io/v1","start":"team-a/a\u0000"})")},
      {"a negative one", Token(R"({"v":"meta.k8s.io/v1","rv":-2,"start":"team-a/a\u0000"})")},
      {"no start", Token(R"({"v":"meta.k8s.io/v1","rv":3})")},
      {"a start that climbs", Token(R"({"v":"meta.k8s.io/v1","rv":3,"start":"../../secrets"})")},
      {"a start with a slash", Token(R"({"v":"meta.k8s.io/v1","rv":3,"start":"a/b/c"})")},
  };
  for (const auto& [reason, token] : table) {
    const ApiResponse refused = List("?limit=1&continue=" + token);
    EXPECT_EQ(refused.status, 400) << reason << refused.body;
    EXPECT_THAT(refused.Text({"message"}), testing::StartsWith("invalid continue token: "))
        << reason;
  }
  // A token of a moment that is to come.
  EXPECT_EQ(List("?limit=1&continue=" + ContinueToken{99, "team-a", "a"}.Encode()).status, 400);
}

TEST_F(ListTest, ATokenLeadsNowhereOutOfItsNamespace) {
  ASSERT_EQ(
      api.Send("POST", "/api/v1/namespaces/default/secrets", EncodeJson(SecretObject("d"))).status,
      201);
  const std::string token = ContinueToken{3, "default", "a"}.Encode();
  EXPECT_THAT(Names(api.Get(std::string(kSecrets) + "?limit=5&continue=" + token)), IsEmpty());
}

TEST_F(ListTest, AnOldTokenExpiresAndTellsHowToGoOn) {
  for (const std::string_view name : {"a", "b", "c"}) Create(name);
  const std::string token = List("?limit=1").Text({"metadata", "continue"});
  const std::string version = std::to_string(api.store().revision());
  // Compaction runs with a write, after the retention.
  ApiResponse expired;
  for (int i = 0; i < 50 && expired.status != 410; ++i) {
    api.clock().Advance(std::chrono::minutes(6));
    ASSERT_EQ(api.Patch(At(kOperations, "c"),
                        R"({"metadata":{"labels":{"n":")" + std::to_string(i) + R"("}}})")
                  .status,
              200);
    expired = List("?limit=1&continue=" + token);
  }
  EXPECT_EQ(expired.status, 410) << expired.body;
  EXPECT_EQ(expired.Text({"reason"}), "Expired");
  EXPECT_THAT(expired.Text({"message"}),
              testing::StartsWith("The provided continue parameter is too old to display a "
                                  "consistent list result. You can start a new list without"));
  const ApiResponse rest = List("?limit=5&continue=" + expired.Text({"metadata", "continue"}));
  EXPECT_THAT(Names(rest), ElementsAre("b", "c"));
  const ApiResponse exact = List("?resourceVersionMatch=Exact&resourceVersion=" + version);
  EXPECT_EQ(exact.status, 410);
  EXPECT_EQ(exact.Text({"message"}), "The resourceVersion for the provided list is too old.");
}

TEST_F(ListTest, AnswersMetadataAlone) {
  Create("a");
  const ApiResponse list =
      List("", {{"Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}});
  EXPECT_EQ(list.Text({"kind"}), "PartialObjectMetadataList");
  EXPECT_EQ(list.Text({"apiVersion"}), "meta.k8s.io/v1");
  const Json item = list.json().Find("items")->as_array().front();
  EXPECT_EQ(item.StringAt({"kind"}), "PartialObjectMetadata");
  EXPECT_EQ(item.StringAt({"metadata", "name"}), "a");
  EXPECT_EQ(item.Find("spec"), nullptr);
}

}  // namespace
}  // namespace asyncops::apiserver
