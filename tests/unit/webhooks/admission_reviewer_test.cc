#include "webhooks/admission_reviewer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"

namespace asyncops::webhooks {
namespace {

using testing::HasSubstr;

constexpr std::string_view kResource = R"({
  "apiVersion": "asyncops.dev/v1alpha1", "kind": "AsyncResource",
  "metadata": {"name": "data-volume", "namespace": "team-a"},
  "spec": {"externalSystemRef": {"name": "acme-cloud"},
           "create": {"submit": {"path": "/volumes"}},
           "delete": {"submit": {"path": "/volumes/1"}}}})";

// A review as kube-apiserver sends it; `object` and `old_object` are JSON texts.
struct ReviewText {
  std::string_view operation = "CREATE";
  std::string_view object = kResource;
  std::string_view old_object = "null";
  std::string_view kind = R"({"group":"asyncops.dev","version":"v1alpha1","kind":"AsyncResource"})";
  std::string_view more = "";
};

std::string Body(const ReviewText& text) {
  std::string body =
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1",)";
  body.append(R"("name":"data-volume","namespace":"team-a","userInfo":{"username":"me"},)");
  body.append(R"("resource":{"group":"asyncops.dev","version":"v1alpha1","resource":"x"},)");
  body.append(R"("kind":)").append(text.kind);
  body.append(R"(,"operation":")").append(text.operation);
  body.append(R"(","object":)").append(text.object);
  body.append(R"(,"oldObject":)").append(text.old_object);
  body.append(text.more).append("}}");
  return body;
}

http::Response Post(std::string body, std::string content_type = "application/json") {
  http::Request request;
  request.method = "POST";
  request.path = kValidatePath;
  request.headers.Add("Content-Type", std::move(content_type));
  request.body = std::move(body);
  return AdmissionReviewer().Review(request);
}

constexpr std::string_view kAllowed =
    R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",)"
    R"("response":{"allowed":true,"uid":"u-1"}})";

TEST(AdmissionReviewerTest, AllowsAValidObject) {
  const http::Response response = Post(Body({}));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.Get("Content-Type"), "application/json");
  EXPECT_EQ(response.body, kAllowed);
}

TEST(AdmissionReviewerTest, AllowsADryRunAndUnknownMembersAndFields) {
  EXPECT_EQ(Post(Body({.more = R"(,"dryRun":true,"options":{"x":[]},"new":1)"})).body, kAllowed);
  EXPECT_EQ(Post(Body({}), "application/json; charset=utf-8").body, kAllowed);
}

TEST(AdmissionReviewerTest, RefusesWithEveryMistakeAsACause) {
  const http::Response response = Post(Body({.object = R"({
    "apiVersion": "asyncops.dev/v1alpha1", "kind": "AsyncResource",
    "metadata": {"name": "data-volume", "namespace": "team-a"},
    "spec": {"externalSystemRef": {"name": "acme-cloud"}, "deletionPolicy": "Keep",
             "create": {"submit": {"path": "volumes"}},
             "delete": {"submit": {"path": "/volumes/1"}}}})"}));
  EXPECT_EQ(response.status, 200);
  const std::string policy =
      "Unsupported value: \"Keep\": supported values: \"Delete\", \"Orphan\"";
  const std::string path =
      "Invalid value: \"volumes\": must start with \"/\" (it is joined to the endpoint's path), be "
      "an absolute http or https URL, or start with an expression such as ${operation.pollURL}";
  const Json expected = Json::Of(
      {{"apiVersion", "admission.k8s.io/v1"},
       {"kind", "AdmissionReview"},
       {"response",
        Json::Of(
            {{"uid", "u-1"},
             {"allowed", false},
             {"status",
              Json::Of({{"metadata", JsonObject()},
                        {"status", "Failure"},
                        {"message",
                         "AsyncResource.asyncops.dev \"data-volume\" is invalid: "
                         "[spec.deletionPolicy: " +
                             policy + ", spec.create.submit.path: " + path + "]"},
                        {"reason", "Invalid"},
                        {"code", 422},
                        {"details",
                         Json::Of({{"name", "data-volume"},
                                   {"group", "asyncops.dev"},
                                   {"kind", "AsyncResource"},
                                   {"causes",
                                    JsonArray{Json::Of({{"reason", "FieldValueNotSupported"},
                                                        {"message", policy},
                                                        {"field", "spec.deletionPolicy"}}),
                                              Json::Of({{"reason", "FieldValueInvalid"},
                                                        {"message", path},
                                                        {"field",
                                                         "spec.create.submit.path"}})}}})}})}})}});
  EXPECT_EQ(response.body, EncodeJson(expected));
}

TEST(AdmissionReviewerTest, WarnsOfWhatIsLegalButUnwise) {
  const http::Response response = Post(Body({.object = R"({
    "metadata": {"name": "data-volume", "namespace": "team-a"},
    "spec": {"externalSystemRef": {"name": "acme-cloud"},
             "create": {"submit": {"path": "/volumes"}}}})"}));
  EXPECT_EQ(response.body,
            R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":)"
            R"({"allowed":true,"uid":"u-1","warnings":["spec.delete is absent: deleting this )"
            R"(leaves the thing outside; add it, or deletionPolicy: Orphan"]}})");
}

