#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

using testing::HasSubstr;

// "MANAGER OPERATION[/SUBRESOURCE]@MINUTE" of each entry.
std::string Managers(const Json& object) {
  const Json* list = object.FindPath({"metadata", "managedFields"});
  std::string out;
  if (list == nullptr) return out;
  for (const Json& entry : list->as_array()) {
    if (!out.empty()) out.append(", ");
    out.append(entry.StringAt({"manager"})).append(" ").append(entry.StringAt({"operation"}));
    if (entry.Find("subresource") != nullptr)
      out.append("/").append(entry.StringAt({"subresource"}));
    out.append("@").append(entry.StringAt({"time"}).substr(14, 2));
  }
  return out;
}

// What the manager's entry holds, as FieldsV1.
std::string FieldsOf(const Json& object, std::string_view manager) {
  const Json* list = object.FindPath({"metadata", "managedFields"});
  if (list == nullptr) return "";
  for (const Json& entry : list->as_array()) {
    if (entry.StringAt({"manager"}) == manager) return EncodeJson(*entry.Find("fieldsV1"));
  }
  return "";
}

struct ManagedFieldsTest : testing::Test {
  ApiResponse Make(std::string_view base, const Json& object, std::string_view manager = "maker") {
    return api.Send("POST", std::string(base) + "?fieldManager=" + std::string(manager),
                    EncodeJson(object));
  }
  ApiResponse Patch(std::string_view base, std::string_view name, std::string patch,
                    std::string_view manager = "editor", std::string_view subresource = "") {
    return api.Patch(
        At(base, name) + std::string(subresource) + "?fieldManager=" + std::string(manager),
        std::move(patch));
  }
  void NextMinute() { api.clock().Advance(std::chrono::minutes(1)); }

  ApiHarness api;
};

TEST_F(ManagedFieldsTest, ACreateOwnsWhatItSent) {
  const ApiResponse made = Make(kSystems, SystemObject("acme"));
  ASSERT_EQ(made.status, 201) << made.body;
  const Json object = made.json();
  EXPECT_EQ(Managers(object), "maker Update@00");
  const Json& entry = object.FindPath({"metadata", "managedFields"})->as_array().front();
  EXPECT_EQ(entry.StringAt({"apiVersion"}), "asyncops.dev/v1alpha1");
  EXPECT_EQ(entry.StringAt({"fieldsType"}), "FieldsV1");
  EXPECT_EQ(entry.StringAt({"time"}), "2026-01-01T00:00:00Z");
  EXPECT_THAT(FieldsOf(object, "maker"), HasSubstr(R"("f:endpoint":{},"f:preset":{})"));
  EXPECT_EQ(api.Get(At(kSystems, "acme")).json(), object);
}

TEST_F(ManagedFieldsTest, NobodyOwnsWhatTheServerSets) {
  const Json made = Make(kOperations, OperationObject("op")).json();
  ASSERT_NE(made.Find("status"), nullptr);
  EXPECT_EQ(FieldsOf(made, "maker"),
            R"({"f:spec":{".":{},"f:activeDeadline":{},"f:externalSystemRef":{".":{},"f:name":{}},)"
            R"("f:submit":{".":{},"f:path":{}},"f:type":{}}})")
      << "the status is the server's, and so is most of metadata";
}

TEST_F(ManagedFieldsTest, TheManagerIsTheUserAgentWhereNoneIsNamed) {
  struct Row {
    const char* reason;
    std::string agent;
    std::string manager;
  };
  const Row table[] = {
      {"up to the first slash", "kubectl/v1.33 (linux/amd64)", "kubectl"},
      {"all of it without one", "curl", "curl"},
      {"what cannot be printed is left out",
       "a\x01\x7f"
       "b/1",
       "ab"},
      {"no more than 128 characters", std::string(200, 'x'), std::string(128, 'x')},
      {"nothing before the slash", "/1", "unknown"},
      {"none", "", "unknown"},
  };
  int count = 0;
  for (const Row& row : table) {
    const std::string name = "s" + std::to_string(++count);
    const ApiResponse made =
        api.Send("POST", kSystems, EncodeJson(SystemObject(name)), {{"User-Agent", row.agent}});
    EXPECT_EQ(Managers(made.json()), row.manager + " Update@00") << row.reason;
  }
}

TEST_F(ManagedFieldsTest, APatchTakesWhatItChanges) {
  Make(kResources, ResourceObject("v"));
  NextMinute();
  const Json patched = Patch(kResources, "v", R"({"spec":{"parameters":{"size":"20Gi"}}})").json();
  EXPECT_EQ(Managers(patched), "maker Update@00, editor Update@01");
  EXPECT_EQ(FieldsOf(patched, "editor"), R"({"f:spec":{"f:parameters":{"f:size":{}}}})");
  EXPECT_EQ(FieldsOf(patched, "maker").find("f:size"), std::string::npos);
}

