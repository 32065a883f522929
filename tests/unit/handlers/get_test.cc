#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

using testing::HasSubstr;

struct GetTest : testing::Test {
  GetTest() : object(api.Send("POST", kResources, EncodeJson(ResourceObject("v"))).json()) {}
  ApiHarness api;
  const Json object;
};

TEST_F(GetTest, AnswersTheObjectAsItIsStored) {
  const ApiResponse got = api.Get(At(kResources, "v"));
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.json(), object);
  EXPECT_EQ(got.headers.Get("Content-Type"), "application/json");
  EXPECT_EQ(got.headers.Get("Cache-Control"), "no-cache, private");
  EXPECT_EQ(api.Send("HEAD", At(kResources, "v")).status, 200);
  EXPECT_EQ(api.Get(At(kResources, "v") + "/status").json(), object);
}

TEST_F(GetTest, IsIndentedForPeople) {
  const ApiResponse got = api.Get(At(kResources, "v"), {{"User-Agent", "curl/8.0"}});
  EXPECT_THAT(got.body, testing::StartsWith("{\n  \"apiVersion\": "));
  EXPECT_EQ(got.json(), object);
}

TEST_F(GetTest, AnswersTheMetadataAlone) {
  const ApiResponse got =
      api.Get(At(kResources, "v"),
              {{"Accept",
                "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
                "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}});
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.headers.Get("Content-Type"), "application/json");
  EXPECT_EQ(got.Text({"kind"}), "PartialObjectMetadata");
  EXPECT_EQ(got.Text({"apiVersion"}), "meta.k8s.io/v1");
  EXPECT_EQ(got.Text({"metadata"}), EncodeJson(*object.Find("metadata")));
  EXPECT_EQ(got.Text({"spec"}), "");
}

TEST_F(GetTest, TakesAnyVersionThatHasBeen) {
  const std::string at = At(kResources, "v");
  EXPECT_EQ(api.Get(at + "?resourceVersion=0").status, 200);
  EXPECT_EQ(api.Get(at + "?resourceVersion=1").status, 200);
  const ApiResponse future = api.Get(at + "?resourceVersion=99");
  EXPECT_EQ(future.status, 504);
  EXPECT_EQ(EncodeJson(future.json()),
            R"({"apiVersion":"v1","code":504,"details":{"causes":[{"message":"Too large resource )"
            R"(version","reason":"ResourceVersionTooLarge"}],"retryAfterSeconds":1},"kind":)"
            R"("Status","message":"Timeout: Too large resource version: 99, current: 4",)"
            R"("metadata":{},"reason":"Timeout","status":"Failure"})");
  EXPECT_EQ(api.Get(at + "?resourceVersion=x").status, 422);
}

TEST_F(GetTest, OfNothingIsNotFoundInTheWordsOfKubernetes) {
  const ApiResponse got = api.Get(At(kResources, "w"));
  EXPECT_EQ(got.status, 404);
  EXPECT_EQ(EncodeJson(got.json()),
            R"({"apiVersion":"v1","code":404,"details":{"group":"asyncops.dev","kind":)"
            R"("asyncresources","name":"w"},"kind":"Status","message":)"
            R"("asyncresources.asyncops.dev \"w\" not found","metadata":{},"reason":"NotFound",)"
            R"("status":"Failure"})");
}

struct Row {
  std::string_view reason;
  std::string_view method;
  std::string_view target;
  int code;
  std::string_view message;  // a part of it
};

constexpr std::string_view kNoPath = "the server could not find the requested resource";

