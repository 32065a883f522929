#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/handlers/request_deadlines.h"
#include "base/limits.h"
#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

using std::chrono::seconds;

constexpr std::string_view kMutationTimedOut =
    "Timeout: request did not complete within requested timeout - context deadline exceeded; what "
    "it asked for may still be done";
constexpr std::string_view kReadTimedOut =
    "Timeout: request did not complete within the allotted timeout";

// Requests whose handler does not answer by itself.
struct DeadlineTest : testing::Test {
  DeadlineTest() {
    api.SetResourceFunction([this](const ResourceInfo& /*resource*/, ApiContext context) {
      waiting.push_back(std::move(context));
    });
  }
  void Start(std::string_view method, std::string_view target) {
    api.Start(ApiHarness::MakeRequest(method, target, "", {}),
              [this](http::Response response) { answers.push_back(std::move(response)); });
  }
  void Pass(std::chrono::milliseconds time) {
    api.clock().Advance(time);
    api.handler().ExpireOverdue();
  }
  std::string Metrics() { return api.Get("/metrics").body; }

  ApiHarness api;
  std::vector<ApiContext> waiting;
  std::vector<http::Response> answers;
};

struct Row {
  std::string_view reason;
  std::string_view method;
  std::string target;
  std::chrono::milliseconds limit;
  std::string_view message;
};

TEST_F(DeadlineTest, EveryRequestIsAnsweredInItsTime) {
  const std::string list(kResources);
  const std::string one = At(kResources, "v");
  const std::vector<Row> table = {
      {"a create", "POST", list, seconds(34), kMutationTimedOut},
      {"an update", "PUT", one, seconds(34), kMutationTimedOut},
      {"a patch", "PATCH", one, seconds(34), kMutationTimedOut},
      {"a patch of the status", "PATCH", one + "/status", seconds(34), kMutationTimedOut},
      {"a deletion", "DELETE", one, seconds(34), kMutationTimedOut},
      {"a deletion of many", "DELETE", list, seconds(60), kReadTimedOut},
      {"a read", "GET", one, seconds(60), kReadTimedOut},
      {"a list", "GET", list, seconds(60), kReadTimedOut},
      {"a client in a hurry", "POST", list + "?timeout=2s", seconds(2), kMutationTimedOut},
      {"a reader in a hurry", "GET", one + "?timeout=1500ms", std::chrono::milliseconds(1500),
       kReadTimedOut},
      {"more than there is", "POST", list + "?timeout=1h", seconds(34), kMutationTimedOut},
      {"a long read", "GET", one + "?timeout=50s", seconds(50), kReadTimedOut},
      {"no limit of the client's", "POST", list + "?timeout=0s", seconds(34), kMutationTimedOut},
      {"nonsense that Go lets pass", "GET", one + "?timeout=-1s", seconds(60), kReadTimedOut},
  };
  for (const Row& row : table) {
    answers.clear();
    Start(row.method, row.target);
    Pass(row.limit - std::chrono::milliseconds(1));
    EXPECT_TRUE(answers.empty()) << row.reason;
    Pass(std::chrono::milliseconds(1));
    ASSERT_EQ(answers.size(), 1u) << row.reason;
    EXPECT_EQ(answers[0].status, 504) << row.reason;
    EXPECT_EQ(answers[0].body, R"({"apiVersion":"v1","code":504,"kind":"Status","message":")" +
                                   std::string(row.message) +
                                   R"(","metadata":{},"reason":"Timeout","status":"Failure"})"
                                   "\n")
        << row.reason;
    EXPECT_FALSE(answers[0].headers.Has("Retry-After")) << row.reason;
    EXPECT_NE(answers[0].headers.Get("Audit-Id"), "") << row.reason;
    // The handler comes too late, and nobody hears it.
    waiting.back().respond(http::Response());
    EXPECT_EQ(answers.size(), 1u) << row.reason;
  }
}

// Less than is counted here is not "no limit".
TEST_F(DeadlineTest, WhoeverGivesNoTimeGetsNothingDone) {
  for (const std::string_view timeout : {"1ns", "0.0000001s", "999ns"}) {
    for (const std::string_view method : {"GET", "DELETE"}) {
      answers.clear();
      Start(method, At(kResources, "v") + "?timeout=" + std::string(timeout));
      ASSERT_EQ(answers.size(), 1u) << timeout;
      EXPECT_EQ(answers[0].status, 504) << timeout;
      EXPECT_TRUE(waiting.empty()) << timeout;
    }
  }
}

