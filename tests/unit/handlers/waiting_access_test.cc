// Requests whose user, or whose permission, is not known at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "apiserver/handlers/api_handler.h"
#include "apiserver/handlers/respond.h"
#include "base/limits.h"
#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_ids.h"

namespace asyncops::apiserver {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

// Only the first answer counts.
template <class Answer>
std::function<void(Answer)> Once(std::function<void(Answer)> done) {
  auto left = std::make_shared<std::function<void(Answer)>>(std::move(done));
  return [left](Answer answer) {
    if (const auto first = std::exchange(*left, nullptr)) first(std::move(answer));
  };
}

// Both answer when the test says so.
struct WaitingAuthenticator final : Authenticator {
  void Authenticate(const http::Request& request, AuthenticationCallback done) const override {
    requests.push_back(&request);
    waiting.push_back(Once(std::move(done)));
  }
  std::optional<Authentication> TryAuthenticate(const http::Request& /*request*/) const override {
    return std::nullopt;
  }
  mutable std::vector<const http::Request*> requests;
  mutable std::vector<AuthenticationCallback> waiting;
};
struct WaitingAuthorizer final : Authorizer {
  void Authorize(const Attributes& attributes, std::function<void(Decision)> done) const override {
    asked.push_back(attributes);
    waiting.push_back(Once(std::move(done)));
  }
  mutable std::vector<Attributes> asked;
  mutable std::vector<std::function<void(Decision)>> waiting;
};

UserPointer Ada() {
  UserInfo user;
  user.name = "ada";
  return MakeAuthenticated(std::move(user));
}

struct WaitingAccessTest : testing::Test {
  WaitingAccessTest() {
    ApiHandlerOptions options;
    options.resources = ServedResources();
    options.handle_resource = [this](const ResourceInfo& /*resource*/, ApiContext context) {
      handled.push_back(std::move(context));
    };
    options.review_path = "/validate";
    options.review = [](const http::Request& request) { return JsonResponse(200, request.body); };
    options.admit_review = [this](const http::Request& /*request*/) { return admission; };
    options.audit = [this](std::string_view line) { lines.push_back(ParseJson(line).value()); };
    handler = std::make_unique<ApiHandler>(std::move(options), authenticator, authorizer, metrics,
                                           clock, ids);
  }
  // Who was asked answers in the end, and the handler outlives the requests.
  ~WaitingAccessTest() override {
    for (const auto& done : authenticator.waiting) done(Status(Reason::kUnauthorized, "the end"));
    for (const auto& done : authorizer.waiting) done({.allowed = false});
    handled.clear();
  }
  void Start(std::string_view method, std::string_view target) {
    handler->Handle(ApiHarness::MakeRequest(method, target, "", {}),
                    [this](http::Response response) { answers.push_back(std::move(response)); });
  }
  void Pass(std::chrono::milliseconds time) {
    clock.Advance(time);
    handler->ExpireOverdue();
  }
  std::vector<int> Codes() const {
    std::vector<int> out;
    for (const http::Response& answer : answers) out.push_back(answer.status);
    return out;
  }

