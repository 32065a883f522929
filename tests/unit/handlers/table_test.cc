#include "apiserver/handlers/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kTable =
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;"
    "g=meta.k8s.io,application/json";

struct TableTest : testing::Test {
  ApiResponse Table(std::string_view target) {
    return api.Get(target, {{"Accept", std::string(kTable)}});
  }
  // "NAME[priority] ..." of the columns.
  static std::string Columns(const ApiResponse& table) {
    std::string out;
    const Json json = table.json();
    for (const Json& column : json.Find("columnDefinitions")->as_array()) {
      out += (out.empty() ? "" : " ") + std::string(column.StringAt({"name"}));
      if (column.IntAt({"priority"}, 0) > 0) out += "+";
    }
    return out;
  }
  static std::string Cells(const ApiResponse& table, std::size_t row = 0) {
    const Json json = table.json();
    return EncodeJson(*json.Find("rows")->as_array().at(row).Find("cells"));
  }
  ApiHarness api;
};

TEST_F(TableTest, OfOperations) {
  ASSERT_EQ(api.Send("POST", kOperations, With(OperationObject("o"), R"({"spec":{"resourceRef":{
      "apiVersion":"asyncops.dev/v1alpha1","kind":"AsyncResource","name":"data-volume"}}})"))
                .status,
            201);
  const ApiResponse patched = api.Patch(At(kOperations, "o/status"), R"({"status":{
      "phase":"Running","state":"Backoff","operationID":"12345","retryCount":3,
      "nextAttemptTime":"2026-01-01T00:01:38Z","externalSystemURL":"https://x.example/12345",
      "conditions":[{"type":"Ready","status":"False","reason":"Throttled","message":"",
                     "lastTransitionTime":"2026-01-01T00:00:00Z"}]}})");
  ASSERT_EQ(patched.status, 200) << patched.body;
  api.clock().Advance(std::chrono::seconds(90));
  const ApiResponse table = Table(kOperations);
  EXPECT_EQ(table.headers.Get("Content-Type"), "application/json");
  EXPECT_EQ(Columns(table),
            "Name Type Resource Phase State Operation-ID Retries Age Next+ External-System+ "
            "Reason+ URL+");
  EXPECT_EQ(Cells(table),
            R"(["o","Create","asyncresource/data-volume","Running","Backoff","12345",3,"90s","8s",)"
            R"("acme-cloud","Throttled","https://x.example/12345"])");
  EXPECT_EQ(table.Text({"kind"}), "Table");
  EXPECT_EQ(table.Text({"apiVersion"}), "meta.k8s.io/v1");
  EXPECT_EQ(table.Text({"metadata", "resourceVersion"}), "5");
}

TEST_F(TableTest, OfAnOperationThatSaysNothingYet) {
  ASSERT_EQ(api.Send("POST", kOperations, EncodeJson(OperationObject("o"))).status, 201);
  EXPECT_EQ(Cells(Table(kOperations)),
            R"(["o","Create","","Pending","Pending","",0,"0s","","acme-cloud","",""])");
}

TEST_F(TableTest, OfResourcesSystemsSecretsAndNamespaces) {
  ASSERT_EQ(api.Send("POST", kResources, EncodeJson(ResourceObject("v"))).status, 201);
  ASSERT_EQ(api.Send("POST", kSystems, EncodeJson(SystemObject("acme-cloud"))).status, 201);
  ASSERT_EQ(api.Send("POST", kSecrets, EncodeJson(SecretObject("s"))).status, 201);
  api.clock().Advance(std::chrono::hours(5));
  struct Row {
    std::string_view reason;
    std::string_view target;
    std::string_view columns;
    std::string_view cells;
  };
  const std::vector<Row> rows = {
      {"asyncresources", kResources, "Name Phase Ready Operation-ID Retries Age Reason+ URL+",
       R"(["v","","","",0,"5h","",""])"},
      {"externalsystems", kSystems, "Name Preset Endpoint Age",
       R"(["acme-cloud","AcceptedLocation","https://api.acme.example/v1","5h"])"},
      {"secrets", kSecrets, "Name Type Data Age", R"(["s","Opaque",1,"5h"])"},
      {"namespaces", kNamespaces, "Name Status Age", R"(["default","Active","5h"])"},
  };
  for (const Row& row : rows) {
    const ApiResponse table = Table(row.target);
    EXPECT_EQ(Columns(table), row.columns) << row.reason;
    EXPECT_EQ(Cells(table), row.cells) << row.reason;
  }
}

TEST_F(TableTest, OfEvents) {
  const std::string events = At(kNamespaces, "team-a/events");
  const ApiResponse made = api.Send("POST", events, R"({"apiVersion":"v1","kind":"Event",
      "metadata":{"name":"e"},"involvedObject":{"kind":"AsyncResource","name":"v",
      "namespace":"team-a"},"reason":"Submitted","message":"It \"runs\".","type":"Normal",
      "source":{"component":"asyncops"},"count":2,"firstTimestamp":"2026-01-01T00:00:00Z",
      "lastTimestamp":"2026-01-01T00:01:00Z"})");
  ASSERT_EQ(made.status, 201) << made.body;
  api.clock().Advance(std::chrono::minutes(2));
  const ApiResponse table = Table(events);
  EXPECT_EQ(Columns(table),
            "Last Seen Type Reason Object Subobject+ Source+ Message First Seen+ Count+ Name+");
  EXPECT_EQ(Cells(table),
            R"(["60s","Normal","Submitted","asyncresource/v","","asyncops","It \"runs\".","2m",2,)"
            R"("e"])");
}

