#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

using testing::HasSubstr;

constexpr std::string_view kKinds = R"("apiVersion":"operations.asyncops.dev/v1alpha1","kind":)";

struct ActTest : testing::Test {
  ActTest() {
    const ApiResponse made = api.Send("POST", kOperations, EncodeJson(OperationObject("o")));
    EXPECT_EQ(made.status, 201) << made.body;
    uid = made.Text({"metadata", "uid"});
  }
  // As the engine writes it.
  void SetStatus(std::string_view phase, std::string_view state) {
    const ApiResponse written =
        api.Patch(At(kOperations, "o/status"), R"({"status":{"phase":")" + std::string(phase) +
                                                   R"(","state":")" + std::string(state) + "\"}}");
    ASSERT_EQ(written.status, 200) << written.body;
  }
  ApiResponse Post(std::string_view action, std::string body = "",
                   const std::vector<ApiHeader>& headers = {}) {
    return api.Send("POST", At(kOperations, "o/" + std::string(action)), std::move(body), headers);
  }
  std::string Annotation(std::string_view name) {
    return api.Get(At(kOperations, "o")).Text({"metadata", "annotations", name});
  }
  ApiHarness api;
  std::string uid;
};

TEST_F(ActTest, CancelIsRecordedAsTheAnnotationThatTheEngineActsOn) {
  const ApiResponse answer = Post("cancel");
  EXPECT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(answer.Text({"kind"}), "AsyncOperation");
  EXPECT_EQ(answer.Text({"metadata", "uid"}), uid);
  const std::string at = Annotation("asyncops.dev/cancel-requested-at");
  EXPECT_THAT(at, testing::MatchesRegex("....-..-..T..:..:..\\.......Z"));
  EXPECT_EQ(answer.Text({"metadata", "annotations", "asyncops.dev/cancel-requested-at"}), at);
  EXPECT_EQ(answer.Text({"metadata", "generation"}), "1") << "an action is no change of the spec";
}

TEST_F(ActTest, WhoAskedIsWrittenDownAndCannotBeClaimed) {
  constexpr std::string_view kBy = "asyncops.dev/requested-by";
  EXPECT_EQ(Post("cancel").Text({"metadata", "annotations", kBy}), "tester");
  const auto annotate = [this](std::string_view name, std::string_view value) {
    Json patch = JsonObject();
    patch.ObjectAt("metadata")["annotations"].Set(name, Json(value));
    EXPECT_EQ(api.Patch(At(kOperations, "o"), EncodeJson(patch)).status, 200);
  };
  annotate(kBy, "mallory");
  EXPECT_EQ(Annotation(kBy), "tester");
  annotate("asyncops.dev/retry-requested-at", "now");
  EXPECT_EQ(Annotation(kBy), "tester") << "an annotation is a request like any other";
  EXPECT_EQ(Post("retry").Text({"metadata", "annotations", kBy}), "tester");
}

TEST_F(ActTest, AForcedAdoptionSaysSo) {
  SetStatus("Running", "OutcomeUnknown");
  EXPECT_EQ(Post("resolve", R"({"outcome":"Adopt","operationID":"op-7","force":true})").status,
            201);
  EXPECT_EQ(Annotation("asyncops.dev/resolve"), "ForceAdopt:op-7");
  EXPECT_EQ(Post("resolve", R"({"outcome":"Fail","force":true})").status, 422);
}

TEST_F(ActTest, ACancelThatReachesNothingOutsideIsWarnedOf) {
  EXPECT_THAT(Post("retry").headers.GetAll("Warning"), testing::IsEmpty());
  EXPECT_EQ(Post("cancel").headers.Get("Warning"),
            "299 - \"asyncoperations \\\"o\\\" declares no cancel: before it is sent it ends here; "
            "once it runs outside it cannot be stopped there, and is followed to its own end, or "
            "until spec.activeDeadline\"");
  const std::string system(OperationObject("o").StringAt({"spec", "externalSystemRef", "name"}));
  ASSERT_EQ(
      api.Send("POST", kSystems, With(SystemObject(system), R"({"spec":{"preset":"GoogleLRO"}})"))
          .status,
      201);
  EXPECT_THAT(Post("cancel").headers.GetAll("Warning"), testing::IsEmpty()) << "the preset has one";
}

TEST_F(ActTest, ACancelThatIsDeclaredIsNotWarnedOf) {
  const std::string declared =
      With(OperationObject("d"), R"({"spec":{"cancel":{"path":"/v1/operations/x"}}})");
  ASSERT_EQ(api.Send("POST", kOperations, declared).status, 201);
  const ApiResponse answer = api.Send("POST", At(kOperations, "d/cancel"));
  EXPECT_EQ(answer.status, 201) << answer.body;
  EXPECT_THAT(answer.headers.GetAll("Warning"), testing::IsEmpty());
}

