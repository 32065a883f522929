#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/auth/authorizer.h"
#include "base/yaml.h"
#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

using testing::HasSubstr;

constexpr std::string_view kApplyType = "application/apply-patch+yaml";

struct ApplyRequestTest : testing::Test {
  ApiResponse Send(std::string_view target, std::string body) {
    return api.Send("PATCH", target, std::move(body),
                    {{"Content-Type", std::string(kApplyType)}, {"User-Agent", "tester/1"}});
  }
  ApiResponse Apply(std::string_view manager, const std::string& configuration,
                    std::string_view more = "") {
    return Send(At(kResources, "v") + "?fieldManager=" + std::string(manager) + std::string(more),
                configuration);
  }
  // The least configuration with this size.
  static std::string Sized(std::string_view size) {
    return With(ResourceObject("v"),
                R"({"spec":{"parameters":{"size":")" + std::string(size) + "\"}}}");
  }
  Json Live() { return api.Get(At(kResources, "v")).json(); }
  void NextMinute() { api.clock().Advance(std::chrono::minutes(1)); }

  ApiHarness api;
};

// The entries' managers, "a Apply, b Update".
std::string Managers(const Json& object) {
  const Json* list = object.FindPath({"metadata", "managedFields"});
  std::string out;
  if (list == nullptr) return out;
  for (const Json& entry : list->as_array()) {
    if (!out.empty()) out.append(", ");
    out.append(entry.StringAt({"manager"})).append(" ").append(entry.StringAt({"operation"}));
  }
  return out;
}

TEST_F(ApplyRequestTest, MakesAnObjectThatIsNotThere) {
  const ApiResponse made = Apply("ci", Sized("1Gi"));
  EXPECT_EQ(made.status, 201) << made.body;
  const Json object = made.json();
  EXPECT_EQ(Managers(object), "ci Apply");
  const Json& entry = object.FindPath({"metadata", "managedFields"})->as_array().front();
  EXPECT_EQ(EncodeJson(*entry.Find("fieldsV1")),
            R"({"f:spec":{"f:create":{"f:submit":{"f:path":{}}},)"
            R"("f:delete":{"f:submit":{"f:path":{}}},"f:externalSystemRef":{"f:name":{}},)"
            R"("f:parameters":{"f:size":{}}}})")
      << "defaults are nobody's";
  EXPECT_EQ(entry.StringAt({"time"}), "2026-01-01T00:00:00Z");
  EXPECT_EQ(made.Text({"metadata", "generation"}), "1");
  EXPECT_EQ(Live(), made.json());
}

TEST_F(ApplyRequestTest, TakesYaml) {
  const ApiResponse made = Apply("ci", EncodeYaml(*ParseJson(Sized("1Gi"))));
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.Text({"spec", "parameters", "size"}), "1Gi");
}

TEST_F(ApplyRequestTest, TheSameAgainMovesNoVersionAndNoTime) {
  Apply("ci", Sized("1Gi"));
  const Json before = Live();
  const storage::Revision revision = api.store().revision();
  NextMinute();
  const ApiResponse again = Apply("ci", Sized("1Gi"));
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_EQ(again.json(), before);
  EXPECT_EQ(api.store().revision(), revision);
}

TEST_F(ApplyRequestTest, AChangeMovesVersionGenerationAndTime) {
  Apply("ci", Sized("1Gi"));
  NextMinute();
  const ApiResponse changed = Apply("ci", Sized("2Gi"));
  EXPECT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(changed.Text({"metadata", "generation"}), "2");
  EXPECT_EQ(
      changed.json().FindPath({"metadata", "managedFields"})->as_array().front().StringAt({"time"}),
      "2026-01-01T00:01:00Z");
}

