// The URL in the submit, and the poll that a callback leads to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/callback_steps.h"
#include "tests/unit/reconciler/callback_world.h"

namespace asyncops::reconciler {
namespace {

using callbacks::Answer;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kPlaceholder = callbacks::kTokenPlaceholder;

TEST(CallbackEngineTest, UrlIsInTheBodyOnTheWireAndItsTokenNowhereOnDisk) {
  CallbackWorld world;
  world.Submit();
  const std::string path = world.CalledPath();
  ASSERT_THAT(path, StartsWith("/callbacks/team/op/"));
  const std::string token = path.substr(path.rfind('/') + 1);
  const storage::OperationRow row = world.engine.Row("op");
  EXPECT_EQ(row.callback_token_hash, callbacks::HashToken(token));
  EXPECT_THAT(row.body, HasSubstr("https://asyncops.example/callbacks/team/op/"));
  EXPECT_THAT(row.body, HasSubstr(std::string(kPlaceholder)));
  EXPECT_THAT(row.body, Not(HasSubstr(token)));
}

struct Place {
  const char* reason;
  const char* inject;
};

TEST(CallbackEngineTest, UrlGoesWhereTheDeclarationSays) {
  for (const Place& place : {Place{"a header", "{in: Header, name: X-Callback}"},
                             Place{"the query", "{in: Query, name: cb}"}}) {
    CallbackWorld world({.operation = std::string("{inject: ") + place.inject + "}"});
    world.Submit();
    const kube::OutboundRequest sent = world.engine.transport.requests().front();
    const std::string shown = HeaderOf(sent, "X-Callback") + sent.uri.target;
    EXPECT_THAT(shown, testing::AnyOf(HasSubstr("https://asyncops.example/callbacks/team/op/"),
                                      HasSubstr("?cb=https%3A%2F%2Fasyncops.example%2Fcallbacks")))
        << place.reason;
    EXPECT_THAT(shown, Not(HasSubstr(std::string(kPlaceholder)))) << place.reason;
    const storage::OperationRow row = world.engine.Row("op");
    EXPECT_THAT(row.url + row.headers, HasSubstr(std::string(kPlaceholder))) << place.reason;
  }
}

TEST(CallbackEngineTest, WithoutADeclarationNothingIsAsked) {
  CallbackWorld world({.operation = ""});
  world.Submit();
  EXPECT_EQ(world.CalledPath(), "");
  EXPECT_EQ(world.engine.Row("op").callback_token_hash, "");
}

TEST(CallbackEngineTest, ResendCarriesTheSameBytes) {
  CallbackWorld world;
  world.submit_answer = Ambiguous();
  world.CreateOperation();
  world.engine.Settle();
  world.Restart();
  world.submit_answer = Answered(202, R"({"id":"op-1"})");
  world.engine.Pass(std::chrono::seconds(30));
  std::vector<std::string> bodies;
  for (const kube::OutboundRequest& request : world.engine.transport.requests())
    if (request.method == "POST") bodies.push_back(request.body);
  ASSERT_GE(bodies.size(), 2U);
  for (const std::string& body : bodies) EXPECT_EQ(body, bodies.front());
  EXPECT_EQ(world.engine.Operation("op").operation_id, "op-1");
}

TEST(CallbackEngineTest, TokenThatTheSystemEchoesIsNotKept) {
  CallbackWorld world;
  world.engine.transport.Handle([](const kube::OutboundRequest& request) {
    // The whole request comes back.
    return Answered(
        202, R"({"id":"op-1","request":)" + (request.body.empty() ? "null" : request.body) + "}");
  });
  world.Submit();
  const std::string path = world.CalledPath();
  const std::string token = path.substr(path.rfind('/') + 1);
  const storage::OperationRow row = world.engine.Row("op");
  EXPECT_THAT(row.submit_response, HasSubstr("callbackUrl"));
  EXPECT_THAT(row.submit_response, Not(HasSubstr(token)));
}

TEST(CallbackEngineTest, RequestThatCannotBeMadeAgainParks) {
  storage::OperationRow row;
  row.namespace_name = "team";
  row.name = "op";
  row.uid = "u";
  const callbacks::Links links("https://a.example", std::string(32, 'a'));
  const callbacks::Links others("https://a.example", std::string(32, 'b'));
  Protocol::Policy policy;
  policy.asks_callback = true;
  OperationIdentity identity;
  AskForCallback(&links, policy, &row, &identity);
  RenderedRequest request{.method = "POST", .url = "http://x/", .headers = {}, .body = "b"};
  EXPECT_TRUE(FillToken(&links, row, &request));
  EXPECT_FALSE(FillToken(&others, row, &request)) << "another key";
  EXPECT_FALSE(FillToken(nullptr, row, &request)) << "no key any more";
  AskForCallback(nullptr, policy, &row, &identity);
  EXPECT_EQ(row.callback_token_hash, "");
  EXPECT_TRUE(FillToken(nullptr, row, &request));
}

TEST(CallbackEngineTest, CallbackLeadsToAPollAtOnce) {
  CallbackWorld world;
  world.Submit();
  ASSERT_EQ(world.polls, 0);
  EXPECT_EQ(world.Post(world.CalledPath(), world.Signed("{}")), Answer::kStored);
  EXPECT_THAT(world.asked, Contains(ObjectName{"team", "op"}));
  world.engine.Settle();
  EXPECT_EQ(world.polls, 1);
  EXPECT_EQ(world.engine.Operation("op").state, "Running");
  EXPECT_THAT(world.engine.Events("AsyncOperation", "op"), Contains("CallbackReceived"));
  world.engine.Settle();
  EXPECT_EQ(world.polls, 1) << "one callback, one poll";
  EXPECT_THAT(world.engine.callback_metrics.Text(),
              HasSubstr("async_event_latency_seconds_count{source=\"callback\"} 1"));
}

TEST(CallbackEngineTest, EndIsSeenByThePollThatACallbackLedTo) {
  CallbackWorld world;
  world.Submit();
  world.poll_body = R"({"status":"done","volume":"v-1"})";
  EXPECT_EQ(world.Post(world.CalledPath(), world.Signed(R"({"status":"failed"})")), Answer::kStored)
      << "what an event says is not believed";
  world.engine.Settle();
  EXPECT_EQ(world.engine.Operation("op").state, "Succeeded");
}

TEST(CallbackEngineTest, PollingGoesOnWithoutCallbacks) {
  CallbackWorld world;
  world.Submit();
  world.poll_body = R"({"status":"done","volume":"v-1"})";
  world.engine.Pass(std::chrono::minutes(2), std::chrono::seconds(5));
  EXPECT_EQ(world.engine.Operation("op").state, "Succeeded");
}

TEST(CallbackEngineTest, CallbackWhosePollTellsNothingLeadsToOnePollOnly) {
  for (const char* reason : {"no JSON", "a failure", "not found"}) {
    CallbackWorld world;
    world.Submit();
    const std::string text = reason;
    world.engine.transport.Handle([&world, text](const kube::OutboundRequest& /*request*/) {
      ++world.polls;
      if (text == "no JSON") return Answered(200, "<html>", {{"Content-Type", "text/html"}});
      return Answered(text == "a failure" ? 500 : 404, "{}");
    });
    for (int i = 1; i <= 3; ++i) {
      EXPECT_EQ(world.Post(world.CalledPath(), world.Signed("{}", "d" + std::to_string(i))),
                Answer::kStored);
      world.engine.Settle();
      EXPECT_EQ(world.polls, i) << reason;
    }
    const storage::OperationRow row = world.engine.Row("op");
    EXPECT_EQ(row.hints, row.hints_answered) << reason;
  }
}

TEST(CallbackEngineTest, CallbackDoesNotBreakTheSilenceThatTheSystemAskedFor) {
  CallbackWorld world;
  world.Submit();
  world.engine.transport.Handle([&world](const kube::OutboundRequest& /*request*/) {
    ++world.polls;
    return Answered(429, "{}", {{"Retry-After", "20"}});
  });
  EXPECT_EQ(world.Post(world.CalledPath(), world.Signed("{}", "d1")), Answer::kStored);
  world.engine.Settle();
  EXPECT_EQ(world.Post(world.CalledPath(), world.Signed("{}", "d2")), Answer::kStored);
  world.engine.Settle();
  EXPECT_EQ(world.polls, 1);
  world.engine.Pass(std::chrono::seconds(40));
  EXPECT_GE(world.polls, 2);
}

TEST(CallbackEngineTest, CallbackBeforeTheAnswerToTheSubmitIsActedUponAfterIt) {
  CallbackWorld world;
  Answer early = Answer::kUnavailable;
  world.engine.transport.Handle([&world, &early](const kube::OutboundRequest& request) {
    if (request.method != "POST") {
      ++world.polls;
      return Answered(200, R"({"status":"done","volume":"v-1"})");
    }
    early = world.Post(world.CalledPath(), world.Signed("{}"));
    return Answered(202, R"({"id":"op-1"})");
  });
  world.CreateOperation();
  world.engine.Settle();
  EXPECT_EQ(early, Answer::kStored);
  EXPECT_EQ(world.polls, 1);
  EXPECT_EQ(world.engine.Operation("op").state, "Succeeded");
}

TEST(CallbackEngineTest, CrashBetweenAnswerAndPollLosesNothing) {
  CallbackWorld world;
  world.Submit();
  world.poll_body = R"({"status":"done","volume":"v-1"})";
  EXPECT_EQ(world.Post(world.CalledPath(), world.Signed("{}")), Answer::kStored);
  world.Restart();
  const storage::OperationRow row = world.engine.Row("op");
  EXPECT_GT(row.hints, row.hints_answered);
  world.engine.Settle();
  EXPECT_EQ(world.engine.Operation("op").state, "Succeeded");
}

}  // namespace
}  // namespace asyncops::reconciler