TEST_F(TableTest, RowsCarryWhatIsAskedOfTheObject) {
  ASSERT_EQ(api.Send("POST", kSecrets, EncodeJson(SecretObject("s"))).status, 201);
  const auto object = [this](std::string_view query) {
    const Json table = Table(std::string(kSecrets) + std::string(query)).json();
    return *table.Find("rows")->as_array().front().Find("object");
  };
  const Json metadata = object("");
  EXPECT_EQ(metadata.StringAt({"kind"}), "PartialObjectMetadata");
  EXPECT_EQ(metadata.StringAt({"apiVersion"}), "meta.k8s.io/v1");
  EXPECT_EQ(metadata.StringAt({"metadata", "name"}), "s");
  EXPECT_EQ(metadata.StringAt({"metadata", "namespace"}), "team-a");
  EXPECT_EQ(metadata.Find("data"), nullptr);
  EXPECT_EQ(object("?includeObject=Metadata"), metadata);
  EXPECT_EQ(object("?includeObject=Object"), api.Get(At(kSecrets, "s")).json());
  EXPECT_TRUE(object("?includeObject=None").is_null());
  EXPECT_EQ(Table(std::string(kSecrets) + "?includeObject=x").status, 400);
}

TEST_F(TableTest, OfOneObjectHasItsVersion) {
  const ApiResponse made = api.Send("POST", kSecrets, EncodeJson(SecretObject("s")));
  const ApiResponse table = Table(At(kSecrets, "s"));
  EXPECT_EQ(Columns(table), "Name Type Data Age");
  EXPECT_EQ(Cells(table), R"(["s","Opaque",1,"0s"])");
  EXPECT_EQ(table.Text({"metadata", "resourceVersion"}),
            made.Text({"metadata", "resourceVersion"}));
}

TEST_F(TableTest, PagesLikeAList) {
  for (const std::string_view name : {"a", "b", "c"})
    ASSERT_EQ(api.Send("POST", kSecrets, EncodeJson(SecretObject(name))).status, 201);
  const ApiResponse first = Table(std::string(kSecrets) + "?limit=2");
  const ApiResponse second =
      Table(std::string(kSecrets) + "?limit=2&continue=" + first.Text({"metadata", "continue"}));
  EXPECT_EQ(Cells(second), R"(["c","Opaque",1,"0s"])");
  EXPECT_EQ(second.Text({"metadata", "continue"}), "");
}

TEST_F(TableTest, FailuresAreNoTables) {
  const ApiResponse refused = Table(At(kSecrets, "nothing"));
  EXPECT_EQ(refused.status, 404);
  EXPECT_EQ(refused.Text({"kind"}), "Status");
}

TEST_F(TableTest, HasAFirstColumnThatIsAName) {
  const Json table = Table(kSecrets).json();
  const Json& first = table.Find("columnDefinitions")->as_array().front();
  EXPECT_EQ(first.StringAt({"format"}), "name");
  EXPECT_EQ(first.StringAt({"type"}), "string");
  EXPECT_EQ(EncodeJson(*table.Find("rows")), "[]");
}

}  // namespace
}  // namespace asyncops::apiserver
