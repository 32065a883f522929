#include "apiserver/handlers/api_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.h"
#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

using testing::HasSubstr;

struct ApiHandlerTest : testing::Test {
  ApiHarness api;
};

TEST_F(ApiHandlerTest, WhoShowsNoCredentialIsAskedForOne) {
  for (const std::string_view target :
       {kResources, std::string_view("/apis"), std::string_view("/metrics"),
        std::string_view("/openapi/v2"), std::string_view("/nothing")}) {
    const ApiResponse refused = api.Get(target, {{"Authorization", "Basic eA=="}});
    EXPECT_EQ(refused.status, 401) << target;
    EXPECT_EQ(EncodeJson(refused.json()),
              R"({"apiVersion":"v1","code":401,"kind":"Status","message":"Unauthorized",)"
              R"("metadata":{},"reason":"Unauthorized","status":"Failure"})");
  }
  EXPECT_EQ(api.Get("/livez", {{"Authorization", "Basic eA=="}}).status, 200);
  EXPECT_EQ(api.Send("POST", "/livez", "", {{"Authorization", "Basic eA=="}}).status, 401);
  EXPECT_EQ(api.Send("POST", "/validate", "{}", {{"Authorization", "Basic eA=="}}).status, 401);
}

TEST_F(ApiHandlerTest, ATokenThatIsWrongIsRefusedEvenForProbes) {
  EXPECT_EQ(api.Get("/livez", {{"Authorization", "Bearer wrong"}}).status, 401);
  EXPECT_EQ(api.Get(kResources, {{"Authorization", "Bearer wrong"}}).status, 401);
  EXPECT_EQ(
      api.Get(kResources, {{"Authorization", "bearer " + std::string(ApiHarness::kToken)}}).status,
      200);
}

TEST_F(ApiHandlerTest, EchoesTheAuditIdOrGivesOne) {
  EXPECT_EQ(api.Get("/version", {{"Audit-ID", "mine-1"}}).headers.Get("Audit-Id"), "mine-1");
  const std::string first(api.Get("/version").headers.Get("Audit-Id"));
  const std::string second(api.Get("/version").headers.Get("Audit-Id"));
  EXPECT_EQ(first.size(), 36u);
  EXPECT_NE(first, second);
  EXPECT_EQ(
      api.Get("/version", {{"Audit-ID", std::string(65, 'x')}}).headers.Get("Audit-Id").size(),
      36u);
  EXPECT_NE(api.Get(kResources, {{"Authorization", "none"}}).headers.Get("Audit-Id"), "");
}

TEST_F(ApiHandlerTest, WhoMayImpersonateActsAsTheOther) {
  std::vector<std::string> asked;
  api.SetAuthorization([&asked](const Attributes& attributes) {
    asked.push_back(attributes.user->name + " " + std::string(attributes.verb) + " " +
                    std::string(attributes.resource) + " " + std::string(attributes.name));
    return Decision{.allowed = attributes.name != "root"};
  });
  EXPECT_EQ(api.Get(kResources, {{"impersonate-user", "ada"}}).status, 200);
  EXPECT_THAT(asked,
              testing::ElementsAre("tester impersonate users ada", "ada list asyncresources "));
  EXPECT_EQ(api.AuditLines().back().StringAt({"user"}), "tester");
  EXPECT_EQ(api.AuditLines().back().StringAt({"impersonatedUser"}), "ada");
  asked.clear();
  const ApiResponse refused = api.Get(kResources, {{"Impersonate-User", "root"}});
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.Text({"message"}), HasSubstr("User \"tester\" cannot impersonate"));
  EXPECT_EQ(refused.headers.Get("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(asked.size(), 1u);
  EXPECT_EQ(api.AuditLines().back().StringAt({"user"}), "tester");
  EXPECT_FALSE(api.AuditLines().back().Find("impersonatedUser"));
}

TEST_F(ApiHandlerTest, ImpersonationIsNeverIgnored) {
  for (const std::string_view name :
       {"impersonate-group", "Impersonate-Uid", "IMPERSONATE-EXTRA-Scopes", "Impersonate-X"}) {
    const ApiResponse refused = api.Get(kResources, {{std::string(name), "admin"}});
    EXPECT_EQ(refused.status, 400) << name;
    EXPECT_EQ(refused.Text({"message"}), "impersonation needs Impersonate-User");
  }
  EXPECT_EQ(api.Get("/livez", {{"Authorization", "none"}, {"Impersonate-User", "tester"}}).status,
            401);
}

TEST_F(ApiHandlerTest, TheTimeoutMustReadAsADuration) {
  const std::string list(kResources);
  EXPECT_EQ(api.Get(list + "?timeout=32s").status, 200);
  EXPECT_EQ(api.Get(list + "?timeout=").status, 200);
  const ApiResponse refused = api.Get(list + "?timeout=soon");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.Text({"message"}),
            "invalid timeout specified in the request URL - time: invalid duration \"soon\"");
  EXPECT_EQ(api.Watch(list + "?watch=1&timeout=soon")->status(), 200);
}

TEST_F(ApiHandlerTest, UnknownPathsAreNotFound) {
  for (const std::string_view target :
       {"/nothing", "/apis/example.com/v1/things", "/apis/asyncops.dev/v9/asyncresources",
        "/apis/asyncops.dev/v1alpha1/things", "/api/v1/pods", "/api/v2/secrets",
        "/apis/asyncops.dev/v1alpha1/watch/asyncresources", "/apis//asyncops.dev/v1alpha1"}) {
    const ApiResponse refused = api.Get(target);
    EXPECT_EQ(refused.status, 404) << target;
    EXPECT_EQ(refused.Text({"message"}), "the server could not find the requested resource");
    EXPECT_EQ(refused.Text({"reason"}), "NotFound");
  }
}

