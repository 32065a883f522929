#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

struct DeleteTest : testing::Test {
  DeleteTest() : object(api.Send("POST", kResources, EncodeJson(ResourceObject("v"))).json()) {}
  ApiResponse Delete(std::string body = "", std::string_view query = "") {
    return api.Send("DELETE", At(kResources, "v") + std::string(query), std::move(body));
  }
  std::string Uid() const { return std::string(object.StringAt({"metadata", "uid"})); }
  ApiHarness api;
  const Json object;
};

TEST_F(DeleteTest, AnswersWhatIsGone) {
  // kubectl's body.
  const ApiResponse gone = Delete("{\"propagationPolicy\":\"Background\"}\n");
  EXPECT_EQ(gone.status, 200);
  EXPECT_EQ(EncodeJson(gone.json()),
            R"({"apiVersion":"v1","details":{"group":"asyncops.dev","kind":"asyncresources",)"
            R"("name":"v","uid":")" +
                Uid() + R"("},"kind":"Status","metadata":{},"status":"Success"})");
  EXPECT_EQ(api.Get(At(kResources, "v")).status, 404);
  EXPECT_EQ(Delete().status, 404);
}

TEST_F(DeleteTest, WaitsForFinalizers) {
  ASSERT_EQ(api.Patch(At(kResources, "v"), R"({"metadata":{"finalizers":["a.example/x"]}})").status,
            200);
  const ApiResponse marked = Delete();
  EXPECT_EQ(marked.status, 200);
  EXPECT_EQ(marked.Text({"kind"}), "AsyncResource");
  EXPECT_EQ(marked.Text({"metadata", "deletionTimestamp"}), "2026-01-01T00:00:00Z");
  EXPECT_EQ(marked.Text({"metadata", "deletionGracePeriodSeconds"}), "0");
  EXPECT_EQ(marked.Text({"metadata", "generation"}), "2");
  // A second time changes nothing: the first deletion stands.
  api.clock().Advance(std::chrono::seconds(5));
  EXPECT_EQ(Delete().json(), marked.json());
}

TEST_F(DeleteTest, AnswersInTheRepresentationThatWasAskedFor) {
  ASSERT_EQ(api.Patch(At(kResources, "v"), R"({"metadata":{"finalizers":["a.example/x"]}})").status,
            200);
  const auto delete_as = [this](std::string_view as) {
    return api.Send("DELETE", At(kResources, "v"), "",
                    {{"Accept", "application/json;v=v1;g=meta.k8s.io;as=" + std::string(as)}});
  };
  const ApiResponse table = delete_as("Table");
  EXPECT_EQ(table.status, 200) << table.body;
  EXPECT_EQ(table.Text({"kind"}), "Table");
  EXPECT_EQ(table.json().Find("rows")->as_array().front().StringAt({"object", "metadata", "name"}),
            "v");
  EXPECT_EQ(delete_as("PartialObjectMetadata").Text({"kind"}), "PartialObjectMetadata");
  EXPECT_EQ(delete_as("Nothing").status, 406);
  ASSERT_EQ(api.Patch(At(kResources, "v"), R"({"metadata":{"finalizers":null}})").status, 200);
  EXPECT_EQ(api.Send("POST", kResources, EncodeJson(ResourceObject("v"))).status, 201);
  EXPECT_EQ(delete_as("Nothing").status, 406) << "and nothing is deleted";
  EXPECT_EQ(delete_as("Table").Text({"kind"}), "Status") << "what is gone is no row";
}

