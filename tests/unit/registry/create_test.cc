#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

struct CreateTest : testing::Test {
  ApiResponse Create(const std::string& body, std::string_view query = "",
                     std::string_view base = kResources) {
    return api.Send("POST", std::string(base) + std::string(query), body);
  }
  ApiHarness api;
};

TEST_F(CreateTest, AnswersTheObjectWithWhatTheServerSets) {
  const ApiResponse made = Create(EncodeJson(ResourceObject("data-volume")));
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.Text({"metadata", "namespace"}), "team-a");
  EXPECT_EQ(made.Text({"metadata", "uid"}).size(), 36u);
  EXPECT_EQ(made.Text({"metadata", "creationTimestamp"}), "2026-01-01T00:00:00Z");
  EXPECT_EQ(made.Text({"metadata", "generation"}), "1");
  EXPECT_NE(made.Text({"metadata", "resourceVersion"}), "");
  EXPECT_EQ(made.headers.Get("Content-Type"), "application/json");
  EXPECT_EQ(made.headers.Get("Cache-Control"), "no-cache, private");
  EXPECT_EQ(made.body.back(), '\n');
  EXPECT_EQ(api.Get(At(kResources, "data-volume")).body, made.body);
}

TEST_F(CreateTest, PassesOverWhatOnlyTheServerSets) {
  const std::string body = With(ResourceObject("v"), R"({"metadata":{
      "uid":"mine","generation":7,"creationTimestamp":"2001-01-01T00:00:00Z",
      "deletionTimestamp":"2001-01-01T00:00:00Z","deletionGracePeriodSeconds":3},
      "status":{"phase":"Ready"}})");
  const ApiResponse made = Create(body);
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_NE(made.Text({"metadata", "uid"}), "mine");
  EXPECT_EQ(made.Text({"metadata", "generation"}), "1");
  EXPECT_EQ(made.Text({"metadata", "creationTimestamp"}), "2026-01-01T00:00:00Z");
  EXPECT_EQ(made.Text({"metadata", "deletionTimestamp"}), "");
  EXPECT_EQ(made.Text({"metadata", "deletionGracePeriodSeconds"}), "");
  EXPECT_EQ(made.Text({"status", "phase"}), "");
}

TEST_F(CreateTest, AnOperationBeginsPending) {
  const ApiResponse made = Create(EncodeJson(OperationObject("op")), "", kOperations);
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.Text({"status", "phase"}), "Pending");
  EXPECT_EQ(made.Text({"status", "state"}), "Pending");
}

TEST_F(CreateTest, ANullCreationTimestampIsNormal) {
  const std::string body = R"({"apiVersion":"v1","kind":"Secret",
      "metadata":{"name":"s","creationTimestamp":null},"data":null})";
  const ApiResponse made = Create(body, "", kSecrets);
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_THAT(made.body, testing::Not(HasSubstr("null")));
}

TEST_F(CreateTest, GeneratesAName) {
  const std::string body =
      With(ResourceObject("x"), R"({"metadata":{"name":null,"generateName":"vol-"}})");
  const ApiResponse made = Create(body);
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_THAT(made.Text({"metadata", "name"}), MatchesRegex("vol-[bcdfghjklmnpqrstvwxz2456789]+"));
  EXPECT_EQ(made.Text({"metadata", "name"}).size(), 9u);
}

TEST_F(CreateTest, CutsALongBaseOfAGeneratedName) {
  const std::string body =
      With(ResourceObject("x"),
           R"({"metadata":{"name":null,"generateName":")" + std::string(70, 'a') + R"("}})");
  EXPECT_EQ(Create(body).Text({"metadata", "name"}).size(), 63u);
}

TEST_F(CreateTest, TakesAnotherGeneratedNameWhereTheFirstIsTaken) {
  // The names that the fake generator will give next.
  for (const std::string_view suffix : {"bbbbc", "bbbbd"})
    ASSERT_EQ(Create(EncodeJson(ResourceObject("vol-" + std::string(suffix)))).status, 201);
  const std::string body =
      With(ResourceObject("x"), R"({"metadata":{"name":null,"generateName":"vol-"}})");
  const ApiResponse made = Create(body);
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.Text({"metadata", "name"}), "vol-bbbbf");
  EXPECT_EQ(api.Get(At(kResources, "vol-bbbbf")).Text({"metadata", "name"}), "vol-bbbbf");
}