TEST_F(ApplyRequestTest, AnOwnedFieldIsAConflict) {
  Apply("ci", Sized("1Gi"));
  const ApiResponse refused = Apply("human", Sized("2Gi"));
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(EncodeJson(refused.json()),
            R"({"apiVersion":"v1","code":409,"details":{"causes":[{"field":)"
            R"(".spec.parameters.size","message":"conflict with \"ci\"","reason":)"
            R"("FieldManagerConflict"}]},"kind":"Status","message":"Apply failed with 1 conflict: )"
            R"(conflict with \"ci\": .spec.parameters.size","metadata":{},"reason":"Conflict",)"
            R"("status":"Failure"})");
  EXPECT_EQ(Live().StringAt({"spec", "parameters", "size"}), "1Gi");
}

TEST_F(ApplyRequestTest, AnUpdatersConflictNamesVersionAndTime) {
  Apply("ci", Sized("1Gi"));
  api.Patch(At(kResources, "v") + "?fieldManager=kubectl-edit",
            R"({"spec":{"parameters":{"size":"5Gi"},"suspend":true}})");
  const ApiResponse refused =
      Apply("ci", With(*ParseJson(Sized("1Gi")), R"({"spec":{"suspend":false}})"));
  EXPECT_EQ(refused.Text({"message"}),
            "Apply failed with 2 conflicts: conflicts with \"kubectl-edit\" using "
            "asyncops.dev/v1alpha1 at 2026-01-01T00:00:00Z:\n- .spec.parameters.size\n"
            "- .spec.suspend");
}

TEST_F(ApplyRequestTest, ForceTakesOver) {
  Apply("ci", Sized("1Gi"));
  for (const char* force : {"&force=true", "&force=1", "&force"}) {
    const ApiResponse forced = Apply("human", Sized("2Gi"), force);
    EXPECT_EQ(forced.status, 200) << forced.body;
    EXPECT_EQ(forced.Text({"spec", "parameters", "size"}), "2Gi") << force;
    Apply("ci", Sized("1Gi"), "&force=true");
  }
  EXPECT_EQ(Apply("human", Sized("2Gi"), "&force=false").status, 409);
}

TEST_F(ApplyRequestTest, RemovesWhatIsNotAppliedAnyMore) {
  Apply("ci", With(ResourceObject("v"),
                   R"({"metadata":{"labels":{"a":"1","b":"2"},"finalizers":["x.dev/a"]},)"
                   R"("spec":{"suspend":true}})"));
  Apply("other", With(ResourceObject("v"), R"({"metadata":{"finalizers":["x.dev/b"]}})"));
  const ApiResponse applied =
      Apply("ci", With(ResourceObject("v"), R"({"metadata":{"labels":{"b":"2"}}})"));
  EXPECT_EQ(applied.status, 200) << applied.body;
  EXPECT_EQ(applied.Text({"metadata", "labels"}), R"({"b":"2"})");
  EXPECT_EQ(applied.Text({"metadata", "finalizers"}), R"(["x.dev/b"])");
  EXPECT_NE(applied.Text({"spec", "suspend"}), "true") << "back to its default";
}

