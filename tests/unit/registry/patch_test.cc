#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

using testing::HasSubstr;

struct PatchTest : testing::Test {
  PatchTest() : object(api.Send("POST", kResources, EncodeJson(ResourceObject("v"))).json()) {}
  ApiResponse Patch(std::string patch, std::string_view suffix = "") {
    return api.Patch(At(kResources, "v") + std::string(suffix), std::move(patch));
  }
  ApiHarness api;
  const Json object;
};

TEST_F(PatchTest, MergesWithoutAResourceVersion) {
  const ApiResponse patched = Patch(R"({"spec":{"parameters":{"size":"20Gi"}}})");
  EXPECT_EQ(patched.status, 200) << patched.body;
  EXPECT_EQ(patched.Text({"spec", "parameters", "size"}), "20Gi");
  EXPECT_EQ(patched.Text({"metadata", "generation"}), "2");
}

TEST_F(PatchTest, AppliesAJsonPatch) {
  const ApiResponse patched = Patch(
      R"([{"op":"test","path":"/spec/parameters/size","value":"10Gi"},
          {"op":"add","path":"/metadata/labels","value":{"a":"b"}}])");
  EXPECT_EQ(patched.status, 200) << patched.body;
  EXPECT_EQ(patched.Text({"metadata", "labels", "a"}), "b");
}

struct Refusal {
  std::string_view reason;
  std::string patch;
  int code;
  std::string_view status_reason;
  std::string_view message;  // a part of it
};

TEST_F(PatchTest, RefusesWhatCannotBeApplied) {
  std::string many = "[";
  for (int i = 0; i < 10001; ++i)
    many += std::string(i == 0 ? "" : ",") + R"({"op":"test","path":"","value":1})";
  many += "]";
  const std::vector<Refusal> table = {
      {"a test that fails", R"([{"op":"test","path":"/spec/parameters/size","value":"1"}])", 422,
       "Invalid", "the value there is another"},
      {"a path that is not there", R"([{"op":"remove","path":"/spec/nothing"}])", 422, "Invalid",
       "the path does not exist"},
      {"an unknown operation", R"([{"op":"tickle","path":"/spec"}])", 400, "BadRequest",
       "unknown op"},
      {"an operation that is none", R"([7])", 400, "BadRequest", "must be an object"},
      {"too many operations", many, 413, "RequestEntityTooLarge", ""},
      {"a stale version", R"({"metadata":{"resourceVersion":"1","labels":{"a":"b"}}})", 409,
       "Conflict", "the object has been modified"},
      {"another name", R"({"metadata":{"name":"w"}})", 400, "BadRequest",
       "the name of the object (w) does not match the name on the URL (v)"},
      {"another namespace", R"({"metadata":{"namespace":"w"}})", 400, "BadRequest",
       "does not match the namespace on the request"},
      {"a result that is invalid", R"({"spec":{"externalSystemRef":null}})", 422, "Invalid",
       "spec.externalSystemRef: Required value"},
      {"metadata that is gone", R"({"metadata":null})", 400, "BadRequest", "name must be provided"},
      {"another uid", R"({"metadata":{"uid":"other"}})", 409, "Conflict", "Precondition failed"},
  };
  for (const Refusal& row : table) {
    const ApiResponse refused = Patch(row.patch);
    EXPECT_EQ(refused.status, row.code) << row.reason << refused.body;
    EXPECT_EQ(refused.Text({"reason"}), row.status_reason) << row.reason;
    EXPECT_THAT(refused.Text({"message"}), HasSubstr(std::string(row.message))) << row.reason;
    EXPECT_EQ(api.Get(At(kResources, "v")).json(), object) << row.reason;
  }
}

TEST_F(PatchTest, RefusesBrokenTextAndOtherTypes) {
  struct Row {
    std::string_view reason;
    std::string_view type;
    std::string_view body;
    int code;
  };
  const std::vector<Row> table = {
      {"broken merge patch", "application/merge-patch+json", "{", 400},
      {"a merge patch that is a list", "application/merge-patch+json", "[]", 400},
      {"broken JSON patch", "application/json-patch+json", "[", 400},
      {"a JSON patch that is an object", "application/json-patch+json", "{}", 400},
      {"strategic merge is for built-in kinds", "application/strategic-merge-patch+json", "{}",
       415},
      {"plain JSON is no patch", "application/json", "{}", 415},
      {"no type", "", "{}", 415},
  };
  for (const Row& row : table) {
    const ApiResponse refused = api.Send("PATCH", At(kResources, "v"), std::string(row.body),
                                         {{"Content-Type", std::string(row.type)}});
    EXPECT_EQ(refused.status, row.code) << row.reason << refused.body;
    if (row.code != 415) continue;
    EXPECT_EQ(refused.Text({"reason"}), "UnsupportedMediaType") << row.reason;
    EXPECT_EQ(refused.Text({"message"}),
              "the body of the request was in an unknown format - accepted media types include: "
              "application/json-patch+json, application/merge-patch+json, "
              "application/apply-patch+yaml");
  }
}

TEST_F(PatchTest, ForceIsForServerSideApply) {
  const ApiResponse refused = Patch("{}", "?force=true");
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.Text({"message"}),
            "PatchOptions.meta.k8s.io \"\" is invalid: force: Forbidden: may not be specified for "
            "non-apply patch");
}