TEST(AdmissionReviewerTest, ComparesAnUpdateWithWhatWas) {
  const std::string ready =
      std::string(kResource.substr(0, kResource.size() - 1)) + R"(,"status":{"phase":"Ready"}})";
  EXPECT_EQ(Post(Body({.operation = "UPDATE", .object = ready, .old_object = ready})).body,
            kAllowed);
  const std::string changed = R"({
    "metadata": {"name": "data-volume", "namespace": "team-a"}, "status": {"phase": "Ready"},
    "spec": {"externalSystemRef": {"name": "acme-cloud"}, "parameters": {"size": 2},
             "create": {"submit": {"path": "/volumes"}},
             "delete": {"submit": {"path": "/volumes/1"}}}})";
  EXPECT_THAT(Post(Body({.operation = "UPDATE", .object = changed, .old_object = ready})).body,
              HasSubstr("spec.parameters: Forbidden: cannot change while the thing exists"));
}

TEST(AdmissionReviewerTest, AllowsADeleteAndSaysWhatStaysOutside) {
  EXPECT_EQ(Post(Body({.operation = "DELETE", .object = "null", .old_object = kResource})).body,
            kAllowed);
  EXPECT_EQ(Post(Body({.operation = "DELETE", .object = "null"})).body, kAllowed);
  EXPECT_THAT(Post(Body({.operation = "DELETE",
                         .object = "null",
                         .old_object = R"({"spec":{},"status":{"phase":"Ready"}})"}))
                  .body,
              HasSubstr("what was made outside stays there"));
}

TEST(AdmissionReviewerTest, LeavesStatusToItsWriter) {
  EXPECT_EQ(Post(Body({.operation = "UPDATE",
                       .object = "{}",
                       .old_object = "{}",
                       .more = R"(,"subResource":"status")"}))
                .body,
            kAllowed);
}

TEST(AdmissionReviewerTest, ReviewsExternalSystemsAndAsyncOperations) {
  EXPECT_THAT(
      Post(Body({.object = R"({"metadata":{"name":"x","namespace":"y"},"spec":{"endpoint":"a"}})",
                 .kind =
                     R"({"group":"asyncops.dev","version":"v1alpha1","kind":"ExternalSystem"})"}))
          .body,
      HasSubstr("spec.endpoint: Invalid value"));
  EXPECT_THAT(
      Post(Body({.object = R"({"metadata":{"name":"x","namespace":"y"},"spec":{"type":"Make"}})",
                 .kind = R"({"group":"operations.asyncops.dev","version":"v1alpha1",)"
                         R"("kind":"AsyncOperation"})"}))
          .body,
      HasSubstr("spec.type: Unsupported value"));
}

TEST(AdmissionReviewerTest, RefusesRequestsThatMakeNoSenseWithTheirUid) {
  struct Row {
    std::string_view reason;
    ReviewText review;
    std::string_view message;
  };
  const Row rows[] = {
      {"a kind that is not ours",
       {.kind = R"({"group":"apps","version":"v1","kind":"Deployment"})"},
       "this webhook validates kinds of asyncops.dev/v1alpha1"},
      {"another version",
       {.kind = R"({"group":"asyncops.dev","version":"v9","kind":"AsyncResource"})"},
       "this webhook validates kinds of"},
      {"a kind of a wrong type", {.kind = "7"}, "this webhook validates kinds of"},
      {"nothing to connect to", {.operation = "CONNECT"}, "must be CREATE, UPDATE or DELETE"},
      {"nothing to create", {.object = "null"}, "a CREATE needs an object"},
      {"an object that is none", {.object = "[1]"}, "a CREATE needs an object"},
      {"nothing to compare with", {.operation = "UPDATE"}, "an UPDATE needs an oldObject"},
  };
  for (const Row& row : rows) {
    const http::Response response = Post(Body(row.review));
    EXPECT_EQ(response.status, 200) << row.reason;
    const Json body = *ParseJson(response.body);
    EXPECT_EQ(body.StringAt({"response", "uid"}), "u-1") << row.reason;
    EXPECT_EQ(body.IntAt({"response", "status", "code"}, 0), 400) << row.reason;
    EXPECT_THAT(std::string(body.StringAt({"response", "status", "message"})),
                HasSubstr(row.message))
        << row.reason;
    EXPECT_THAT(response.body, HasSubstr(R"("allowed":false)")) << row.reason;
  }
}

TEST(AdmissionReviewerTest, AnswersAStatusWhereThereIsNoUid) {
  struct Row {
    std::string_view reason;
    std::string_view body;
  };
  const Row rows[] = {
      {"nothing", ""},
      {"half a document", R"({"kind":"AdmissionReview",)"},
      {"no object", "[]"},
      {"another kind", R"({"kind":"Pod","apiVersion":"v1"})"},
      {"an older version", R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1",)"
                           R"("request":{"uid":"a"}})"},
      {"no request", R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"})"},
      {"no uid",
       R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":7}})"},
  };
  for (const Row& row : rows) {
    const http::Response response = Post(std::string(row.body));
    EXPECT_EQ(response.status, 400) << row.reason;
    EXPECT_EQ(ParseJson(response.body)->StringAt({"kind"}), "Status") << row.reason;
  }
}

TEST(AdmissionReviewerTest, TakesPostedJsonAlone) {
  EXPECT_EQ(Post(Body({}), "text/plain").status, 415);
  http::Request request;
  request.method = "GET";
  EXPECT_EQ(AdmissionReviewer().Review(request).status, 405);
}

TEST(AdmissionReviewerTest, SurvivesDeepAndRepeatedInput) {
  std::string deep(500, '[');
  EXPECT_EQ(Post(deep).status, 400);
  EXPECT_EQ(Post(std::string(100000, '{')).status, 400);
}

}  // namespace
}  // namespace asyncops::webhooks
