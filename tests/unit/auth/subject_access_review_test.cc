#include "apiserver/auth/subject_access_review.h"

#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_api_client.h"
#include "tests/support/fake_clock.h"

namespace asyncops::apiserver {
namespace {

Json Reviewed(Json status) { return Json::Of({{"status", std::move(status)}}); }
Json Yes() { return Reviewed(Json::Of({{"allowed", true}, {"reason", "RBAC: ok"}})); }
Json No() { return Reviewed(Json::Of({{"allowed", false}, {"reason", "not you"}})); }

UserInfo Ada() {
  UserInfo user;
  user.name = "ada";
  user.uid = "u-1";
  user.groups = {"dev", "system:authenticated"};
  user.extra["example.com/scope"] = {"a", "b"};
  return user;
}

struct SubjectAccessReviewTest : testing::Test {
  Attributes List() const {
    return {.user = &user,
            .verb = "list",
            .resource_request = true,
            .group = "operations.asyncops.dev",
            .version = "v1alpha1",
            .resource = "asyncoperations",
            .namespace_name = "team-a"};
  }
  Attributes Path(std::string_view verb, std::string_view path) const {
    return {.user = &user, .verb = verb, .path = path};
  }
  std::future<Decision> Begin(const Attributes& attributes) {
    auto answered = std::make_shared<std::promise<Decision>>();
    authorizer.Authorize(attributes, [answered](Decision said) { answered->set_value(said); });
    return answered->get_future();
  }
  Decision Ask(const Attributes& attributes) { return Begin(attributes).get(); }
  std::string SpecOfLast() const {
    return EncodeJson(*ParseJson(client.requests().back().body)->Find("spec"));
  }