TEST_F(CreateTest, TriesEightNamesAndNoMore) {
  const std::string body =
      With(ResourceObject("x"), R"({"metadata":{"name":null,"generateName":"vol-"}})");
  FakeIds names;
  for (int i = 0; i < 7; ++i)
    ASSERT_EQ(Create(EncodeJson(ResourceObject("vol-" + names.NameSuffix()))).status, 201);
  ASSERT_EQ(Create(body).status, 201) << "the eighth is free";
  for (int i = 0; i < 9; ++i) Create(EncodeJson(ResourceObject("vol-" + names.NameSuffix())));
  const ApiResponse refused = Create(body);
  EXPECT_EQ(refused.status, 409) << refused.body;
  EXPECT_EQ(refused.Text({"reason"}), "AlreadyExists");
  EXPECT_EQ(refused.Text({"message"}),
            "asyncresources.asyncops.dev \"" + refused.Text({"details", "name"}) +
                "\" already exists, the server was not able to generate a unique name for the "
                "object");
  EXPECT_EQ(refused.Text({"details", "retryAfterSeconds"}), "1");
  EXPECT_EQ(refused.Text({"details", "kind"}), "asyncresources");
  EXPECT_EQ(refused.headers.Get("Retry-After"), "1");
}

TEST_F(CreateTest, AnOwnerThatIsNamedTwiceIsKeptOnce) {
  constexpr std::string_view kOwners = R"({"metadata":{"ownerReferences":[
      {"apiVersion":"v1","kind":"Secret","name":"a","uid":"u1"},
      {"apiVersion":"v1","kind":"Secret","name":"b","uid":"u2"},
      {"apiVersion":"v1","kind":"Secret","name":"a","uid":"u1"}]}})";
  const ApiResponse made = Create(With(SecretObject("s"), kOwners), "", kSecrets);
  EXPECT_EQ(made.status, 201) << made.body;
  const Json json = made.json();
  const Json* owners = json.FindPath({"metadata", "ownerReferences"});
  ASSERT_NE(owners, nullptr);
  EXPECT_EQ(owners->as_array().size(), 2u);
  EXPECT_THAT(
      made.headers.GetAll("Warning"),
      testing::ElementsAre(
          "299 - \".metadata.ownerReferences contains duplicate entries; API server dedups "
          "owner references in 1.20+, and may reject such requests as early as 1.24; please "
          "fix your requests; duplicate UID(s) observed: u1\""));
  const ApiResponse put = api.Send("PUT", At(kSecrets, "s"), With(json, kOwners),
                                   {{"Content-Type", "application/json"}});
  EXPECT_EQ(put.status, 200) << put.body;
  EXPECT_EQ(put.headers.GetAll("Warning").size(), 1u);
}

TEST_F(CreateTest, OwnersOfOneUidMayDiffer) {
  constexpr std::string_view kOwners = R"({"metadata":{"ownerReferences":[
      {"apiVersion":"v1","kind":"Secret","name":"a","uid":"u1"},
      {"apiVersion":"v1","kind":"Secret","name":"b","uid":"u1"}]}})";
  const ApiResponse made = Create(With(SecretObject("s"), kOwners), "", kSecrets);
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.json().FindPath({"metadata", "ownerReferences"})->as_array().size(), 2u);
  EXPECT_THAT(made.headers.GetAll("Warning"), testing::IsEmpty());
  const ApiResponse labelled = api.Patch(At(kSecrets, "s"), R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(labelled.status, 200) << labelled.body;
  EXPECT_EQ(labelled.json().FindPath({"metadata", "ownerReferences"})->as_array().size(), 2u);
}