TEST_F(PatchTest, ThatChangesNothingWritesNothing) {
  const storage::Revision before = api.store().revision();
  EXPECT_EQ(Patch(R"({"spec":{"parameters":{"size":"10Gi"}}})").json(), object);
  EXPECT_EQ(Patch("[]").json(), object);
  EXPECT_EQ(api.store().revision(), before);
}

TEST_F(PatchTest, OfTheStatusLeavesTheRest) {
  const ApiResponse patched =
      Patch(R"({"spec":{"parameters":{"size":"20Gi"}},"status":{"phase":"Ready"}})", "/status");
  EXPECT_EQ(patched.status, 200) << patched.body;
  EXPECT_EQ(patched.Text({"status", "phase"}), "Ready");
  EXPECT_EQ(patched.Text({"spec", "parameters", "size"}), "10Gi");
}

TEST_F(PatchTest, OfTheMainResourceLeavesTheStatus) {
  ASSERT_EQ(Patch(R"({"status":{"phase":"Ready"}})", "/status").status, 200);
  const ApiResponse patched = Patch(R"({"status":{"phase":"Failed"}})");
  EXPECT_EQ(patched.status, 200) << patched.body;
  EXPECT_EQ(patched.Text({"status", "phase"}), "Ready");
}

TEST_F(PatchTest, UnknownFieldsFollowTheFieldValidation) {
  const ApiResponse strict = Patch(R"({"spec":{"bogus":1}})", "?fieldValidation=Strict");
  EXPECT_EQ(strict.status, 422);
  EXPECT_EQ(strict.Text({"reason"}), "Invalid");
  EXPECT_EQ(strict.Text({"message"}),
            " \"\" is invalid: patch: Invalid value: strict decoding error: unknown field "
            "\"spec.bogus\"");
  EXPECT_EQ(strict.Text({"details", "causes"}),
            R"([{"field":"patch","message":"Invalid value: strict decoding error: unknown field )"
            R"(\"spec.bogus\"","reason":"FieldValueInvalid"}])");
  const ApiResponse twice =
      Patch(R"({"spec":{"parameters":{"a":1,"a":2}}})", "?fieldValidation=Strict");
  EXPECT_EQ(twice.status, 422);
  EXPECT_THAT(twice.Text({"message"}), HasSubstr("duplicate field \"spec.parameters.a\""));
  const ApiResponse warned = Patch(R"({"spec":{"bogus":1}})");
  EXPECT_EQ(warned.status, 200);
  EXPECT_EQ(warned.headers.Get("Warning"), "299 - \"unknown field \\\"spec.bogus\\\"\"");
}

TEST_F(PatchTest, MembersThatNoOperationHasFollowTheFieldValidation) {
  static constexpr std::string_view kPatch =
      R"([{"op":"add","path":"/metadata/labels","value":{"a":"b"}},
          {"op":"test","path":"/metadata/name","value":"v","foo":1,"OP":"add"},
          {"op":"test","op":"test","path":"/metadata/name","value":"v"}])";
  const auto patch = [this](std::string_view query) {
    return api.Send("PATCH", At(kResources, "v") + std::string(query), std::string(kPatch),
                    {{"Content-Type", "application/json-patch+json"}});
  };
  const ApiResponse strict = patch("?fieldValidation=Strict");
  EXPECT_EQ(strict.status, 422) << strict.body;
  EXPECT_EQ(strict.Text({"message"}),
            " \"\" is invalid: patch: Invalid value: strict decoding error: json patch unknown "
            "field \"[1].OP\", json patch unknown field \"[1].foo\", json patch duplicate field "
            "\"[2].op\"");
  const ApiResponse warned = patch("");
  EXPECT_EQ(warned.status, 200) << warned.body;
  EXPECT_THAT(warned.headers.GetAll("Warning"),
              testing::ElementsAre(R"(299 - "json patch unknown field \"[1].OP\"")",
                                   R"(299 - "json patch unknown field \"[1].foo\"")",
                                   R"(299 - "json patch duplicate field \"[2].op\"")"));
  const ApiResponse ignored = patch("?fieldValidation=Ignore");
  EXPECT_EQ(ignored.status, 200) << ignored.body;
  EXPECT_THAT(ignored.headers.GetAll("Warning"), testing::IsEmpty());
}

TEST_F(PatchTest, NullEndsADeletionByTakingTheFinalizers) {
  ASSERT_EQ(Patch(R"({"metadata":{"finalizers":["a.example/x"]}})").status, 200);
  ASSERT_EQ(api.Send("DELETE", At(kResources, "v")).status, 200);
  const ApiResponse patched = Patch(R"({"metadata":{"finalizers":null}})");
  EXPECT_EQ(patched.status, 200) << patched.body;
  EXPECT_NE(patched.Text({"metadata", "deletionTimestamp"}), "");
  EXPECT_EQ(api.Get(At(kResources, "v")).status, 404);
}

TEST_F(PatchTest, OfNothingIsNotFound) {
  EXPECT_EQ(api.Patch(At(kResources, "w"), "{}").status, 404);
}

TEST_F(PatchTest, ADryRunLeavesTheObject) {
  EXPECT_EQ(Patch(R"({"spec":{"parameters":{"size":"9"}}})", "?dryRun=All").status, 200);
  EXPECT_EQ(api.Get(At(kResources, "v")).json(), object);
}

}  // namespace
}  // namespace asyncops::apiserver