TEST_F(ManagedFieldsTest, APutTakesWhatItChangesAndKeepsTheOwnersThatItDoesNotSend) {
  const Json made = Make(kResources, ResourceObject("v")).json();
  NextMinute();
  const ApiResponse put =
      api.Send("PUT", At(kResources, "v") + "?fieldManager=editor",
               With(made, R"({"metadata":{"managedFields":null,"labels":{"a":"b"}}})"));
  ASSERT_EQ(put.status, 200) << put.body;
  EXPECT_EQ(Managers(put.json()), "maker Update@00, editor Update@01");
  EXPECT_EQ(FieldsOf(put.json(), "editor"), R"({"f:metadata":{"f:labels":{".":{},"f:a":{}}}})");
}

TEST_F(ManagedFieldsTest, AWriteThatChangesNothingMovesNoVersionAndNoTime) {
  const Json made = Make(kResources, ResourceObject("v")).json();
  NextMinute();
  const storage::Revision before = api.store().revision();
  EXPECT_EQ(Patch(kResources, "v", R"({"spec":{"parameters":{"size":"10Gi"}}})").json(), made);
  EXPECT_EQ(api.Send("PUT", At(kResources, "v") + "?fieldManager=x", EncodeJson(made)).json(),
            made);
  EXPECT_EQ(Patch(kResources, "v", "{}", "x", "/status").json(), made);
  EXPECT_EQ(api.store().revision(), before);
}

TEST_F(ManagedFieldsTest, TheStatusIsOwnedThroughItsSubresource) {
  Make(kResources, ResourceObject("v"));
  NextMinute();
  const Json patched =
      Patch(kResources, "v", R"({"status":{"phase":"Ready"},"spec":{"suspend":true}})", "c",
            "/status")
          .json();
  EXPECT_EQ(Managers(patched), "maker Update@00, c Update/status@01");
  EXPECT_EQ(FieldsOf(patched, "c"), R"({"f:status":{".":{},"f:phase":{}}})");
}

TEST_F(ManagedFieldsTest, AnEmptyEntryResetsAndAnEmptyListDoesNot) {
  Make(kResources, ResourceObject("v"));
  EXPECT_EQ(Managers(Patch(kResources, "v", R"({"metadata":{"managedFields":[]}})").json()),
            "maker Update@00");
  const Json reset = Patch(kResources, "v", R"({"metadata":{"managedFields":[{}]}})").json();
  EXPECT_EQ(reset.FindPath({"metadata", "managedFields"}), nullptr);
  EXPECT_EQ(reset.IntAt({"metadata", "generation"}, 0), 1);
  EXPECT_EQ(Managers(Patch(kResources, "v", R"({"metadata":{"labels":{"a":"b"}}})").json()), "")
      << "until it is applied to";
}

TEST_F(ManagedFieldsTest, AJsonPatchMayMoveOwnership) {
  // As kubectl does where it goes over to server-side apply.
  Make(kResources, ResourceObject("v"));
  const ApiResponse patched =
      Patch(kResources, "v",
            R"([{"op":"replace","path":"/metadata/managedFields/0/manager","value":"kubectl"},
          {"op":"replace","path":"/metadata/managedFields/0/operation","value":"Apply"}])");
  ASSERT_EQ(patched.status, 200) << patched.body;
  EXPECT_EQ(Managers(patched.json()), "kubectl Apply@00");
}

TEST_F(ManagedFieldsTest, CoreKindsAreTrackedToo) {
  EXPECT_EQ(Managers(Make(kNamespaces, NamespaceObject("team-b")).json()), "maker Update@00");
  Json secret = SecretObject("acme");
  secret.Set("stringData", Json::Of({{"user", "me"}}));
  const Json made = Make(kSecrets, secret).json();
  EXPECT_THAT(FieldsOf(made, "maker"),
              HasSubstr(R"("f:data":{".":{},"f:password":{},"f:user":{}})"));
}

TEST_F(ManagedFieldsTest, ADryRunShowsTheOwnersAndStoresNothing) {
  const ApiResponse tried = api.Send("POST", std::string(kSystems) + "?fieldManager=m&dryRun=All",
                                     EncodeJson(SystemObject("acme")));
  EXPECT_EQ(Managers(tried.json()), "m Update@00");
  EXPECT_EQ(api.Get(At(kSystems, "acme")).status, 404);
}

TEST_F(ManagedFieldsTest, TablesAndPartialMetadataCarryTheOwners) {
  Make(kSystems, SystemObject("acme"));
  const ApiResponse partial =
      api.Get(At(kSystems, "acme"),
              {{"Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}});
  EXPECT_EQ(Managers(partial.json()), "maker Update@00");
  const ApiResponse table =
      api.Get(kSystems, {{"Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}});
  const Json parsed = table.json();
  EXPECT_EQ(Managers(*parsed.Find("rows")->as_array().front().Find("object")), "maker Update@00");
}

TEST_F(ManagedFieldsTest, ADeletionMarkLeavesTheOwners) {
  Json object = SystemObject("acme");
  object.ObjectAt("metadata").Set("finalizers", JsonArray{"example.com/x"});
  Make(kSystems, object);
  NextMinute();
  EXPECT_EQ(Managers(api.Send("DELETE", At(kSystems, "acme")).json()), "maker Update@00");
}

}  // namespace
}  // namespace asyncops::apiserver
