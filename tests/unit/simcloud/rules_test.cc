// What rules do to requests.
#include <chrono>
#include <gtest/gtest.h>
#include <string>

#include "tests/unit/simcloud/caller.h"

namespace asyncops::simcloud {
namespace {

using std::chrono::seconds;

constexpr char kData[] = R"({"name":"data"})";

// A behaviour of one rule for POSTs.
std::string OnPost(const std::string& action, int times = 1) {
  return R"({"rules":[{"match":{"method":"POST"},"times":)" + std::to_string(times) +
         R"(,"action":)" + action + "}]}";
}

TEST(SimcloudRulesTest, RulesApplyInOrderAndCountDown) {
  Caller caller;
  caller.PutBehaviour(
      R"({"rules":[{"match":{"method":"POST","pathPrefix":"/v1/"},"times":2,)"
      R"("action":{"status":429,)"
      R"("retryAfter":"2"}},{"match":{"method":"POST"},"action":{"status":500}}]})");
  EXPECT_EQ(caller.Status("GET", "/v1/volumes"), 200);
  EXPECT_EQ(caller.Status("POST", "/lro/v1/volumes", kData), 500);
  const Reply throttled = caller.Call("POST", "/v1/volumes", kData);
  EXPECT_EQ(throttled.status, 429);
  EXPECT_EQ(Caller::HeaderOf(throttled, "Retry-After"), "2");
  EXPECT_EQ(caller.Status("POST", "/v1/volumes", kData), 429);
  EXPECT_EQ(caller.Stat("created"), 0);
  EXPECT_EQ(caller.Status("POST", "/v1/volumes", kData), 202);
}

TEST(SimcloudRulesTest, DropAfterWorkMakesTheVolumeAndAnswersNothing) {
  Caller caller;
  caller.PutBehaviour(OnPost(R"({"dropAfterWork":true})"));
  const Reply dropped = caller.Call("POST", "/v1/volumes", kData, {{"idempotency-key", "k"}});
  EXPECT_EQ(dropped.delivery, Delivery::kDrop);
  EXPECT_EQ(caller.Stat("created"), 1);
  EXPECT_EQ(caller.Stat("dropped"), 1);

  const Reply again = caller.Call("POST", "/v1/volumes", kData, {{"idempotency-key", "k"}});
  EXPECT_EQ(again.status, 202);
  EXPECT_EQ(again.delivery, Delivery::kSend);
  EXPECT_EQ(caller.Stat("created"), 1);
}

TEST(SimcloudRulesTest, DropBeforeWorkMakesNothing) {
  Caller caller;
  caller.PutBehaviour(OnPost(R"({"dropBeforeWork":true})"));
  EXPECT_EQ(caller.Call("POST", "/v1/volumes", kData).delivery, Delivery::kDrop);
  EXPECT_EQ(caller.Stat("created"), 0);
}

TEST(SimcloudRulesTest, KeyOfADelayedAnswerIsInProgressUntilItLeaves) {
  Caller caller;
  caller.PutBehaviour(OnPost(R"({"delay":"3s"})"));
  const Reply delayed = caller.Call("POST", "/v1/volumes", kData, {{"idempotency-key", "k"}});
  EXPECT_EQ(delayed.delay, seconds(3));
  EXPECT_EQ(caller.Stat("created"), 1);

  const Reply early = caller.Call("POST", "/v1/volumes", kData, {{"idempotency-key", "k"}});
  EXPECT_EQ(early.status, 409);
  EXPECT_EQ(Caller::CodeOf(early), "RequestInProgress");
  caller.Pass(seconds(3));
  const Reply late = caller.Call("POST", "/v1/volumes", kData, {{"idempotency-key", "k"}});
  EXPECT_EQ(late.status, 202);
  EXPECT_EQ(late.delay, Duration{0});
  EXPECT_EQ(caller.Stat("created"), 1);
}

TEST(SimcloudRulesTest, DelayedWorkIsDoneWhenTheRequestArrives) {
  Caller caller;
  caller.PutBehaviour(OnPost(R"({"delayWork":"3s"})"));
  const Reply held = caller.Call("POST", "/v1/volumes", kData);
  EXPECT_TRUE(held.deferred);
  EXPECT_EQ(held.delay, seconds(3));
  EXPECT_EQ(caller.Stat("created"), 0);
  EXPECT_EQ(caller.Perform("POST", "/v1/volumes", kData).status, 202);
  EXPECT_EQ(caller.Stat("created"), 1);
}

TEST(SimcloudRulesTest, StatusAfterWorkHidesWhatWasDone) {
  Caller caller;
  caller.PutBehaviour(OnPost(R"({"status":503,"afterWork":true,"body":{"m":"busy"}})"));
  const Reply reply = caller.Call("POST", "/v1/volumes", kData);
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.body, R"({"m":"busy"})");
  EXPECT_EQ(caller.Stat("created"), 1);
}

TEST(SimcloudRulesTest, GarbageIsNoJson) {
  Caller caller;
  caller.PutBehaviour(OnPost(R"({"garbage":true})"));
  const Reply reply = caller.Call("POST", "/v1/volumes", kData);
  EXPECT_EQ(reply.status, 200);
  EXPECT_FALSE(ParseJson(reply.body).ok());
  EXPECT_EQ(caller.Stat("created"), 1);
}

TEST(SimcloudRulesTest, TruncateCutsTheRealAnswer) {
  Caller caller;
  caller.PutBehaviour(OnPost(R"({"truncate":true})"));
  const Reply reply = caller.Call("POST", "/v1/volumes", kData);
  EXPECT_EQ(reply.delivery, Delivery::kTruncate);
  EXPECT_EQ(reply.status, 202);
}

TEST(SimcloudRulesTest, FailedOperationTellsItsCodeInEveryProtocol) {
  Caller caller;
  caller.PutBehaviour(
      OnPost(R"({"failOperation":{"code":"RESOURCE_EXHAUSTED","message":"no space"}})", 3));
  caller.Call("POST", "/v1/volumes", kData);
  caller.Call("POST", "/lro/v1/volumes", kData);
  caller.Call("POST", "/jobs/v1/volumes", kData);
  EXPECT_EQ(caller.Status("GET", "/v1/operations/op-00000002"), 202) << "it fails at its end";
  caller.Pass(seconds(2));

  const Reply v1 = caller.Call("GET", "/v1/operations/op-00000002");
  EXPECT_EQ(v1.status, 422);
  EXPECT_EQ(v1.body, R"({"error":{"code":"RESOURCE_EXHAUSTED","message":"no space"}})");
  const Json lro = caller.CallForJson("GET", "/lro/v1/operations/op-00000004");
  EXPECT_EQ(lro.IntAt({"error", "code"}, -1), 8);
  EXPECT_EQ(lro.StringAt({"error", "message"}), "no space");
  const Json job = caller.CallForJson("GET", "/jobs/v1/jobs/op-00000006");
  EXPECT_EQ(job.StringAt({"status"}), "failed");
  EXPECT_EQ(job.StringAt({"error", "code"}), "RESOURCE_EXHAUSTED");

  EXPECT_EQ(caller.Stat("created"), 0);
  EXPECT_EQ(caller.Stat("duplicatesByName"), 0);
  EXPECT_EQ(caller.Status("GET", "/v1/volumes/vol-00000001"), 404);
}

TEST(SimcloudRulesTest, UnknownFailureCodeIsInternalForGoogle) {
  Caller caller;
  caller.PutBehaviour(OnPost(R"({"failOperation":{"code":"QuotaExceeded"}})"));
  caller.Call("POST", "/lro/v1/volumes", kData);
  caller.Pass(seconds(2));
  const Json done = caller.CallForJson("GET", "/lro/v1/operations/op-00000002");
  EXPECT_EQ(done.IntAt({"error", "code"}, -1), 13);
  const Json& detail = done.FindPath({"error", "details"})->as_array().at(0);
  EXPECT_EQ(detail.StringAt({"reason"}), "QuotaExceeded");
}

TEST(SimcloudRulesTest, FailedSyncCreationIsRefusedAtOnce) {
  Caller caller;
  caller.PutBehaviour(OnPost(R"({"failOperation":{"code":"QuotaExceeded","message":"full"}})"));
  const Reply reply = caller.Call("POST", "/sync/v1/volumes", kData);
  EXPECT_EQ(reply.status, 422);
  EXPECT_EQ(Caller::CodeOf(reply), "QuotaExceeded");
}

TEST(SimcloudRulesTest, FailedDeletionLeavesTheVolume) {
  Caller caller;
  caller.Call("POST", "/sync/v1/volumes", kData);
  caller.PutBehaviour(R"({"rules":[{"match":{"method":"DELETE"},)"
                      R"("action":{"failOperation":{"code":"Busy"}}}]})");
  caller.Call("DELETE", "/v1/volumes/vol-00000001");
  caller.Pass(seconds(2));
  EXPECT_EQ(caller.Status("GET", "/v1/operations/op-00000003"), 422);
  EXPECT_EQ(caller.CallForJson("GET", "/v1/volumes/vol-00000001").StringAt({"status"}),
            "available");
  EXPECT_EQ(caller.Stat("deleted"), 0);
}

TEST(SimcloudRulesTest, AdminIsNeverSubjectToRules) {
  Caller caller;
  caller.PutBehaviour(R"({"rules":[{"times":5,"action":{"status":500}}]})");
  EXPECT_EQ(caller.Status("GET", "/admin/stats"), 200);
  const Json behaviour = caller.CallForJson("GET", "/admin/behaviour");
  EXPECT_EQ(behaviour.Find("rules")->as_array().at(0).IntAt({"times"}, -1), 5);
}

}  // namespace
}  // namespace asyncops::simcloud