TEST_F(ApplyRequestTest, RefusesRequestsThatDoNotFit) {
  Apply("ci", EncodeJson(ResourceObject("v")));
  struct Row {
    const char* reason;
    std::string query;
    std::string body;
    int code;
    std::string message;
  };
  const Row table[] = {
      {"no manager", "", Sized("1Gi"), 422,
       "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for "
       "apply patch"},
      {"a manager that is too long", "?fieldManager=" + std::string(129, 'x'), Sized("1Gi"), 422,
       "fieldManager: Too long"},
      {"managedFields in the body", "?fieldManager=m",
       With(ResourceObject("v"), R"({"metadata":{"managedFields":[]}})"), 400,
       "metadata.managedFields must be nil"},
      {"another version", "?fieldManager=m",
       With(ResourceObject("v"), R"({"apiVersion":"asyncops.dev/v2"})"), 400, "asyncops.dev/v2"},
      {"another kind", "?fieldManager=m", With(ResourceObject("v"), R"({"kind":"Secret"})"), 400,
       "Secret"},
      {"another name", "?fieldManager=m", EncodeJson(ResourceObject("w")), 400,
       "does not match the name on the URL"},
      {"another uid", "?fieldManager=m",
       With(ResourceObject("v"), R"({"metadata":{"uid":"other"}})"), 409, "Precondition failed"},
      {"a stale version", "?fieldManager=m",
       With(ResourceObject("v"), R"({"metadata":{"resourceVersion":"1"}})"), 409,
       "the object has been modified"},
      {"no YAML", "?fieldManager=m", "a: [", 400, "error decoding YAML"},
      {"no object", "?fieldManager=m", "- a", 400, ""},
      {"an unknown field where that is strict", "?fieldManager=m&fieldValidation=Strict",
       With(ResourceObject("v"), R"({"spec":{"colour":"red"}})"), 400,
       "unknown field \"spec.colour\""},
      {"what validation refuses", "?fieldManager=m",
       With(ResourceObject("v"), R"({"metadata":{"labels":{"a b":"c"}}})"), 422, "metadata.labels"},
      {"a value of the wrong type", "?fieldManager=m",
       With(ResourceObject("v"), R"({"spec":{"suspend":"no"}})"), 422, "spec.suspend"},
  };
  for (const Row& row : table) {
    const ApiResponse refused = Send(At(kResources, "v") + row.query, row.body);
    EXPECT_EQ(refused.status, row.code) << row.reason << refused.body;
    EXPECT_THAT(refused.Text({"message"}), HasSubstr(row.message)) << row.reason;
  }
}

TEST_F(ApplyRequestTest, MakesObjectsForWhoeverMayCreateThem) {
  std::vector<std::string> asked;
  api.SetAuthorization([&asked](const Attributes& attributes) {
    asked.push_back(std::string(attributes.verb) + " " + std::string(attributes.name));
    return Decision{attributes.verb == "patch", "only patches"};
  });
  const ApiResponse refused = Apply("ci", Sized("1Gi"));
  EXPECT_EQ(refused.status, 403) << refused.body;
  EXPECT_THAT(refused.Text({"message"}), HasSubstr("cannot create resource \"asyncresources\""));
  EXPECT_THAT(asked, testing::ElementsAre("patch v", "create v"));
  api.SetAuthorization(nullptr);
  Apply("ci", Sized("1Gi"));
  asked.clear();
  api.SetAuthorization([&asked](const Attributes& attributes) {
    asked.push_back(std::string(attributes.verb));
    return Decision{true, ""};
  });
  EXPECT_EQ(Apply("ci", Sized("2Gi")).status, 200);
  EXPECT_THAT(asked, testing::ElementsAre("patch")) << "what is there is patched";
}

TEST_F(ApplyRequestTest, MoreManagersThanCanBeKeptAreRefused) {
  Apply("a", Sized("1"));
  Json live = Live();
  Json entry = live.FindPath({"metadata", "managedFields"})->as_array().front();
  JsonArray many;
  for (int i = 0; i < 1010; ++i) {
    entry.Set("manager", "m" + std::to_string(i));
    many.push_back(entry);
  }
  live.ObjectAt("metadata").Set("managedFields", std::move(many));
  ASSERT_EQ(api.Send("PUT", At(kResources, "v"), EncodeJson(live)).status, 200);
  const ApiResponse refused = Apply("one-more", Sized("1"));
  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(refused.Text({"message"}), HasSubstr("metadata.managedFields: Too many: 1011"));
  EXPECT_EQ(Live().FindPath({"metadata", "managedFields"})->as_array().size(), 1010u)
      << "nobody is forgotten";
  EXPECT_EQ(Apply("m7", Sized("1")).status, 200) << "who is there goes on";
}