TEST_F(DeadlineTest, AWatchHasNone) {
  Start("GET", std::string(kResources) + "?watch=true&timeout=1s");
  Pass(std::chrono::hours(2));
  EXPECT_TRUE(answers.empty());
}

TEST_F(DeadlineTest, WhatIsAnsweredInTimeStaysAnswered) {
  Start("POST", kResources);
  waiting.back().respond(http::Response());
  ASSERT_EQ(answers.size(), 1u);
  Pass(seconds(100));
  EXPECT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].status, 200);
}

TEST_F(DeadlineTest, ARequestThatIsGoneIsNotAnsweredTwice) {
  Start("POST", kResources);
  waiting.clear();
  Pass(seconds(100));
  EXPECT_TRUE(answers.empty()) << "the front answers for a responder that was dropped";
}

TEST_F(DeadlineTest, AnExpiredRequestTakesItsRoomUntilItsHandlerIsDone) {
  for (int i = 0; i < kMaxMutatingInFlight; ++i) Start("POST", kResources);
  Pass(seconds(34));
  EXPECT_EQ(answers.size(), static_cast<std::size_t>(kMaxMutatingInFlight));
  EXPECT_EQ(api.Send("POST", kResources).status, 429);
  waiting.front().respond(http::Response());
  Start("POST", kResources);
  EXPECT_EQ(waiting.size(), static_cast<std::size_t>(kMaxMutatingInFlight) + 1);
}

TEST_F(DeadlineTest, IsCountedAsATermination) {
  Start("POST", kResources);
  Pass(seconds(34));
  EXPECT_THAT(
      Metrics(),
      testing::HasSubstr(R"(apiserver_request_terminations_total{code="504",component="apiserver",)"
                         R"(group="asyncops.dev",resource="asyncresources",scope="namespace",)"
                         R"(subresource="",verb="POST",version="v1alpha1"} 1)"));
}

TEST_F(DeadlineTest, WhatIsNoDurationIsRefusedBeforeAnybodyIsAskedForCredentials) {
  const ApiResponse refused =
      api.Get(std::string(kResources) + "?timeout=soon", {{"Authorization", "none"}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.Text({"reason"}), "BadRequest");
  EXPECT_EQ(refused.Text({"message"}),
            R"(invalid timeout specified in the request URL - time: invalid duration "soon")");
}

// The thread, on the clock of the machine.
struct Flag final : Expirable {
  void Expire() override {
    const MutexLock lock(mutex);
    expired = true;
    changed.NotifyAll();
  }
  bool Await() {
    const MutexLock lock(mutex);
    for (int i = 0; i < 10 && !expired; ++i) changed.WaitFor(mutex, seconds(1));
    return expired;
  }
  Mutex mutex;
  CondVar changed;
  bool expired ASYNCOPS_GUARDED_BY(mutex) = false;
};

TEST(RequestDeadlinesTest, ExpireByThemselvesAlsoWhereAnEarlierOneComesLater) {
  const SystemClock clock;
  const auto late = std::make_shared<Flag>();
  const auto early = std::make_shared<Flag>();
  const auto gone = std::make_shared<Flag>();
  RequestDeadlines deadlines(clock);
  const SteadyTime now = clock.SteadyNow();
  deadlines.Add(now + std::chrono::hours(1), late);
  deadlines.Add(now + std::chrono::milliseconds(1), gone);
  deadlines.Remove(now + std::chrono::milliseconds(1), gone.get());
  deadlines.Add(now + std::chrono::milliseconds(20), early);
  EXPECT_TRUE(early->Await());
  const MutexLock lock(late->mutex);
  EXPECT_FALSE(late->expired);
  const MutexLock other(gone->mutex);
  EXPECT_FALSE(gone->expired);
}

TEST(RequestDeadlinesTest, KeepNothingAlive) {
  const SystemClock clock;
  RequestDeadlines deadlines(clock);
  auto flag = std::make_shared<Flag>();
  const std::weak_ptr<Flag> weak = flag;
  deadlines.Add(clock.SteadyNow() + std::chrono::hours(1), flag);
  flag.reset();
  EXPECT_TRUE(weak.expired());
}

}  // namespace
}  // namespace asyncops::apiserver