TEST_F(ActTest, EachRequestIsANewValue) {
  EXPECT_EQ(Post("retry").status, 201);
  const std::string first = Annotation("asyncops.dev/retry-requested-at");
  api.clock().Advance(std::chrono::milliseconds(1));
  EXPECT_EQ(Post("retry").status, 201);
  EXPECT_NE(Annotation("asyncops.dev/retry-requested-at"), first);
}

TEST_F(ActTest, ResolveSaysHowTheDoubtEnds) {
  SetStatus("Running", "OutcomeUnknown");
  EXPECT_EQ(Post("resolve", R"({"outcome":"Adopt","operationID":"op-7"})").status, 201);
  EXPECT_EQ(Annotation("asyncops.dev/resolve"), "Adopt:op-7");
  EXPECT_EQ(Post("resolve", R"({"outcome":"Retry"})").status, 201);
  EXPECT_EQ(Annotation("asyncops.dev/resolve"), "Retry");
  const std::string yaml = "outcome: Fail\nmetadata:\n  name: o\n";
  EXPECT_EQ(Post("resolve", yaml, {{"Content-Type", "application/yaml"}}).status, 201);
  EXPECT_EQ(Annotation("asyncops.dev/resolve"), "Fail");
}

TEST_F(ActTest, DryRunAnswersAsIfAndKeepsNothing) {
  const std::string before = api.Get(At(kOperations, "o")).body;
  const ApiResponse answer = Post("cancel?dryRun=All");
  EXPECT_EQ(answer.status, 201);
  EXPECT_THAT(answer.body, HasSubstr("asyncops.dev/cancel-requested-at"));
  EXPECT_EQ(api.Get(At(kOperations, "o")).body, before);
  EXPECT_EQ(Post("cancel?dryRun=Some").status, 422);
}

TEST_F(ActTest, AnswersATableToKubectl) {
  const ApiResponse answer =
      Post("cancel", "", {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}});
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.Text({"kind"}), "Table");
}

TEST_F(ActTest, IsRefusedWhereItHasNoUse) {
  struct Row {
    std::string_view reason;
    std::string_view phase;
    std::string_view state;
    std::string_view action;
    std::string_view body;
    int code;
    std::string_view message;
  };
  const std::vector<Row> table = {
      {"what succeeded is over", "Succeeded", "Succeeded", "cancel", "", 409,
       "the operation is over: its phase is Succeeded"},
      {"what was cancelled is", "Canceled", "Canceled", "cancel", "", 409, "its phase is Canceled"},
      {"what succeeded is not done again", "Succeeded", "Succeeded", "retry", "", 409,
       "its phase is Succeeded"},
      {"what failed may be submitted again", "Failed", "Failed", "retry", "", 201, ""},
      {"what waits goes on at once", "Running", "Backoff", "retry", "", 201, ""},
      {"a doubt comes first", "Running", "OutcomeUnknown", "cancel", "", 409,
       "post an AsyncOperationResolution to its resolve subresource first"},
      {"of a retry too", "Running", "OutcomeUnknown", "retry", "", 409, "resolve subresource"},
      {"without a doubt there is nothing to resolve", "Running", "Running", "resolve",
       R"({"outcome":"Fail"})", 409,
       "only an operation whose state is OutcomeUnknown can be resolved; the state is Running"},
  };
  for (const Row& row : table) {
    SetStatus(row.phase, row.state);
    const ApiResponse answer = Post(row.action, std::string(row.body));
    EXPECT_EQ(answer.status, row.code) << row.reason << answer.body;
    if (row.code == 201) continue;
    EXPECT_EQ(answer.Text({"reason"}), "Conflict") << row.reason;
    EXPECT_EQ(answer.Text({"details", "kind"}), "asyncoperations") << row.reason;
    EXPECT_EQ(answer.Text({"details", "name"}), "o") << row.reason;
    EXPECT_THAT(answer.Text({"message"}),
                testing::StartsWith("Operation cannot be fulfilled on "
                                    "asyncoperations.operations.asyncops.dev \"o\": "))
        << row.reason;
    EXPECT_THAT(answer.Text({"message"}), HasSubstr(std::string(row.message))) << row.reason;
  }
}