TEST_F(ApplyRequestTest, OfAnObjectThatIsNotThereNeedsNoUid) {
  const ApiResponse refused =
      Apply("m", With(ResourceObject("v"), R"({"metadata":{"uid":"old"}})"));
  EXPECT_EQ(refused.status, 409) << refused.body;
  EXPECT_EQ(refused.Text({"message"}),
            "Operation cannot be fulfilled on asyncresources.asyncops.dev \"v\": uid mismatch: the "
            "provided object specified uid old, and no existing object was found");
}

TEST_F(ApplyRequestTest, WarnsOfUnknownFieldsAndDropsThem) {
  const ApiResponse made = Apply("m", With(ResourceObject("v"), R"({"spec":{"colour":"red"}})"));
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.headers.Get("Warning"), R"(299 - "unknown field \"spec.colour\"")");
  EXPECT_EQ(made.body.find("colour"), std::string::npos);
  const ApiResponse again = Apply("m", With(ResourceObject("v"), R"({"spec":{"colour":"red"}})"));
  EXPECT_EQ(again.headers.Get("Warning"), R"(299 - "unknown field \"spec.colour\"")");
}

TEST_F(ApplyRequestTest, ADryRunStoresNothing) {
  EXPECT_EQ(Apply("ci", Sized("1Gi"), "&dryRun=All").status, 201);
  EXPECT_EQ(api.Get(At(kResources, "v")).status, 404);
  Apply("ci", Sized("1Gi"));
  const Json before = Live();
  EXPECT_EQ(Apply("ci", Sized("2Gi"), "&dryRun=All").Text({"spec", "parameters", "size"}), "2Gi");
  EXPECT_EQ(Apply("human", Sized("2Gi"), "&dryRun=All").status, 409);
  EXPECT_EQ(Live(), before);
}

TEST_F(ApplyRequestTest, AppliesToTheStatus) {
  const std::string target = At(kResources, "v") + "/status?fieldManager=controller";
  const std::string status = With(ResourceObject("v"), R"({"status":{"phase":"Ready"}})");
  EXPECT_EQ(Send(target, status).status, 404) << "a status makes no object";
  Apply("ci", Sized("1Gi"));
  const ApiResponse applied = Send(target, status);
  EXPECT_EQ(applied.status, 200) << applied.body;
  EXPECT_EQ(applied.Text({"status", "phase"}), "Ready");
  EXPECT_EQ(applied.Text({"spec", "parameters", "size"}), "1Gi") << "the rest is passed over";
  EXPECT_EQ(Managers(applied.json()), "ci Apply, controller Apply");
  EXPECT_EQ(applied.json()
                .FindPath({"metadata", "managedFields"})
                ->as_array()
                .back()
                .StringAt({"subresource"}),
            "status");
}

TEST_F(ApplyRequestTest, TheStatusIsNotAppliedThroughTheObject) {
  const ApiResponse made =
      Apply("ci", With(ResourceObject("v"), R"({"status":{"phase":"Ready"}})"));
  EXPECT_EQ(made.Text({"status", "phase"}), "");
  EXPECT_EQ(made.body.find("f:status"), std::string::npos);
}

TEST_F(ApplyRequestTest, AnObjectWithoutOwnersWasThereBefore) {
  api.Send("POST", kResources, Sized("1Gi"));
  api.Patch(At(kResources, "v"), R"({"metadata":{"managedFields":[{}]}})");
  ASSERT_EQ(Managers(Live()), "");
  EXPECT_THAT(Apply("ci", Sized("2Gi")).Text({"message"}),
              HasSubstr("conflict with \"before-first-apply\" using asyncops.dev/v1alpha1"));
  EXPECT_EQ(Managers(Apply("ci", Sized("1Gi")).json()), "ci Apply, before-first-apply Update");
}

