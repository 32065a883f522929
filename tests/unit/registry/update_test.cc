#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

struct UpdateTest : testing::Test {
  UpdateTest() {
    const ApiResponse made = api.Send("POST", kResources, EncodeJson(ResourceObject("v")));
    EXPECT_EQ(made.status, 201) << made.body;
    object = made.json();
  }
  ApiResponse Put(const std::string& body, std::string_view suffix = "") {
    return api.Send("PUT", At(kResources, "v") + std::string(suffix), body);
  }

  ApiHarness api;
  Json object;  // as it stands
};

TEST_F(UpdateTest, ChangesTheObjectAndItsGeneration) {
  const ApiResponse put = Put(With(object, R"({"spec":{"parameters":{"size":"20Gi"}}})"));
  EXPECT_EQ(put.status, 200) << put.body;
  EXPECT_EQ(put.Text({"spec", "parameters", "size"}), "20Gi");
  EXPECT_EQ(put.Text({"metadata", "generation"}), "2");
  EXPECT_NE(put.Text({"metadata", "resourceVersion"}),
            object.StringAt({"metadata", "resourceVersion"}));
  EXPECT_EQ(put.Text({"metadata", "uid"}), object.StringAt({"metadata", "uid"}));
  EXPECT_EQ(api.Get(At(kResources, "v")).body, put.body);
}

TEST_F(UpdateTest, LabelsMoveTheVersionAndNotTheGeneration) {
  const ApiResponse put = Put(With(object, R"({"metadata":{"labels":{"a":"b"}}})"));
  EXPECT_EQ(put.status, 200) << put.body;
  EXPECT_EQ(put.Text({"metadata", "generation"}), "1");
  EXPECT_NE(put.Text({"metadata", "resourceVersion"}),
            object.StringAt({"metadata", "resourceVersion"}));
}

TEST_F(UpdateTest, ThatChangesNothingWritesNothing) {
  const storage::Revision before = api.store().revision();
  const ApiResponse put = Put(With(object, R"({"status":{"phase":"Ready"}})"));
  EXPECT_EQ(put.status, 200) << put.body;
  EXPECT_EQ(put.json(), object);
  EXPECT_EQ(api.store().revision(), before);
}

TEST_F(UpdateTest, AStaleVersionIsAConflict) {
  ASSERT_EQ(Put(With(object, R"({"metadata":{"labels":{"a":"b"}}})")).status, 200);
  for (const std::string_view suffix : {"", "/status"}) {
    const ApiResponse put = Put(
        With(object, R"({"metadata":{"labels":{"a":"c"}},"status":{"phase":"Ready"}})"), suffix);
    EXPECT_EQ(put.status, 409) << suffix;
    EXPECT_EQ(EncodeJson(put.json()),
              R"({"apiVersion":"v1","code":409,"details":{"group":"asyncops.dev",)"
              R"("kind":"asyncresources","name":"v"},"kind":"Status","message":"Operation cannot )"
              R"(be fulfilled on asyncresources.asyncops.dev \"v\": the object has been modified; )"
              R"(please apply your changes to the latest version and try again","metadata":{},)"
              R"("reason":"Conflict","status":"Failure"})");
  }
}

struct Refusal {
  std::string_view reason;
  std::string_view patch;
  int code;
  std::string_view message;
};

TEST_F(UpdateTest, RefusesWhatDoesNotFit) {
  const std::vector<Refusal> table = {
      {"a PUT is for what was read", R"({"metadata":{"resourceVersion":null}})", 422,
       "AsyncResource.asyncops.dev \"v\" is invalid: metadata.resourceVersion: Invalid value: 0x0: "
       "must be specified for an update"},
      {"another object of that name", R"({"metadata":{"uid":"other"}})", 409,
       "Operation cannot be fulfilled on asyncresources.asyncops.dev \"v\": Precondition failed: "
       "UID in precondition: other, UID in object meta: "
       "00000000-0000-4000-8000-000000000004"},
      {"another name", R"({"metadata":{"name":"w"}})", 400,
       "the name of the object (w) does not match the name on the URL (v)"},
      {"no name", R"({"metadata":{"name":null}})", 400,
       "the name of the object (v based on URL) was undeterminable: name must be provided"},
      {"another namespace", R"({"metadata":{"namespace":"team-b"}})", 400,
       "the namespace of the object (team-b) does not match the namespace on the request (team-a)"},
      {"a wrong type", R"({"spec":{"suspend":"yes"}})", 422,
       "AsyncResource.asyncops.dev \"v\" is invalid: spec.suspend: Invalid value: \"string\": must "
       "be "
       "a boolean (true or false)"},
  };
  for (const Refusal& row : table) {
    const ApiResponse put = Put(With(object, row.patch));
    EXPECT_EQ(put.status, row.code) << row.reason;
    EXPECT_EQ(put.Text({"message"}), row.message) << row.reason;
    EXPECT_EQ(api.Get(At(kResources, "v")).json(), object) << row.reason;
  }
}