TEST_F(ActTest, RefusesBodiesInTheWordsOfKubernetes) {
  SetStatus("Running", "OutcomeUnknown");
  struct Row {
    std::string_view reason;
    std::string_view action;
    std::string body;
    int code;
    std::string_view message;
  };
  const std::string kinds(kKinds);
  const std::vector<Row> table = {
      {"a resolution without an outcome", "resolve", "{}", 422,
       "AsyncOperationResolution.operations.asyncops.dev \"o\" is invalid: outcome: Required "
       "value"},
      {"an outcome that is none", "resolve", R"({"outcome":"Guess"})", 422,
       "outcome: Unsupported value: \"Guess\": supported values: \"Retry\", \"Adopt\", \"Fail\""},
      {"an adoption of nothing", "resolve", R"({"outcome":"Adopt"})", 422,
       "operationID: Required value"},
      {"an ID without an adoption", "resolve", R"({"outcome":"Fail","operationID":"x"})", 422,
       "operationID: Forbidden: belongs to outcome: Adopt"},
      {"an ID of another type", "resolve", R"({"outcome":"Adopt","operationID":7})", 422,
       "operationID: Invalid value"},
      {"nothing at all", "resolve", "", 400, ""},
      {"no JSON", "cancel", "{", 400, "does not parse"},
      {"no object", "cancel", "[]", 400, "must be a JSON object"},
      {"another kind", "cancel", "{" + kinds + "\"AsyncOperationRetry\"}", 400,
       "cannot be handled as a AsyncOperationCancel"},
      {"another version", "cancel", R"({"apiVersion":"v9","kind":"AsyncOperationCancel"})", 400,
       "the API version in the data (v9) does not match"},
      {"another name", "cancel", R"({"metadata":{"name":"p"}})", 400,
       "does not match the name on the URL (o)"},
      {"another namespace", "cancel", R"({"metadata":{"name":"o","namespace":"default"}})", 400,
       "the namespace of the object (default) does not match"},
      {"metadata that is none", "cancel", R"({"metadata":7})", 400, "metadata must be an object"},
  };
  for (const Row& row : table) {
    const ApiResponse answer = Post(row.action, row.body);
    EXPECT_EQ(answer.status, row.code) << row.reason << answer.body;
    EXPECT_THAT(answer.Text({"message"}), HasSubstr(std::string(row.message))) << row.reason;
  }
  EXPECT_EQ(Post("cancel", "x", {{"Content-Type", "text/plain"}}).status, 415);
  EXPECT_EQ(Annotation("asyncops.dev/resolve"), "");
}

TEST_F(ActTest, UnknownFieldsAreTreatedAsTheClientWants) {
  const std::string body = R"({"because":"of you"})";
  const ApiResponse warned = Post("cancel", body);
  EXPECT_EQ(warned.status, 201);
  EXPECT_THAT(std::string(warned.headers.Get("Warning")), HasSubstr("unknown field"));
  EXPECT_THAT(Post("cancel?fieldValidation=Ignore", body).headers.GetAll("Warning"),
              testing::Each(testing::Not(HasSubstr("unknown field"))));
  const ApiResponse refused = Post("cancel?fieldValidation=Strict", body);
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.Text({"message"}), HasSubstr("unknown field \"because\""));
}

TEST_F(ActTest, MetadataOfTheBodyIsAPrecondition) {
  const std::string version = api.Get(At(kOperations, "o")).Text({"metadata", "resourceVersion"});
  EXPECT_EQ(Post("cancel", R"({"metadata":{"uid":"another"}})").status, 409);
  EXPECT_EQ(Post("cancel", R"({"metadata":{"resourceVersion":"1"}})").status, 409);
  EXPECT_EQ(Annotation("asyncops.dev/cancel-requested-at"), "");
  EXPECT_EQ(Post("cancel",
                 R"({"metadata":{"uid":")" + uid + R"(","resourceVersion":")" + version + "\"}}")
                .status,
            201);
}

TEST_F(ActTest, WhatIsNotThereIsNotFound) {
  const ApiResponse nobody = api.Send("POST", At(kOperations, "nobody/cancel"));
  EXPECT_EQ(nobody.status, 404);
  EXPECT_EQ(nobody.Text({"message"}),
            "asyncoperations.operations.asyncops.dev \"nobody\" not found");
  EXPECT_EQ(Post("cancel/now").status, 404) << "nothing is below a subresource";
  EXPECT_EQ(api.Send("POST", At(kResources, "v/cancel")).status, 404)
      << "other kinds have no actions";
}

TEST_F(ActTest, OnlyPostActs) {
  for (const std::string_view method : {"GET", "HEAD", "PUT", "PATCH", "DELETE"}) {
    for (const std::string_view action : {"cancel", "retry", "resolve"})
      EXPECT_EQ(api.Send(method, At(kOperations, "o/" + std::string(action))).status, 405)
          << method << " " << action;
  }
}

TEST_F(ActTest, AuthorizationSeesTheSubresourceAndTheName) {
  std::string seen;
  api.SetAuthorization([&seen](const Attributes& a) {
    seen = std::string(a.verb) + " " + std::string(a.group) + " " + std::string(a.namespace_name) +
           " " + std::string(a.resource) + "/" + std::string(a.subresource) + " " +
           std::string(a.name);
    return Decision{.allowed = a.subresource != "cancel", .reason = ""};
  });
  const ApiResponse refused = Post("cancel");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(seen, "create operations.asyncops.dev team-a asyncoperations/cancel o");
  EXPECT_THAT(refused.Text({"message"}),
              HasSubstr("cannot create resource \"asyncoperations/cancel\" in API group"));
  EXPECT_EQ(Post("retry").status, 201);
}

}  // namespace
}  // namespace asyncops::apiserver