TEST_F(CreateTest, ATakenNameIsAConflict) {
  ASSERT_EQ(Create(EncodeJson(ResourceObject("v"))).status, 201);
  const ApiResponse refused = Create(EncodeJson(ResourceObject("v")));
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(EncodeJson(refused.json()),
            R"({"apiVersion":"v1","code":409,"details":{"group":"asyncops.dev",)"
            R"("kind":"asyncresources","name":"v"},"kind":"Status",)"
            R"("message":"asyncresources.asyncops.dev \"v\" already exists","metadata":{},)"
            R"("reason":"AlreadyExists","status":"Failure"})");
}

struct Refusal {
  std::string_view reason;
  std::string_view patch;  // of a valid object
  int code;
  std::string_view status_reason;
  std::string_view message;
};

TEST_F(CreateTest, RefusesWhatDoesNotFitTheRequest) {
  const std::vector<Refusal> table = {
      {"the version is the server's to give", R"({"metadata":{"resourceVersion":"7"}})", 400,
       "BadRequest", "resourceVersion should not be set on objects to be created"},
      {"another namespace than the path's", R"({"metadata":{"namespace":"team-b"}})", 400,
       "BadRequest",
       "the namespace of the provided object does not match the namespace sent on the request"},
      {"another version of the API", R"({"apiVersion":"asyncops.dev/v1"})", 400, "BadRequest",
       "the API version in the data (asyncops.dev/v1) does not match the expected API version "
       "(asyncops.dev/v1alpha1)"},
      {"another kind", R"({"kind":"Pod"})", 400, "BadRequest",
       "Pod in version \"asyncops.dev/v1alpha1\" cannot be handled as a AsyncResource: the kind "
       "of the object does not match the resource"},
      {"no kind", R"({"kind":null})", 400, "BadRequest",
       "Object 'Kind' is missing in the request body"},
      {"no apiVersion", R"({"apiVersion":null})", 400, "BadRequest",
       "Object 'apiVersion' is missing in the request body"},
      {"no name", R"({"metadata":{"name":null}})", 422, "Invalid",
       "AsyncResource.asyncops.dev \"\" is invalid: metadata.name: Required value: name or "
       "generateName is required"},
  };
  for (const Refusal& row : table) {
    const ApiResponse refused = Create(With(ResourceObject("v"), row.patch));
    EXPECT_EQ(refused.status, row.code) << row.reason;
    EXPECT_EQ(refused.Text({"reason"}), row.status_reason) << row.reason;
    EXPECT_EQ(refused.Text({"message"}), row.message) << row.reason;
    EXPECT_EQ(api.Get(At(kResources, "v")).status, 404) << row.reason;
  }
}

TEST_F(CreateTest, AKindThatIsNotSaidIsWhatTheUrlSays) {
  const ApiResponse made = api.Send("POST", "/api/v1/namespaces", R"({"metadata":{"name":"x"}})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.Text({"kind"}), "Namespace");
  EXPECT_EQ(made.Text({"apiVersion"}), "v1");
  const std::string nameless = With(OperationObject("op"), R"({"kind":null,"apiVersion":null})");
  const ApiResponse operation = api.Send("POST", kOperations, nameless);
  EXPECT_EQ(operation.status, 201) << operation.body;
  EXPECT_EQ(operation.Text({"kind"}), "AsyncOperation");
  EXPECT_EQ(
      api.Send("POST", "/api/v1/namespaces", R"({"kind":"Pod","metadata":{"name":"y"}})").status,
      400);
}

TEST_F(CreateTest, NamesEveryMistakeWithItsField) {
  const std::string body = With(ResourceObject("Bad_Name"), R"({"spec":{
      "externalSystemRef":null,"create":{"poll":{"interval":"soon"}}}})");
  const ApiResponse refused = Create(body);
  EXPECT_EQ(refused.status, 422) << refused.body;
  EXPECT_EQ(refused.Text({"reason"}), "Invalid");
  EXPECT_EQ(refused.Text({"details", "kind"}), "AsyncResource");
  EXPECT_EQ(refused.Text({"details", "group"}), "asyncops.dev");
  EXPECT_EQ(refused.Text({"details", "name"}), "Bad_Name");
  const Json json = refused.json();
  std::vector<std::string> fields;
  for (const Json& cause : json.FindPath({"details", "causes"})->as_array())
    fields.emplace_back(cause.StringAt({"field"}));
  EXPECT_THAT(fields, testing::IsSupersetOf({"metadata.name", "spec.externalSystemRef",
                                             "spec.create.poll.interval"}));
  EXPECT_THAT(refused.Text({"message"}),
              testing::StartsWith("AsyncResource.asyncops.dev \"Bad_Name\" is invalid: ["));
}

