#include "apiserver/auth/review_queue.h"

#include <atomic>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "tests/support/fake_api_client.h"
#include "tests/support/fake_clock.h"

namespace asyncops::apiserver {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kPath = "/apis/x/v1/reviews";

struct ReviewQueueTest : testing::Test {
  void Start(int threads, std::size_t max_waiting = 100) {
    options.threads = threads;
    options.max_waiting = max_waiting;
    options.first_backoff = milliseconds(1);
    queue = std::make_unique<ReviewQueue>(client, clock, options);
  }
  std::future<Result<Json>> Post() {
    auto answered = std::make_shared<std::promise<Result<Json>>>();
    std::future<Result<Json>> future = answered->get_future();
    queue->Post(std::string(kPath), Json::Of({{"kind", "R"}}),
                [answered](Result<Json> answer) { answered->set_value(std::move(answer)); });
    return future;
  }

  FakeClock clock;
  FakeApiClient client;
  ReviewQueueOptions options;
  std::unique_ptr<ReviewQueue> queue;
};

TEST_F(ReviewQueueTest, PostsAndHandsTheAnswerBack) {
  Start(2);
  client.Script(Json::Of({{"status", "good"}}));
  const Result<Json> answer = Post().get();
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->StringAt({"status"}), "good");
  ASSERT_EQ(client.requests().size(), 1u);
  const kube::ApiRequest sent = client.requests()[0];
  EXPECT_EQ(sent.method, "POST");
  EXPECT_EQ(sent.target, kPath);
  EXPECT_EQ(sent.body, R"({"kind":"R"})");
  EXPECT_EQ(sent.timeout, milliseconds(10000));
}

TEST_F(ReviewQueueTest, GetsAndHandsTheAnswerBack) {
  Start(1);
  client.Put("/api/v1/namespaces", Json::Of({{"metadata", Json::Of({{"name", "team-a"}})}}));
  for (const auto& [name, found] : {std::pair("team-a", true), std::pair("team-b", false)}) {
    auto answered = std::make_shared<std::promise<Result<Json>>>();
    queue->Get("/api/v1/namespaces/" + std::string(name),
               [answered](Result<Json> answer) { answered->set_value(std::move(answer)); });
    const Result<Json> answer = answered->get_future().get();
    EXPECT_EQ(answer.ok(), found) << answer.status().ToString();
  }
  EXPECT_EQ(client.requests()[0].method, "GET");
}

TEST_F(ReviewQueueTest, TriesAgainWhereThatMayHelp) {
  struct Row {
    std::string_view reason;
    Status status;
    std::size_t calls;
  };
  const std::vector<Row> table = {
      {"away", Status(Reason::kServiceUnavailable, "x"), 3},
      {"too slow", Status(Reason::kTimeout, "x"), 3},
      {"broken", InternalError("x"), 3},
      {"busy", Status(Reason::kTooManyRequests, "x"), 3},
      {"we may not", Status(Reason::kForbidden, "x"), 1},
      {"who are we", Status(Reason::kUnauthorized, "x"), 1},
      {"nonsense", BadRequest("x"), 1},
  };
  options.attempts = 3;
  Start(1);
  for (const Row& row : table) {
    const std::size_t before = client.requests().size();
    for (std::size_t i = 0; i < row.calls; ++i) client.Script(row.status);
    EXPECT_EQ(Post().get().status(), row.status) << row.reason;
    EXPECT_EQ(client.requests().size() - before, row.calls) << row.reason;
  }
  client.Script(InternalError("x"));
  client.Script(Json::Of({{"status", "good"}}));
  EXPECT_TRUE(Post().get().ok());
}

TEST_F(ReviewQueueTest, StaysWithinItsTime) {
  Start(1);
  // Who asks for more time than there is gets no second try.
  client.Script(Status(Reason::kTooManyRequests, "x").WithRetryAfter(11));
  EXPECT_EQ(Post().get().status().reason(), Reason::kTooManyRequests);
  EXPECT_EQ(client.requests().size(), 1u);
  client.Handle([this](const kube::ApiRequest&) {
    clock.Advance(std::chrono::seconds(6));
    return std::optional<Result<Json>>(InternalError("slow"));
  });
  EXPECT_EQ(Post().get().status(), InternalError("slow"));
  ASSERT_EQ(client.requests().size(), 3u);
  EXPECT_EQ(client.requests()[2].timeout, milliseconds(4000)) << "what was left";
}

// A call that waits until it is let go.
struct HeldCall {
  std::promise<void> begun;
  std::promise<void> released;
  std::shared_future<void> until = released.get_future().share();
  std::atomic<bool> first{true};

  FakeApiClient::Handler AsHandler() {
    return [this](const kube::ApiRequest&) {
      if (first.exchange(false)) begun.set_value();
      until.wait();
      return std::optional<Result<Json>>(Json::Of({{"status", "late"}}));
    };
  }
};

TEST_F(ReviewQueueTest, RefusesWhatIsTooMuchAtOnce) {
  HeldCall held;
  client.Handle(held.AsHandler());
  Start(1, 2);
  auto under_way = Post();
  held.begun.get_future().wait();
  auto second = Post();
  auto third = Post();
  const Result<Json> refused = Post().get();
  EXPECT_EQ(refused.status().reason(), Reason::kTooManyRequests);
  EXPECT_EQ(refused.status().details().retry_after_seconds, 1);
  held.released.set_value();
  for (auto* each : {&under_way, &second, &third}) EXPECT_TRUE(each->get().ok());
}

TEST_F(ReviewQueueTest, WhatWaitedTooLongIsNotAskedAnyMore) {
  HeldCall held;
  client.Handle(held.AsHandler());
  Start(1);
  auto under_way = Post();
  held.begun.get_future().wait();
  auto second = Post();
  clock.Advance(std::chrono::seconds(10));
  held.released.set_value();
  EXPECT_TRUE(under_way.get().ok());
  EXPECT_EQ(second.get().status().reason(), Reason::kTimeout);
  EXPECT_EQ(client.requests().size(), 1u);
}

TEST_F(ReviewQueueTest, StopAnswersEverybody) {
  HeldCall held;
  client.Handle(held.AsHandler());
  Start(1);
  auto under_way = Post();
  held.begun.get_future().wait();
  auto waiting = Post();
  std::thread release([&held] { held.released.set_value(); });
  queue->Stop();
  release.join();
  EXPECT_TRUE(under_way.get().ok());
  EXPECT_TRUE(waiting.wait_for(std::chrono::seconds(0)) == std::future_status::ready);
  EXPECT_EQ(Post().get().status().reason(), Reason::kServiceUnavailable);
  queue->Stop();
}

}  // namespace
}  // namespace asyncops::apiserver