  UserInfo user = Ada();
  FakeClock clock;
  FakeApiClient client;
  ReviewQueue queue{client, clock, {.threads = 2, .first_backoff = Duration(1), .attempts = 2}};
  SubjectAccessReviewAuthorizer authorizer{queue, clock};
};

TEST_F(SubjectAccessReviewTest, AsksWithAllThatIsKnown) {
  Attributes attributes = List();
  attributes.field_selector = "status.phase=Running";
  attributes.label_selector = "tier=a";
  client.Script(Yes());
  const Decision decision = Ask(attributes);
  EXPECT_TRUE(decision.allowed);
  EXPECT_EQ(decision.reason, "RBAC: ok");
  EXPECT_EQ(client.requests()[0].target, "/apis/authorization.k8s.io/v1/subjectaccessreviews");
  EXPECT_EQ(SpecOfLast(),
            R"({"extra":{"example.com/scope":["a","b"]},"groups":["dev","system:authenticated"],)"
            R"("resourceAttributes":{"fieldSelector":{"rawSelector":"status.phase=Running"},)"
            R"("group":"operations.asyncops.dev","labelSelector":{"rawSelector":"tier=a"},)"
            R"("namespace":"team-a","resource":"asyncoperations","verb":"list",)"
            R"("version":"v1alpha1"},"uid":"u-1","user":"ada"})");
}

TEST_F(SubjectAccessReviewTest, OneObjectHasANameAndNoSelectors) {
  Attributes attributes = List();
  attributes.verb = "update";
  attributes.name = "op";
  attributes.subresource = "status";
  attributes.field_selector = "x=y";
  client.Script(No());
  const Decision decision = Ask(attributes);
  EXPECT_FALSE(decision.allowed);
  EXPECT_TRUE(decision.error.ok());
  EXPECT_EQ(decision.reason, "not you");
  EXPECT_THAT(SpecOfLast(),
              testing::HasSubstr(R"("resourceAttributes":{"group":"operations.asyncops.dev",)"
                                 R"("name":"op","namespace":"team-a",)"
                                 R"("resource":"asyncoperations","subresource":"status",)"
                                 R"("verb":"update","version":"v1alpha1"})"));
}

TEST_F(SubjectAccessReviewTest, PathsAreAskedForAsPaths) {
  user = UserInfo();
  user.name = "bob";
  client.Script(Yes());
  EXPECT_TRUE(Ask(Path("get", "/metrics")).allowed);
  EXPECT_EQ(SpecOfLast(),
            R"({"nonResourceAttributes":{"path":"/metrics","verb":"get"},"user":"bob"})");
}

TEST_F(SubjectAccessReviewTest, MastersAndProbesNeedNoReview) {
  client.SetDown(InternalError("away"));
  for (const std::string_view path : {"/healthz", "/livez", "/readyz", "/readyz/sqlite"})
    EXPECT_TRUE(Ask(Path("get", path)).allowed) << path;
  for (const std::string_view path : {"/healthzz", "/metrics", "/", "/apis/livez"})
    EXPECT_FALSE(Ask(Path("get", path)).allowed) << path;
  EXPECT_FALSE(Ask(Path("post", "/livez")).allowed);
  user.groups = {"system:masters"};
  EXPECT_TRUE(Ask(List()).allowed);
}

TEST_F(SubjectAccessReviewTest, WhatIsNotClearlyAllowedIsNot) {
  const std::vector<Json> table = {Json(JsonObject()), Reviewed(Json(JsonObject())),
                                   Reviewed(Json::Of({{"allowed", "true"}})),
                                   Reviewed(Json::Of({{"allowed", true}, {"denied", true}}))};
  for (std::size_t i = 0; i < table.size(); ++i) {
    client.Script(table[i]);
    Attributes attributes = List();
    const std::string name = std::to_string(i);
    attributes.name = name;
    EXPECT_FALSE(Ask(attributes).allowed) << i;
  }
}

TEST_F(SubjectAccessReviewTest, BothAnswersAreKeptForTenSeconds) {
  Attributes other = List();
  other.namespace_name = "team-b";
  client.Script(Yes());
  client.Script(No());
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(Ask(List()).allowed);
    EXPECT_FALSE(Ask(other).allowed);
  }
  EXPECT_EQ(client.requests().size(), 2u);
  clock.Advance(std::chrono::seconds(10));
  client.Script(No());
  EXPECT_FALSE(Ask(List()).allowed) << "the grant was taken back";
}

// Every part of the question is a part of what is remembered.
TEST_F(SubjectAccessReviewTest, AnAnswerIsForItsQuestionAlone) {
  client.Handle([](const kube::ApiRequest&) { return std::optional<Result<Json>>(Yes()); });
  Attributes base = List();
  base.name = "n";
  std::vector<Attributes> others(10, base);
  others[0].verb = "watch";
  others[1].group = "g";
  others[2].version = "v2";
  others[3].resource = "r";
  others[4].subresource = "s";
  others[5].namespace_name = "n2";
  others[6].name = "n3";
  others[7].field_selector = "a=b";
  others[8].label_selector = "a=b";
  others[9].resource = "asyncoperation";
  others[9].subresource = "s";
  Ask(base);
  for (const Attributes& each : others) Ask(each);
  for (const auto change : {0, 1, 2, 3}) {
    user = Ada();
    if (change == 0) user.name = "ad";
    if (change == 1) user.uid = "u-2";
    if (change == 2) user.groups = {"dev,system:authenticated"};
    if (change == 3) user.extra["example.com/scope"] = {"ab"};
    Ask(base);
  }
  EXPECT_EQ(client.requests().size(), 15u);
}

TEST_F(SubjectAccessReviewTest, LongQuestionsAreAskedEachTime) {
  const std::string selector = "a in (" + std::string(10000, 'x') + ")";
  Attributes attributes = List();
  attributes.label_selector = selector;
  for (int i = 0; i < 2; ++i) {
    client.Script(Yes());
    EXPECT_TRUE(Ask(attributes).allowed);
  }
  EXPECT_EQ(client.requests().size(), 2u);
}

TEST_F(SubjectAccessReviewTest, WithoutAnAnswerNothingIsAllowedAndNothingKept) {
  for (const Status& failure : {Status(Reason::kServiceUnavailable, "10.0.0.1 is away"),
                                Status(Reason::kForbidden, "may not"), InternalError("x")}) {
    client.SetDown(failure);
    const Decision decision = Ask(List());
    EXPECT_FALSE(decision.allowed);
    EXPECT_EQ(decision.error.reason(), Reason::kInternalError);
    EXPECT_THAT(decision.error.message(), testing::Not(testing::HasSubstr("10.0.0.1")));
    EXPECT_EQ(RefusalStatus(List(), decision), decision.error);
  }
  client.SetDown(Status(Reason::kTooManyRequests, "busy"));
  EXPECT_EQ(Ask(List()).error.reason(), Reason::kTooManyRequests);
  client.SetDown(Status::Ok());
  client.Script(Yes());
  EXPECT_TRUE(Ask(List()).allowed);
}

TEST_F(SubjectAccessReviewTest, EqualQuestionsAtOneTimeShareAReview) {
  std::promise<void> released;
  client.Handle([until = released.get_future().share()](const kube::ApiRequest&) {
    until.wait();
    return std::optional<Result<Json>>(Yes());
  });
  std::vector<std::future<Decision>> waiting;
  for (int i = 0; i < 10; ++i) waiting.push_back(Begin(List()));
  released.set_value();
  for (auto& each : waiting) EXPECT_TRUE(each.get().allowed);
  EXPECT_EQ(client.requests().size(), 1u);
}

TEST(ReviewCacheTest, TheOneNotAskedForLongestGivesWay) {
  ReviewCache<int> cache(2);
  const SteadyTime now{};
  const SteadyTime later = now + std::chrono::seconds(1);
  cache.Answer("a", 1, later);
  cache.Answer("b", 2, later);
  EXPECT_EQ(cache.Find("a", now), 1);
  cache.Answer("c", 3, later);
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_FALSE(cache.Find("b", now));
  EXPECT_EQ(cache.Find("a", now), 1);
  cache.Answer("a", 4, later);
  EXPECT_EQ(cache.Find("a", now), 4);
  EXPECT_FALSE(cache.Find("a", later));
  EXPECT_EQ(cache.size(), 1u);
}

}  // namespace
}  // namespace asyncops::apiserver