  FakeClock clock;
  FakeIds ids;
  Metrics metrics{{}};
  WaitingAuthenticator authenticator;
  WaitingAuthorizer authorizer;
  Status admission;
  std::vector<ApiContext> handled;
  std::vector<http::Response> answers;
  std::vector<Json> lines;
  std::unique_ptr<ApiHandler> handler;
};

TEST_F(WaitingAccessTest, GoesOnWithWhoeverItIsWhenThatIsKnown) {
  Start("POST", kResources);
  ASSERT_EQ(authenticator.waiting.size(), 1u);
  EXPECT_EQ(authenticator.requests[0]->method, "POST") << "it lives until the answer";
  EXPECT_THAT(authorizer.asked, IsEmpty());
  std::thread([this] { authenticator.waiting[0](Ada()); }).join();
  ASSERT_EQ(authorizer.waiting.size(), 1u);
  EXPECT_EQ(authorizer.asked[0].user->name, "ada");
  EXPECT_THAT(handled, IsEmpty());
  std::thread([this] { authorizer.waiting[0]({.allowed = true}); }).join();
  ASSERT_EQ(handled.size(), 1u);
  EXPECT_EQ(handled[0].user->name, "ada");
  EXPECT_EQ(handled[0].request.method, "POST");
  handled[0].respond(ErrorResponse(InternalError("x")));
  EXPECT_THAT(Codes(), ElementsAre(500));
  Pass(seconds(100));
  EXPECT_THAT(Codes(), ElementsAre(500));
}

TEST_F(WaitingAccessTest, IsAnsweredInItsTimeWhileTheUserIsAskedFor) {
  Start("POST", kResources);
  Pass(seconds(33));
  EXPECT_THAT(answers, IsEmpty());
  Pass(seconds(1));
  EXPECT_THAT(Codes(), ElementsAre(504));
  EXPECT_FALSE(lines.at(0).Find("user"));
  // Nothing is done for it any more.
  authenticator.waiting[0](Ada());
  EXPECT_THAT(authorizer.asked, IsEmpty());
  EXPECT_THAT(handled, IsEmpty());
  EXPECT_THAT(Codes(), ElementsAre(504));
  EXPECT_EQ(lines.size(), 1u);
}

TEST_F(WaitingAccessTest, IsAnsweredInItsTimeWhilePermissionIsAskedFor) {
  Start("GET", kResources);
  authenticator.waiting[0](Ada());
  Pass(seconds(60));
  EXPECT_THAT(Codes(), ElementsAre(504));
  EXPECT_EQ(lines.at(0).StringAt({"user"}), "ada");
  EXPECT_FALSE(lines.at(0).Find("annotations"));
  authorizer.waiting[0]({.allowed = true});
  EXPECT_THAT(handled, IsEmpty());
  EXPECT_THAT(Codes(), ElementsAre(504));
}

TEST_F(WaitingAccessTest, WhoIsNotRecognisedTakesNoRoom) {
  for (int i = 0; i < 2 * kMaxMutatingInFlight; ++i) Start("POST", kResources);
  for (const auto& done : authenticator.waiting) done(Status(Reason::kUnauthorized, "secret why"));
  EXPECT_EQ(answers.size(), static_cast<std::size_t>(2 * kMaxMutatingInFlight));
  EXPECT_EQ(answers[0].status, 401);
  EXPECT_THAT(answers[0].body, testing::Not(testing::HasSubstr("secret why")));
  authenticator.waiting.clear();
  Start("POST", kResources);
  authenticator.waiting[0](Ada());
  EXPECT_EQ(authorizer.waiting.size(), 1u);
}

TEST_F(WaitingAccessTest, WhoWaitsForPermissionTakesRoom) {
  for (int i = 0; i <= kMaxMutatingInFlight; ++i) Start("POST", kResources);
  for (const auto& done : authenticator.waiting) done(Ada());
  EXPECT_THAT(Codes(), ElementsAre(429));
  for (const auto& done : authorizer.waiting) done({.allowed = false});
  authenticator.waiting.clear();
  Start("POST", kResources);
  authenticator.waiting[0](Ada());
  EXPECT_EQ(Codes().back(), 403);
  EXPECT_EQ(answers.size(), static_cast<std::size_t>(kMaxMutatingInFlight) + 1);
}

TEST_F(WaitingAccessTest, ATooBusyReviewerIsSaidSoAndOtherFailuresAreUnauthorized) {
  Start("GET", kResources);
  authenticator.waiting[0](Status(Reason::kTooManyRequests, "busy").WithRetryAfter(1));
  Start("GET", kResources);
  authenticator.waiting[1](Status(Reason::kInternalError, "a secret"));
  EXPECT_THAT(Codes(), ElementsAre(429, 401));
  EXPECT_EQ(answers[0].headers.Get("Retry-After"), "1");
}

// kube-apiserver shows webhooks no credential unless it was told to.
TEST_F(WaitingAccessTest, AGuardedReviewNeedsNoUser) {
  Start("POST", "/validate?timeout=5s");
  admission = Status(Reason::kUnauthorized, "Unauthorized");
  Start("POST", "/validate");
  EXPECT_THAT(Codes(), ElementsAre(200, 401));
  EXPECT_THAT(authenticator.waiting, IsEmpty());
  EXPECT_EQ(lines.size(), 2u);
  // Nothing else is let in that way.
  Start("GET", "/validate");
  Start("POST", "/validate/x");
  EXPECT_EQ(authenticator.waiting.size(), 2u);
}

TEST_F(WaitingAccessTest, WhatCannotBeDecidedIsNoRefusal) {
  UserInfo nobody;
  nobody.name = kAnonymousUser;
  for (const UserPointer& user : {Ada(), UserPointer(std::make_shared<const UserInfo>(nobody))}) {
    Start("GET", kResources);
    authenticator.waiting.back()(user);
    authorizer.waiting.back()({.allowed = false, .reason = "x", .error = InternalError("later")});
    EXPECT_EQ(answers.back().status, 500);
    EXPECT_EQ(lines.back().StringAt({"annotations", "authorization.k8s.io/decision"}), "forbid");
  }
}

}  // namespace
}  // namespace asyncops::apiserver