TEST_F(GetTest, PathsOfAnotherShapeAreRefused) {
  const std::vector<Row> table = {
      {"a namespaced object outside of a namespace (CVE-2019-11247)", "GET",
       "/apis/asyncops.dev/v1alpha1/asyncresources/v", 404, kNoPath},
      {"a namespace below a namespace", "GET", "/api/v1/namespaces/team-a/namespaces/team-a", 404,
       kNoPath},
      {"the same for deletion", "DELETE", "/apis/asyncops.dev/v1alpha1/asyncresources/v", 404,
       kNoPath},
      {"and for writing", "PUT", "/apis/asyncops.dev/v1alpha1/asyncresources/v", 404, kNoPath},
      {"a list of namespaces below a namespace", "GET", "/api/v1/namespaces/team-a/namespaces", 404,
       kNoPath},
      {"a subresource that is not there", "GET",
       "/apis/asyncops.dev/v1alpha1/namespaces/team-a/asyncresources/v/scale", 404, kNoPath},
      {"secrets have no status", "GET", "/api/v1/namespaces/team-a/secrets/s/status", 404, kNoPath},
      {"nothing lies below the status", "GET",
       "/apis/asyncops.dev/v1alpha1/namespaces/team-a/asyncresources/v/status/x", 404, kNoPath},
      {"a name that climbs", "GET",
       "/apis/asyncops.dev/v1alpha1/namespaces/team-a/asyncresources/..", 400,
       "Name parameter invalid: \"..\": may not be '..'"},
      {"a name that stays", "GET", "/apis/asyncops.dev/v1alpha1/namespaces/team-a/asyncresources/.",
       400, "may not be '.'"},
      {"an escape of an escape", "GET",
       "/apis/asyncops.dev/v1alpha1/namespaces/team-a/asyncresources/a%252fb", 400,
       "may not contain '%'"},
      {"a name that is none", "GET",
       "/apis/asyncops.dev/v1alpha1/namespaces/team-a/asyncresources/Not_A_Name", 404, "not found"},
      {"a climbing namespace", "GET", "/apis/asyncops.dev/v1alpha1/namespaces/../asyncresources/v",
       404, "not found"},
      {"an object of another namespace", "GET",
       "/apis/asyncops.dev/v1alpha1/namespaces/default/asyncresources/v", 404, "not found"},
      {"a creation by name", "POST",
       "/apis/asyncops.dev/v1alpha1/namespaces/team-a/asyncresources/v", 405,
       "create is not supported on resources of kind \"asyncresources.asyncops.dev\""},
      {"a creation in all namespaces", "POST", "/apis/asyncops.dev/v1alpha1/asyncresources", 405,
       "create is not supported"},
      {"an update of all", "PUT", "/apis/asyncops.dev/v1alpha1/namespaces/team-a/asyncresources",
       405, "update is not supported"},
      {"a patch of all", "PATCH", "/apis/asyncops.dev/v1alpha1/namespaces/team-a/asyncresources",
       405, "patch is not supported"},
      {"a deletion of the status", "DELETE",
       "/apis/asyncops.dev/v1alpha1/namespaces/team-a/asyncresources/v/status", 405,
       "delete is not supported"},
      {"a creation of the status", "POST",
       "/apis/asyncops.dev/v1alpha1/namespaces/team-a/asyncresources/v/status", 405,
       "create is not supported"},
      {"another method", "BREW", "/apis/asyncops.dev/v1alpha1/namespaces/team-a/asyncresources/v",
       405, "brew is not supported"},
      {"an update of the history", "PUT",
       "/apis/operations.asyncops.dev/v1alpha1/namespaces/team-a/asyncoperations/o/history", 405,
       "update is not supported"},
  };
  for (const Row& row : table) {
    const ApiResponse refused = api.Send(row.method, row.target);
    EXPECT_EQ(refused.status, row.code) << row.reason << refused.body;
    EXPECT_THAT(refused.Text({"message"}), HasSubstr(std::string(row.message))) << row.reason;
  }
  EXPECT_EQ(api.Get(At(kResources, "v")).json(), object);
}

TEST_F(GetTest, TheHistoryOfAnOperationIsThere) {
  ASSERT_EQ(api.Send("POST", kOperations, EncodeJson(OperationObject("o"))).status, 201);
  const ApiResponse history = api.Get(At(kOperations, "o/history"));
  EXPECT_EQ(history.status, 200) << history.body;
  EXPECT_EQ(history.Text({"kind"}), "AsyncOperationHistory");
}

}  // namespace
}  // namespace asyncops::apiserver