TEST_F(DeleteTest, HoldsToPreconditions) {
  const ApiResponse other = Delete(R"({"preconditions":{"uid":"other"}})");
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(other.Text({"reason"}), "Conflict");
  EXPECT_EQ(other.Text({"message"}),
            "Operation cannot be fulfilled on asyncresources.asyncops.dev \"v\": the UID in the "
            "precondition (other) does not match the UID in record (" +
                Uid() + "). The object might have been deleted and then recreated");
  const ApiResponse stale = Delete(R"({"preconditions":{"resourceVersion":"1"}})");
  EXPECT_EQ(stale.status, 409);
  EXPECT_THAT(stale.Text({"message"}),
              testing::HasSubstr("the ResourceVersion in the precondition (1) does not match"));
  EXPECT_EQ(Delete(R"({"preconditions":{"uid":")" + Uid() + R"("}})").status, 200);
}

TEST_F(DeleteTest, ADryRunLeavesTheObject) {
  for (const auto& [body, query] : std::vector<std::pair<std::string, std::string>>{
           {R"({"dryRun":["All"]})", ""}, {"", "?dryRun=All"}, {"{}", "?dryRun=All"}}) {
    const ApiResponse gone = Delete(body, query);
    EXPECT_EQ(gone.status, 200);
    EXPECT_EQ(gone.Text({"status"}), "Success");
    EXPECT_EQ(gone.Text({"details", "uid"}), Uid());
    EXPECT_EQ(api.Get(At(kResources, "v")).json(), object);
  }
}

struct Refusal {
  std::string_view reason;
  std::string_view body;
  std::string_view query;
  int code;
  std::string_view message;  // a part of it
};

TEST_F(DeleteTest, RefusesOptionsThatDoNotHold) {
  const std::vector<Refusal> table = {
      {"two ways to say it", R"({"orphanDependents":true,"propagationPolicy":"Background"})", "",
       422, "orphanDependents and deletionPropagation cannot be both set"},
      {"the same in the query", "", "?orphanDependents=true&propagationPolicy=Orphan", 422,
       "cannot be both set"},
      {"an unknown policy", R"({"propagationPolicy":"Sideways"})", "", 422,
       "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported value"},
      {"an unknown dry run", "", "?dryRun=Some", 422, "supported values: \"All\""},
      {"an unknown dry run in the body", R"({"dryRun":["Some"]})", "", 422, "values: \"All\""},
      {"another kind", R"({"kind":"Secret"})", "", 400, "must be DeleteOptions"},
      {"a period that is none", R"({"gracePeriodSeconds":"soon"})", "", 400,
       "DeleteOptions.gracePeriodSeconds must be of type integer, not string"},
      {"the same in the query", "", "?gracePeriodSeconds=soon", 400, "must be a number"},
      {"a text for a switch", R"({"orphanDependents":"no"})", "", 400, "must be of type boolean"},
      {"a dry run that is no list", R"({"dryRun":"All"})", "", 400,
       "DeleteOptions.dryRun must be of type array, not string"},
      {"a policy that is no text", R"({"propagationPolicy":["Orphan"]})", "", 400,
       "DeleteOptions.propagationPolicy must be of type string, not array"},
      {"preconditions that are no object", R"({"preconditions":"uid"})", "", 400,
       "DeleteOptions.preconditions must be of type object, not string"},
      {"a version that is a number", R"({"preconditions":{"resourceVersion":1}})", "", 400,
       "DeleteOptions.preconditions.resourceVersion must be of type string, not integer"},
      {"a uid that is none", R"({"preconditions":{"uid":true}})", "", 400,
       "DeleteOptions.preconditions.uid must be of type string, not boolean"},
      {"a kind that is no text", R"({"kind":1})", "", 400, "DeleteOptions.kind must be of type"},
      {"broken text", "{", "", 400, "does not parse"},
      {"no object", "[]", "", 400, "must be a JSON object"},
  };
  for (const Refusal& row : table) {
    const ApiResponse refused = Delete(std::string(row.body), row.query);
    EXPECT_EQ(refused.status, row.code) << row.reason << refused.body;
    EXPECT_THAT(refused.Text({"message"}), testing::HasSubstr(std::string(row.message)))
        << row.reason;
    EXPECT_EQ(api.Get(At(kResources, "v")).status, 200) << row.reason;
  }
}