struct BadBody {
  std::string_view reason;
  std::string body;
  std::string content_type;
  int code;
  std::string_view message;  // a part of it
};

TEST_F(CreateTest, RefusesWhatDoesNotParse) {
  const std::vector<BadBody> table = {
      {"no JSON at all", "{", "application/json", 400, "does not parse"},
      {"empty", "", "", 400, "does not parse"},
      {"no object", "[]", "application/json", 400, "must be a JSON object"},
      {"a number", "7", "application/json", 400, "must be a JSON object"},
      {"metadata of the wrong type", R"({"apiVersion":"asyncops.dev/v1alpha1",
        "kind":"AsyncResource","metadata":[]})",
       "application/json", 400, "metadata must be an object"},
      {"too deep", std::string(100, '[') + std::string(100, ']'), "application/json", 400, "deep"},
      {"no UTF-8", "\"\xff\"", "application/json", 400, "parse"},
      {"no protobuf", "k8s", "application/vnd.kubernetes.protobuf", 400, "no protobuf"},
      {"an unknown form", "<a/>", "application/xml", 415,
       "the body of the request was in an unknown format - accepted media types include: "
       "application/json, application/yaml"},
      {"two documents", "{}\n---\n{}\n", "application/yaml", 400, "exactly one YAML document"},
      {"broken YAML", "{", "application/yaml", 400, ""},
  };
  for (const BadBody& row : table) {
    const ApiResponse refused =
        api.Send("POST", kResources, row.body, {{"Content-Type", row.content_type}});
    EXPECT_EQ(refused.status, row.code) << row.reason << refused.body;
    EXPECT_EQ(refused.Text({"kind"}), "Status") << row.reason;
    EXPECT_THAT(refused.Text({"message"}), HasSubstr(std::string(row.message))) << row.reason;
  }
}

TEST_F(CreateTest, ReadsYamlAndAnyCharset) {
  const std::string yaml = R"(
apiVersion: v1
kind: Secret
metadata: {name: from-yaml}
stringData: {password: hunter2}
)";
  EXPECT_EQ(api.Send("POST", kSecrets, yaml, {{"Content-Type", "application/yaml"}}).status, 201);
  EXPECT_EQ(api.Send("POST", kSecrets, EncodeJson(SecretObject("s")),
                     {{"Content-Type", "application/json; charset=utf-8"}})
                .status,
            201);
}

TEST_F(CreateTest, RefusesAnObjectThatIsTooLarge) {
  const std::string body = With(
      ResourceObject("v"), R"({"spec":{"parameters":{"a":")" + std::string(1100000, 'x') + "\"}}}");
  const ApiResponse refused = Create(body);
  EXPECT_EQ(refused.status, 413) << refused.body.substr(0, 300);
  EXPECT_EQ(refused.Text({"reason"}), "RequestEntityTooLarge");
  EXPECT_EQ(refused.Text({"message"}), "the object is too large: limit is 1048576 bytes");
}

TEST_F(CreateTest, FieldValidationDecidesAboutUnknownAndDuplicateFields) {
  const std::string body = With(SecretObject("s"), R"({"bogus":1})");
  const std::string twice = body.substr(0, body.size() - 1) + R"(,"type":"a","type":"Opaque"})";
  const ApiResponse strict = Create(twice, "?fieldValidation=Strict", kSecrets);
  EXPECT_EQ(strict.status, 400);
  EXPECT_EQ(strict.Text({"message"}),
            "Secret in version \"v1\" cannot be handled as a Secret: strict decoding error: "
            "unknown field \"bogus\", duplicate field \"type\"");
  const ApiResponse warned = Create(twice, "?dryRun=All", kSecrets);
  EXPECT_EQ(warned.status, 201) << warned.body;
  EXPECT_THAT(warned.headers.GetAll("Warning"),
              testing::ElementsAre("299 - \"unknown field \\\"bogus\\\"\"",
                                   "299 - \"duplicate field \\\"type\\\"\""));
  const ApiResponse ignored = Create(twice, "?fieldValidation=Ignore", kSecrets);
  EXPECT_EQ(ignored.status, 201) << ignored.body;
  EXPECT_TRUE(ignored.headers.GetAll("Warning").empty());
  EXPECT_EQ(ignored.Text({"bogus"}), "");
}