TEST_F(UpdateTest, OfNothingIsNotFound) {
  const ApiResponse put = api.Send("PUT", At(kResources, "w"), EncodeJson(ResourceObject("w")));
  EXPECT_EQ(put.status, 404);
  EXPECT_EQ(EncodeJson(put.json()),
            R"({"apiVersion":"v1","code":404,"details":{"group":"asyncops.dev",)"
            R"("kind":"asyncresources","name":"w"},"kind":"Status","message":)"
            R"("asyncresources.asyncops.dev \"w\" not found","metadata":{},)"
            R"("reason":"NotFound","status":"Failure"})");
}

TEST_F(UpdateTest, OfTheStatusChangesTheStatusAlone) {
  const ApiResponse put = Put(With(object, R"({"metadata":{"labels":{"a":"b"}},
      "spec":{"parameters":{"size":"20Gi"}},"status":{"phase":"Ready"}})"),
                              "/status");
  EXPECT_EQ(put.status, 200) << put.body;
  EXPECT_EQ(put.Text({"status", "phase"}), "Ready");
  EXPECT_EQ(put.Text({"spec", "parameters", "size"}), "10Gi");
  EXPECT_EQ(put.Text({"metadata", "labels"}), "");
  EXPECT_EQ(put.Text({"metadata", "generation"}), "1");
  EXPECT_EQ(api.Get(At(kResources, "v") + "/status").body, put.body);
}

TEST_F(UpdateTest, OfTheStatusIsValidated) {
  const ApiResponse put = Put(With(object, R"({"status":{"phase":"Perfect"}})"), "/status");
  EXPECT_EQ(put.status, 422) << put.body;
  EXPECT_THAT(put.Text({"message"}), testing::HasSubstr("status.phase: Unsupported value"));
}

TEST_F(UpdateTest, UnknownFieldsOfTheStatusFollowTheFieldValidation) {
  const std::string body = With(object, R"({"status":{"phase":"Ready","bogus":1}})");
  EXPECT_EQ(Put(body, "/status?fieldValidation=Strict").status, 400);
  const ApiResponse put = Put(body, "/status");
  EXPECT_EQ(put.status, 200);
  EXPECT_EQ(put.headers.Get("Warning"), "299 - \"unknown field \\\"status.bogus\\\"\"");
  EXPECT_EQ(put.Text({"status", "bogus"}), "");
}

TEST_F(UpdateTest, ADryRunLeavesTheObject) {
  const ApiResponse put =
      Put(With(object, R"({"spec":{"parameters":{"size":"20Gi"}}})"), "?dryRun=All");
  EXPECT_EQ(put.status, 200) << put.body;
  EXPECT_EQ(put.Text({"spec", "parameters", "size"}), "20Gi");
  EXPECT_EQ(api.Get(At(kResources, "v")).json(), object);
}

TEST_F(UpdateTest, RemovingTheLastFinalizerEndsADeletion) {
  Json held =
      Put(With(object, R"({"metadata":{"finalizers":["a.example/x","a.example/y"]}})")).json();
  ASSERT_EQ(api.Send("DELETE", At(kResources, "v")).status, 200);
  held = api.Get(At(kResources, "v")).json();
  const ApiResponse one = Put(With(held, R"({"metadata":{"finalizers":["a.example/x"]}})"));
  EXPECT_EQ(one.status, 200) << one.body;
  EXPECT_EQ(api.Get(At(kResources, "v")).status, 200);
  const ApiResponse none = Put(With(one.json(), R"({"metadata":{"finalizers":null}})"));
  EXPECT_EQ(none.status, 200) << none.body;
  EXPECT_EQ(api.Get(At(kResources, "v")).status, 404);
}

TEST_F(UpdateTest, UnderDeletionNoFinalizerIsAdded) {
  Json held = Put(With(object, R"({"metadata":{"finalizers":["a.example/x"]}})")).json();
  ASSERT_EQ(api.Send("DELETE", At(kResources, "v")).status, 200);
  held = api.Get(At(kResources, "v")).json();
  const ApiResponse put =
      Put(With(held, R"({"metadata":{"finalizers":["a.example/x","a.example/y"]}})"));
  EXPECT_EQ(put.status, 422) << put.body;
  EXPECT_THAT(put.Text({"message"}), testing::HasSubstr("metadata.finalizers: Forbidden"));
}

TEST_F(UpdateTest, TheDeletionTimestampIsTheServersToSet) {
  const ApiResponse put =
      Put(With(object, R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"}})"));
  EXPECT_EQ(put.status, 200) << put.body;
  EXPECT_EQ(put.Text({"metadata", "deletionTimestamp"}), "");
}

TEST_F(UpdateTest, OfCoreObjectsMayBeUnconditional) {
  ASSERT_EQ(api.Send("POST", kSecrets, EncodeJson(SecretObject("s"))).status, 201);
  const std::string body = With(SecretObject("s"), R"({"metadata":{"labels":{"a":"b"}}})");
  const ApiResponse put = api.Send("PUT", At(kSecrets, "s"), body);
  EXPECT_EQ(put.status, 200) << put.body;
  EXPECT_EQ(put.Text({"metadata", "labels", "a"}), "b");
}

}  // namespace
}  // namespace asyncops::apiserver