TEST_F(DeleteTest, AGracePeriodChangesNothing) {
  for (const auto& [body, query] : std::vector<std::pair<std::string, std::string>>{
           {R"({"gracePeriodSeconds":0})", ""},
           {R"({"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1","gracePeriodSeconds":30})",
            ""},
           {"", "?gracePeriodSeconds=0"}}) {
    EXPECT_EQ(Delete(body, query).Text({"status"}), "Success") << body << query;
    ASSERT_EQ(api.Send("POST", kResources, EncodeJson(ResourceObject("v"))).status, 201);
  }
}

struct PolicyCase {
  std::string_view reason;
  std::string_view body;
  std::string_view query;
  std::string_view finalizers;  // afterwards; "" where it is gone
};

TEST_F(DeleteTest, APolicyThatNeedsWorkHoldsTheObject) {
  const std::vector<PolicyCase> table = {
      {"dependents first", R"({"propagationPolicy":"Foreground"})", "",
       R"(["foregroundDeletion"])"},
      {"the same in the query", "", "?propagationPolicy=Foreground", R"(["foregroundDeletion"])"},
      {"dependents stay", R"({"propagationPolicy":"Orphan"})", "", R"(["orphan"])"},
      {"the same as older clients say it", R"({"orphanDependents":true})", "", R"(["orphan"])"},
      {"in the query", "", "?orphanDependents=true", R"(["orphan"])"},
      {"dependents afterwards", R"({"propagationPolicy":"Background"})", "", ""},
      {"the same as older clients say it", R"({"orphanDependents":false})", "", ""},
  };
  for (const PolicyCase& row : table) {
    const ApiResponse deleted = Delete(std::string(row.body), row.query);
    EXPECT_EQ(deleted.status, 200) << row.reason;
    const Json kept = api.Get(At(kResources, "v")).json();
    const Json* finalizers = kept.FindPath({"metadata", "finalizers"});
    EXPECT_EQ(finalizers == nullptr ? "" : EncodeJson(*finalizers), row.finalizers) << row.reason;
    if (!row.finalizers.empty()) {
      EXPECT_EQ(deleted.Text({"kind"}), "AsyncResource") << row.reason;
      EXPECT_EQ(deleted.json(), kept) << row.reason;
      EXPECT_EQ(Delete(R"({"propagationPolicy":"Background"})").Text({"status"}), "Success");
    }
    ASSERT_EQ(api.Send("POST", kResources, EncodeJson(ResourceObject("v"))).status, 201);
  }
}

TEST_F(DeleteTest, WhoAskedForDependentsInTheOldWayHearsAccepted) {
  ASSERT_EQ(api.Patch(At(kResources, "v"), R"({"metadata":{"finalizers":["a.example/x"]}})").status,
            200);
  EXPECT_EQ(Delete(R"({"orphanDependents":false})").status, 202);
  EXPECT_EQ(Delete(R"({"propagationPolicy":"Background"})").status, 200);
}

TEST_F(DeleteTest, NoFinalizerComesAfterTheDeletion) {
  ASSERT_EQ(api.Patch(At(kResources, "v"), R"({"metadata":{"finalizers":["a.example/x"]}})").status,
            200);
  ASSERT_EQ(Delete().status, 200);
  const ApiResponse refused = api.Patch(
      At(kResources, "v"), R"({"metadata":{"finalizers":["a.example/x","b.example/y"]}})");
  EXPECT_EQ(refused.status, 422) << refused.body;
  EXPECT_THAT(refused.Text({"message"}),
              testing::HasSubstr("no new finalizers can be added if the object is being deleted"));
  EXPECT_EQ(api.Patch(At(kResources, "v"), R"({"metadata":{"finalizers":null}})").status, 200);
  EXPECT_EQ(api.Get(At(kResources, "v")).status, 404);
}

}  // namespace
}  // namespace asyncops::apiserver
