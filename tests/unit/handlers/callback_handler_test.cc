// /callbacks/... over HTTP: what is handed over, and what each answer becomes.
#include "apiserver/handlers/callback_handler.h"

#include <gtest/gtest.h>
#include <optional>

#include "tests/support/fake_clock.h"

namespace asyncops::apiserver {
namespace {

using callbacks::Answer;

constexpr const char* kPath = "/callbacks/team/op/mac_1_uid";

class FakeReceiver final : public callbacks::Receiver {
 public:
  void Receive(callbacks::Delivery delivery, std::function<void(Answer)> give) override {
    deliveries.push_back(std::move(delivery));
    give(answer);
  }
  void CountTurnedAway(const std::string& result) override { turned_away.push_back(result); }

  Answer answer = Answer::kStored;
  std::vector<callbacks::Delivery> deliveries;
  std::vector<std::string> turned_away;
};

class CallbackHandlerTest : public testing::Test {
 protected:
  http::Response Send(const std::string& method, const std::string& path,
                      http::Headers headers = {}, const std::string& from = "192.0.2.1:5000") {
    http::Request request;
    request.method = method;
    request.path = path;
    request.headers = std::move(headers);
    request.body = "raw \x01 bytes";
    request.remote_address = from;
    std::optional<http::Response> response;
    handler_.Handle(std::move(request),
                    [&response](http::Response given) { response = std::move(given); });
    EXPECT_TRUE(response) << "no answer";
    return response ? *std::move(response) : http::Response();
  }

  FakeClock clock_;
  FakeReceiver receiver_;
  bool started_ = true;
  CallbackHandler handler_{[this] { return started_ ? &receiver_ : nullptr; }, clock_};
};

struct Row {
  Answer answer;
  int status;
  bool retry;
};

TEST_F(CallbackHandlerTest, EachAnswerHasItsStatus) {
  for (const Row& row : {Row{Answer::kStored, 202, false}, Row{Answer::kDuplicate, 200, false},
                         Row{Answer::kMalformed, 400, false}, Row{Answer::kRefused, 401, false},
                         Row{Answer::kUnknown, 404, false}, Row{Answer::kFinished, 410, false},
                         Row{Answer::kFull, 503, true}, Row{Answer::kUnavailable, 503, true}}) {
    receiver_.answer = row.answer;
    const http::Response response = Send("POST", kPath);
    EXPECT_EQ(response.status, row.status);
    EXPECT_EQ(response.headers.Has("Retry-After"), row.retry) << row.status;
  }
}

TEST_F(CallbackHandlerTest, MessageIsHandedOverAsItCame) {
  http::Headers headers;
  headers.Add("webhook-id", "m1");
  headers.Add("webhook-id", "m2");
  Send("POST", kPath, headers);
  ASSERT_EQ(receiver_.deliveries.size(), 1U);
  const callbacks::Delivery& delivery = receiver_.deliveries.front();
  EXPECT_EQ(delivery.path.namespace_name, "team");
  EXPECT_EQ(delivery.path.name, "op");
  EXPECT_EQ(delivery.path.token, "mac_1_uid");
  EXPECT_EQ(delivery.message.body, "raw \x01 bytes");
  EXPECT_EQ(delivery.message.headers.size(), 2U);
}

TEST_F(CallbackHandlerTest, PathsThatAreNoneOfOursAndOtherMethodsAreRefused) {
  EXPECT_EQ(Send("POST", "/callbacks/team/op").status, 404);
  EXPECT_EQ(Send("GET", "/callbacks/").status, 404);
  const http::Response get = Send("GET", kPath);
  EXPECT_EQ(get.status, 405);
  EXPECT_EQ(get.headers.Get("Allow"), "OPTIONS, POST");
  EXPECT_TRUE(receiver_.deliveries.empty());
}

TEST_F(CallbackHandlerTest, HandshakeAllowsWhoAsks) {
  http::Headers headers;
  headers.Add("WebHook-Request-Origin", "eventemitter.example.com");
  headers.Add("WebHook-Request-Rate", "120");
  const http::Response response = Send("OPTIONS", "/callbacks/team/systems/acme", headers);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.Get("WebHook-Allowed-Origin"), "eventemitter.example.com");
  EXPECT_EQ(response.headers.Get("WebHook-Allowed-Rate"), "*");
  EXPECT_EQ(response.headers.Get("Allow"), "OPTIONS, POST");
  http::Headers odd;
  odd.Add("WebHook-Request-Origin", "a b;c");
  EXPECT_FALSE(Send("OPTIONS", kPath, odd).headers.Has("WebHook-Allowed-Origin"));
  EXPECT_FALSE(Send("OPTIONS", kPath).headers.Has("WebHook-Allowed-Origin"));
  EXPECT_EQ(Send("OPTIONS", "/callbacks/x").status, 404);
  EXPECT_TRUE(receiver_.deliveries.empty());
}

TEST_F(CallbackHandlerTest, WhoSendsMuchThatIsRefusedIsToldToWait) {
  receiver_.answer = Answer::kRefused;
  for (int i = 0; i < callbacks::SourceLimiter::kBurst; ++i)
    EXPECT_EQ(Send("POST", kPath).status, 401);
  const http::Response throttled = Send("POST", kPath);
  EXPECT_EQ(throttled.status, 429);
  EXPECT_EQ(throttled.headers.Get("Retry-After"), "1");
  EXPECT_EQ(receiver_.turned_away, std::vector<std::string>{"throttled"});
  EXPECT_EQ(Send("POST", "/callbacks/x").status, 429);
  EXPECT_EQ(Send("POST", kPath, {}, "192.0.2.2:5000").status, 401) << "others are not";
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(Send("POST", kPath).status, 401);
}

TEST_F(CallbackHandlerTest, GoodCallbacksOfAnAddressAreHeardAmongBadOnes) {
  for (int i = 0; i < 3 * callbacks::SourceLimiter::kBurst; ++i) {
    receiver_.answer = i % 2 == 0 ? Answer::kRefused : Answer::kUnknown;
    Send("POST", kPath);
    receiver_.answer = Answer::kStored;
    EXPECT_EQ(Send("POST", kPath).status, 202) << i;
  }
}

TEST_F(CallbackHandlerTest, WhatIsTakenCostsNothing) {
  for (const Answer answer : {Answer::kStored, Answer::kDuplicate, Answer::kMalformed,
                              Answer::kFinished, Answer::kFull}) {
    receiver_.answer = answer;
    for (int i = 0; i < 3 * callbacks::SourceLimiter::kBurst; ++i)
      EXPECT_NE(Send("POST", kPath).status, 429);
  }
}

TEST_F(CallbackHandlerTest, ServerThatStartsAsksToComeAgain) {
  started_ = false;
  const http::Response response = Send("POST", kPath);
  EXPECT_EQ(response.status, 503);
  EXPECT_TRUE(response.headers.Has("Retry-After"));
}

}  // namespace
}  // namespace asyncops::apiserver