TEST_F(ApiHandlerTest, AnotherMethodOnAFixedPathIsNotAllowed) {
  for (const std::string_view target : {"/apis", "/version", "/livez", "/metrics", "/openapi/v2"}) {
    const ApiResponse refused = api.Send("POST", target, "{}");
    EXPECT_EQ(refused.status, 405) << target;
    EXPECT_EQ(refused.Text({"reason"}), "MethodNotAllowed");
  }
  EXPECT_EQ(api.Send("PUT", "/validate", "{}").status, 405);
  EXPECT_EQ(api.Send("GET", "/validate").status, 405);
  EXPECT_EQ(api.Send("POST", "/nothing", "{}").status, 404);
}

TEST_F(ApiHandlerTest, ReviewsAreForTheReviewer) {
  EXPECT_EQ(api.Send("POST", "/validate?timeout=10s", "{\"a\":1}").body, "{\"a\":1}");
  EXPECT_EQ(api.handler().MaxBodyBytes(ApiHarness::MakeRequest("POST", "/validate", "", {})),
            kMaxReviewBodyBytes);
  EXPECT_EQ(api.handler().MaxBodyBytes(ApiHarness::MakeRequest("POST", kResources, "", {})),
            kMaxRequestBodyBytes);
}

TEST_F(ApiHandlerTest, LargeBodiesAreCompressedForWhoTakesIt) {
  const ApiResponse plain = api.Get("/openapi/v2");
  ASSERT_GT(plain.body.size(), 128u * 1024);
  const ApiResponse small = api.Get("/openapi/v2", {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(small.headers.Get("Content-Encoding"), "gzip");
  EXPECT_THAT(small.headers.GetAll("Vary"), testing::Contains("Accept-Encoding"));
  EXPECT_LT(small.body.size(), plain.body.size() / 2);
  EXPECT_EQ(small.body.substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(api.Get("/openapi/v2", {{"Accept-Encoding", "gzip;q=0"}}).body, plain.body);
  EXPECT_EQ(api.Get("/apis", {{"Accept-Encoding", "gzip"}}).headers.Get("Content-Encoding"), "");
}

// Requests that nobody has answered yet.
struct InFlightTest : ApiHandlerTest {
  InFlightTest() {
    api.SetResourceFunction([this](const ResourceInfo& /*resource*/, ApiContext context) {
      waiting.push_back(std::move(context));
    });
  }
  void Start(std::string_view method, std::string_view target) {
    api.Start(ApiHarness::MakeRequest(method, target, "", {}),
              [this](const http::Response& response) { answers.push_back(response.status); });
  }
  std::vector<ApiContext> waiting;
  std::vector<int> answers;
};

TEST_F(InFlightTest, ReadsAndWritesHaveALimitEach) {
  for (int i = 0; i < kMaxMutatingInFlight; ++i) Start("POST", kResources);
  for (int i = 0; i < kMaxReadOnlyInFlight; ++i) Start("GET", kResources);
  EXPECT_TRUE(answers.empty());
  for (const std::string_view method : {"POST", "GET"}) {
    const ApiResponse refused = api.Send(method, kResources);
    EXPECT_EQ(refused.status, 429) << method;
    EXPECT_EQ(refused.headers.Get("Retry-After"), "1");
    EXPECT_EQ(EncodeJson(refused.json()),
              R"({"apiVersion":"v1","code":429,"details":{"retryAfterSeconds":1},"kind":"Status",)"
              R"("message":"Too many requests, please try again later.","metadata":{},)"
              R"("reason":"TooManyRequests","status":"Failure"})");
  }
  // Probes and discovery never queue behind objects.
  EXPECT_EQ(api.Get("/apis/asyncops.dev/v1alpha1").status, 200);
  EXPECT_EQ(api.Get("/livez").status, 200);
  // An answer makes room, and so does a request that a handler drops.
  waiting.front().respond(http::Response());
  Start("POST", kResources);
  EXPECT_EQ(answers, std::vector<int>{200});
  waiting.clear();
  Start("POST", kResources);
  EXPECT_EQ(waiting.size(), 1u);
}

TEST_F(InFlightTest, MastersAreNeverTurnedAway) {
  for (int i = 0; i < kMaxMutatingInFlight; ++i) Start("POST", kResources);
  const std::size_t before = waiting.size();
  api.Start(ApiHarness::MakeRequest(
                "POST", kResources, "",
                {{"Authorization", "Bearer " + std::string(ApiHarness::kMasterToken)}}),
            [](const http::Response&) {});
  EXPECT_EQ(waiting.size(), before + 1);
  EXPECT_EQ(api.Send("POST", kResources).status, 429);
}

TEST_F(InFlightTest, WhatIsRefusedEarlyTakesNoRoom) {
  for (int i = 0; i < 2 * kMaxReadOnlyInFlight; ++i) {
    ASSERT_EQ(api.Get(kResources, {{"Impersonate-Group", "x"}}).status, 400);
    ASSERT_EQ(api.Get(std::string(kResources) + "?timeout=x").status, 400);
  }
  Start("GET", kResources);
  EXPECT_EQ(waiting.size(), 1u);
}

}  // namespace
}  // namespace asyncops::apiserver
