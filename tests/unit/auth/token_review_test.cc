#include "apiserver/auth/token_review.h"

#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_api_client.h"
#include "tests/support/fake_clock.h"

namespace asyncops::apiserver {
namespace {

using testing::ElementsAre;
using testing::Not;

http::Request WithHeader(std::string value) {
  http::Request request;
  request.headers.Add("Authorization", std::move(value));
  return request;
}

Json Reviewed(Json status) { return Json::Of({{"status", std::move(status)}}); }

Json Good(std::string_view name) {
  return Reviewed(Json::Of(
      {{"authenticated", true},
       {"user", Json::Of({{"username", name},
                          {"uid", "u-1"},
                          {"groups", JsonArray{"system:serviceaccounts", "dev"}},
                          {"extra", Json::Of({{"example.com/pod", JsonArray{"p-1", "p-2"}}})}})}}));
}

struct TokenReviewTest : testing::Test {
  std::future<Authentication> Begin(const http::Request& request) {
    auto answered = std::make_shared<std::promise<Authentication>>();
    tokens.Authenticate(request, [answered](Authentication user) { answered->set_value(user); });
    return answered->get_future();
  }
  Authentication Ask(const std::string& header) {
    const http::Request request = WithHeader(header);
    return Begin(request).get();
  }

  FakeClock clock;
  FakeApiClient client;
  ReviewQueue queue{client, clock, {.threads = 2, .first_backoff = Duration(1), .attempts = 2}};
  TokenReviewAuthenticator tokens{queue, clock};
};

TEST_F(TokenReviewTest, TheUserIsAsTheReviewSays) {
  client.Script(Good("system:serviceaccount:a:b"));
  const Authentication user = Ask("Bearer t1");
  ASSERT_TRUE(user.ok());
  EXPECT_EQ((*user)->name, "system:serviceaccount:a:b");
  EXPECT_EQ((*user)->uid, "u-1");
  EXPECT_THAT((*user)->groups,
              ElementsAre("system:serviceaccounts", "dev", "system:authenticated"));
  EXPECT_THAT((*user)->extra.at("example.com/pod"), ElementsAre("p-1", "p-2"));
  ASSERT_EQ(client.requests().size(), 1u);
  EXPECT_EQ(client.requests()[0].target, "/apis/authentication.k8s.io/v1/tokenreviews");
  EXPECT_EQ(client.requests()[0].body,
            R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview",)"
            R"("spec":{"token":"t1"}})");
}

TEST_F(TokenReviewTest, SpeaksForBearersAlone) {
  EXPECT_EQ(*Begin(http::Request()).get(), nullptr);
  EXPECT_EQ(*Ask("Basic dDE6"), nullptr);
  EXPECT_EQ(Ask("Bearer ").status().reason(), Reason::kUnauthorized);
  EXPECT_TRUE(client.requests().empty());
}

TEST_F(TokenReviewTest, WhoeverIsNotVouchedForIsNobody) {
  const std::vector<Json> table = {
      Json(JsonObject()),
      Reviewed(Json::Of({{"authenticated", false}, {"error", "expired"}})),
      Reviewed(Json::Of({{"user", Json::Of({{"username", "eve"}})}})),
      Reviewed(Json::Of({{"authenticated", "true"}, {"user", Json::Of({{"username", "eve"}})}})),
      Reviewed(Json::Of({{"authenticated", true}})),
      Reviewed(Json::Of({{"authenticated", true}, {"user", Json::Of({{"username", ""}})}})),
  };
  for (std::size_t i = 0; i < table.size(); ++i) {
    client.Script(table[i]);
    EXPECT_EQ(Ask("Bearer t" + std::to_string(i)).status(),
              Status(Reason::kUnauthorized, "Unauthorized"))
        << i;
  }
}

TEST_F(TokenReviewTest, BothAnswersAreKeptForTenSeconds) {
  client.Script(Good("ada"));
  client.Script(Reviewed(Json::Of({{"authenticated", false}})));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ((*Ask("Bearer good"))->name, "ada");
    EXPECT_FALSE(Ask("Bearer bad").ok());
  }
  EXPECT_EQ(client.requests().size(), 2u);
  EXPECT_EQ((**tokens.TryAuthenticate(WithHeader("Bearer good")))->name, "ada");
  EXPECT_FALSE(tokens.TryAuthenticate(WithHeader("Bearer other")));
  clock.Advance(std::chrono::milliseconds(9999));
  EXPECT_TRUE(tokens.TryAuthenticate(WithHeader("Bearer good")));
  clock.Advance(std::chrono::milliseconds(1));
  client.Script(Reviewed(Json::Of({{"authenticated", false}})));
  EXPECT_FALSE(Ask("Bearer good").ok()) << "it was revoked";
}

// Never anonymous, and never kept.
TEST_F(TokenReviewTest, AFailureCountsAsAWrongToken) {
  for (const Status& failure : {Status(Reason::kServiceUnavailable, "away"),
                                Status(Reason::kForbidden, "may not"), InternalError("x")}) {
    client.SetDown(failure);
    EXPECT_EQ(Ask("Bearer t").status(), Status(Reason::kUnauthorized, "Unauthorized"));
  }
  client.SetDown(Status(Reason::kTooManyRequests, "busy"));
  EXPECT_EQ(Ask("Bearer t").status().reason(), Reason::kTooManyRequests);
  client.SetDown(Status::Ok());
  client.Script(Good("ada"));
  EXPECT_EQ((*Ask("Bearer t"))->name, "ada");
}

TEST_F(TokenReviewTest, EqualTokensAtOneTimeShareAReview) {
  std::promise<void> released;
  client.Handle([until = released.get_future().share()](const kube::ApiRequest&) {
    until.wait();
    return std::optional<Result<Json>>(Good("ada"));
  });
  const http::Request request = WithHeader("Bearer t");
  const http::Request other = WithHeader("Bearer u");
  std::vector<std::future<Authentication>> waiting;
  for (int i = 0; i < 10; ++i) waiting.push_back(Begin(request));
  waiting.push_back(Begin(other));
  released.set_value();
  for (auto& each : waiting) EXPECT_EQ((*each.get())->name, "ada");
  EXPECT_EQ(client.requests().size(), 2u);
}

}  // namespace
}  // namespace asyncops::apiserver