TEST_F(CreateTest, RefusesUnknownOptions) {
  const std::vector<Refusal> table = {
      {"an unknown mode", "?fieldValidation=Loose", 422, "Invalid",
       "CreateOptions.meta.k8s.io \"\" is invalid: fieldValidation: Unsupported value: \"Loose\": "
       "supported values: \"Ignore\", \"Warn\", \"Strict\""},
      {"dry runs are whole", "?dryRun=All&dryRun=Some", 422, "Invalid",
       "CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: []string{\"All\", "
       "\"Some\"}: supported values: \"All\""},
      {"managers have short names", "?fieldManager=MANAGER", 422, "Invalid",
       "CreateOptions.meta.k8s.io \"\" is invalid: fieldManager: Too long: may not be more than "
       "128 bytes"},
      {"managers can be printed", "?fieldManager=a%0Ab%7F", 422, "Invalid",
       "CreateOptions.meta.k8s.io \"\" is invalid: [fieldManager: Invalid value: \"a\\nb\\x7f\": "
       "invalid character U+000A (at position 1), fieldManager: Invalid value: \"a\\nb\\x7f\": "
       "invalid character U+007F (at position 3)]"},
  };
  for (const Refusal& row : table) {
    std::string query(row.patch);
    if (const auto at = query.find("MANAGER"); at != std::string::npos)
      query.replace(at, 7, std::string(129, 'm'));
    const ApiResponse refused = Create(EncodeJson(ResourceObject("v")), query);
    EXPECT_EQ(refused.status, row.code) << row.reason;
    EXPECT_EQ(refused.Text({"reason"}), row.status_reason) << row.reason;
    EXPECT_EQ(refused.Text({"message"}), row.message) << row.reason;
  }
}

TEST_F(CreateTest, ADryRunLeavesNothingBehind) {
  const storage::Revision before = api.store().revision();
  const ApiResponse made = Create(EncodeJson(ResourceObject("v")), "?dryRun=All");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.Text({"metadata", "name"}), "v");
  EXPECT_EQ(made.Text({"metadata", "resourceVersion"}), "");
  EXPECT_EQ(api.store().revision(), before);
  EXPECT_EQ(api.Get(At(kResources, "v")).status, 404);
  ASSERT_EQ(Create(EncodeJson(ResourceObject("v"))).status, 201);
  EXPECT_EQ(Create(EncodeJson(ResourceObject("v")), "?dryRun=All").status, 409);
}

TEST_F(CreateTest, NeedsItsNamespace) {
  const ApiResponse refused =
      Create(EncodeJson(ResourceObject("v")), "",
             "/apis/asyncops.dev/v1alpha1/namespaces/nowhere/asyncresources");
  EXPECT_EQ(refused.status, 404);
  EXPECT_EQ(EncodeJson(refused.json()),
            R"({"apiVersion":"v1","code":404,"details":{"kind":"namespaces","name":"nowhere"},)"
            R"("kind":"Status","message":"namespaces \"nowhere\" not found","metadata":{},)"
            R"("reason":"NotFound","status":"Failure"})");
  EXPECT_EQ(Create(EncodeJson(ResourceObject("v")), "?dryRun=All",
                   "/apis/asyncops.dev/v1alpha1/namespaces/nowhere/asyncresources")
                .status,
            404);
}

TEST_F(CreateTest, TellsWarningsOfTheKind) {
  const ApiResponse made = Create(With(ResourceObject("v"), R"({"spec":{"delete":null}})"));
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_THAT(made.headers.GetAll("Warning"), testing::ElementsAre(HasSubstr("delete")));
}

}  // namespace
}  // namespace asyncops::apiserver