TEST_F(ApplyRequestTest, KubectlGoesOnFromWhatItAppliedByTheClient) {
  // What kubectl apply without --server-side sends.
  const std::string applied = Sized("1Gi");
  Json object = *ParseJson(applied);
  object.ObjectAt("metadata")
      .Set("annotations",
           Json::Of({{"kubectl.kubernetes.io/last-applied-configuration", applied}}));
  ASSERT_EQ(api.Send("POST", std::string(kResources) + "?fieldManager=kubectl-client-side-apply",
                     EncodeJson(object))
                .status,
            201);
  EXPECT_EQ(Apply("ci", Sized("2Gi")).status, 409) << "the annotation speaks for kubectl alone";
  const ApiResponse moved = Apply("kubectl", Sized("2Gi"));
  EXPECT_EQ(moved.status, 200) << moved.body;
  EXPECT_EQ(Managers(moved.json()), "kubectl Apply, kubectl-client-side-apply Update");
  EXPECT_THAT(
      moved.Text({"metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"}),
      HasSubstr(R"("size":"2Gi")"))
      << "kubectl may go back";
}

TEST_F(ApplyRequestTest, OfManyThatComeAtOnceOneMakesTheObject) {
  std::vector<std::future<int>> codes;
  for (int i = 0; i < 8; ++i) {
    auto code = std::make_shared<std::promise<int>>();
    codes.push_back(code->get_future());
    api.Start(ApiHarness::MakeRequest("PATCH",
                                      At(kResources, "v") + "?fieldManager=m" + std::to_string(i),
                                      Sized("1Gi"), {{"Content-Type", std::string(kApplyType)}}),
              [code](const http::Response& response) { code->set_value(response.status); });
  }
  int made = 0;
  for (std::future<int>& code : codes) {
    const int status = code.get();
    made += status == 201 ? 1 : 0;
    EXPECT_TRUE(status == 200 || status == 201) << status;
  }
  EXPECT_EQ(made, 1);
  const Json live = Live();
  EXPECT_EQ(live.FindPath({"metadata", "managedFields"})->as_array().size(), 8u);
}

TEST_F(ApplyRequestTest, SecretsAreOwnedByTheirData) {
  const std::string target = At(kSecrets, "acme") + "?fieldManager=ci";
  const std::string text = R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"acme"},)"
                           R"("stringData":{"a":"x","b":"y"}})";
  const ApiResponse made = Send(target, text);
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.Text({"data"}), R"({"a":"eA==","b":"eQ=="})");
  EXPECT_EQ(Send(target, text).json(), made.json());
  const ApiResponse fewer = Send(target, R"({"apiVersion":"v1","kind":"Secret",)"
                                         R"("metadata":{"name":"acme"},"stringData":{"b":"y"}})");
  EXPECT_EQ(fewer.Text({"data"}), R"({"b":"eQ=="})");
}

TEST_F(ApplyRequestTest, ANamespaceIsOwnedByWhatWasApplied) {
  const std::string target = At(kNamespaces, "team-b") + "?fieldManager=ci";
  const std::string text = With(NamespaceObject("team-b"), R"({"metadata":{"labels":{"a":"b"}}})");
  const Json made = Send(target, text).json();
  EXPECT_EQ(made.StringAt({"status", "phase"}), "Active");
  const Json& entry = made.FindPath({"metadata", "managedFields"})->as_array().front();
  EXPECT_EQ(EncodeJson(*entry.Find("fieldsV1")), R"({"f:metadata":{"f:labels":{"f:a":{}}}})");
  EXPECT_EQ(Send(target, text).json(), made);
}

TEST_F(ApplyRequestTest, TheLastFinalizerMayGoWithTheConfiguration) {
  Apply("ci", With(ResourceObject("v"), R"({"metadata":{"finalizers":["x.dev/a"]}})"));
  api.Send("DELETE", At(kResources, "v"));
  EXPECT_EQ(api.Get(At(kResources, "v")).status, 200);
  EXPECT_EQ(Apply("ci", EncodeJson(ResourceObject("v"))).status, 200);
  EXPECT_EQ(api.Get(At(kResources, "v")).status, 404);
}

}  // namespace
}  // namespace asyncops::apiserver
