#include "tests/simcloud/service.h"

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/crypto.h"
#include "base/encoding.h"
#include "tests/unit/simcloud/caller.h"

namespace asyncops::simcloud {
namespace {

using std::chrono::seconds;

constexpr char kData[] = R"({"name":"data","size":"10Gi"})";

TEST(SimcloudTest, AcceptedLocationGoesFromAcceptedToTheVolume) {
  Caller caller;
  const Reply started = caller.Call("POST", "/v1/volumes", kData);
  EXPECT_EQ(started.status, 202);
  EXPECT_EQ(Caller::HeaderOf(started, "Location"), "/v1/operations/op-00000002");

  caller.Pass(seconds(1));
  const Reply running = caller.Call("GET", "/v1/operations/op-00000002");
  EXPECT_EQ(running.status, 202);
  EXPECT_EQ(running.body, R"({"id":"op-00000002","percentComplete":50,"status":"running"})");

  caller.Pass(seconds(1));
  const Reply done = caller.Call("GET", "/v1/operations/op-00000002");
  EXPECT_EQ(done.status, 200);
  EXPECT_EQ(done.body,
            R"({"createTime":"2026-01-01T00:00:00Z","id":"vol-00000001","name":"data",)"
            R"("selfLink":"/v1/volumes/vol-00000001","size":"10Gi","status":"available"})");
}

TEST(SimcloudTest, DeletionIsAnOperationAndEndsWithTheVolumeGone) {
  Caller caller;
  caller.Call("POST", "/v1/volumes", kData);
  caller.Pass(seconds(2));
  const Reply started = caller.Call("DELETE", "/v1/volumes/vol-00000001");
  EXPECT_EQ(started.status, 202);
  const std::string location = Caller::HeaderOf(started, "Location");
  EXPECT_EQ(caller.CallForJson("GET", "/v1/volumes/vol-00000001").StringAt({"status"}), "deleting");

  const Reply again = caller.Call("DELETE", "/v1/volumes/vol-00000001");
  EXPECT_EQ(Caller::HeaderOf(again, "Location"), location);

  caller.Pass(seconds(2));
  EXPECT_EQ(caller.Status("GET", location), 204);
  EXPECT_EQ(caller.Status("GET", "/v1/volumes/vol-00000001"), 404);
  EXPECT_EQ(caller.Status("DELETE", "/v1/volumes/vol-00000001"), 404);
  EXPECT_EQ(caller.Stat("deleted"), 1);
  EXPECT_EQ(caller.Stat("existing"), 0);
}

TEST(SimcloudTest, CancelledAcceptedLocationAnswersConflictAndLeavesNoVolume) {
  Caller caller;
  caller.Call("POST", "/v1/volumes", kData);
  EXPECT_EQ(caller.Status("DELETE", "/v1/operations/op-00000002"), 204);
  const Reply ended = caller.Call("GET", "/v1/operations/op-00000002");
  EXPECT_EQ(ended.status, 409);
  EXPECT_EQ(Caller::CodeOf(ended), "Canceled");
  EXPECT_EQ(caller.Status("GET", "/v1/volumes/vol-00000001"), 404);
}

TEST(SimcloudTest, LongRunningOperationHasNoDoneWhileItRuns) {
  Caller caller;
  const Json started = caller.CallForJson("POST", "/lro/v1/volumes", kData);
  EXPECT_EQ(started.StringAt({"name"}), "operations/op-00000002");
  EXPECT_EQ(started.Find("done"), nullptr);
  EXPECT_EQ(started.IntAt({"metadata", "progressPercent"}, -1), 0);

  caller.Pass(seconds(2));
  const Json done = caller.CallForJson("GET", "/lro/v1/operations/op-00000002");
  EXPECT_EQ(done.Find("done")->as_bool(), true);
  EXPECT_EQ(done.StringAt({"response", "id"}), "vol-00000001");
  EXPECT_EQ(done.Find("error"), nullptr);
}

TEST(SimcloudTest, CancelledLongRunningOperationHasErrorCodeOne) {
  Caller caller;
  caller.Call("POST", "/lro/v1/volumes", kData);
  const Reply canceled = caller.Call("POST", "/lro/v1/operations/op-00000002:cancel", "{}");
  EXPECT_EQ(canceled.status, 200);
  EXPECT_EQ(canceled.body, "{}");
  const Json done = caller.CallForJson("GET", "/lro/v1/operations/op-00000002");
  EXPECT_EQ(done.IntAt({"error", "code"}, -1), 1);
  EXPECT_EQ(done.Find("response"), nullptr);
}

TEST(SimcloudTest, JobTellsItsStatusAndResult) {
  Caller caller;
  const Reply queued = caller.Call("POST", "/jobs/v1/volumes", kData);
  EXPECT_EQ(queued.status, 202);
  EXPECT_EQ(queued.body, R"({"jobId":"op-00000002","status":"queued"})");
  const Json running = caller.CallForJson("GET", "/jobs/v1/jobs/op-00000002");
  EXPECT_EQ(running.StringAt({"status"}), "running");
  caller.Pass(seconds(2));
  const Json done = caller.CallForJson("GET", "/jobs/v1/jobs/op-00000002");
  EXPECT_EQ(done.StringAt({"status"}), "succeeded");
  EXPECT_EQ(done.IntAt({"progress"}, -1), 100);
  EXPECT_EQ(done.StringAt({"result", "id"}), "vol-00000001");
}

TEST(SimcloudTest, CancelledJobSaysSo) {
  Caller caller;
  caller.Call("POST", "/jobs/v1/volumes", kData);
  const Json canceled = caller.CallForJson("POST", "/jobs/v1/jobs/op-00000002/cancel");
  EXPECT_EQ(canceled.StringAt({"status"}), "canceled");
}

TEST(SimcloudTest, SyncMakesAndDeletesAtOnce) {
  Caller caller;
  const Reply made = caller.Call("POST", "/sync/v1/volumes", kData);
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(Caller::JsonOf(made).StringAt({"status"}), "available");
  EXPECT_EQ(caller.Status("DELETE", "/sync/v1/volumes/vol-00000001"), 204);
  EXPECT_EQ(caller.Status("GET", "/sync/v1/volumes/vol-00000001"), 404);
}

TEST(SimcloudTest, LookUpFindsTheVolumesOfACorrelationId) {
  Caller caller;
  caller.Call("POST", "/v1/volumes", kData, {{"x-correlation-id", "uid-1"}});
  caller.Call("POST", "/v1/volumes", R"({"name":"other"})", {{"x-correlation-id", "uid-2"}});
  const Json found = caller.CallForJson("GET", "/v1/volumes?correlation=uid-1");
  ASSERT_EQ(found.Find("items")->as_array().size(), 1u);
  EXPECT_EQ(found.Find("items")->as_array()[0].StringAt({"name"}), "data");
  EXPECT_EQ(caller.Call("GET", "/v1/volumes?correlation=uid-3").body, R"({"items":[]})");
  const Json operations = caller.CallForJson("GET", "/v1/operations?correlation=uid-2");
  EXPECT_EQ(operations.Find("items")->as_array().size(), 1u);
  EXPECT_EQ(caller.Stat("lookups"), 3);
}

TEST(SimcloudTest, SameKeyAndBodyGetTheSameAnswerAndMakeNothing) {
  Caller caller;
  const Reply first = caller.Call("POST", "/v1/volumes", kData, {{"idempotency-key", "k"}});
  caller.Pass(seconds(5));
  // The other form of the header, a structured field's string.
  const Reply second = caller.Call("POST", "/v1/volumes", kData, {{"idempotency-key", "\"k\""}});
  EXPECT_EQ(second.status, 202);
  EXPECT_EQ(second.body, first.body);
  EXPECT_EQ(Caller::HeaderOf(second, "Location"), Caller::HeaderOf(first, "Location"));
  EXPECT_EQ(Caller::HeaderOf(second, "Idempotency-Replayed"), "true");
  EXPECT_EQ(caller.Stat("created"), 1);
  EXPECT_EQ(caller.Stat("submits"), 2);
  EXPECT_EQ(caller.Stat("replays"), 1);
}

TEST(SimcloudTest, SameKeyWithAnotherBodyIsRefused) {
  Caller caller;
  caller.Call("POST", "/v1/volumes", kData, {{"idempotency-key", "k"}});
  const Reply refused =
      caller.Call("POST", "/v1/volumes", R"({"name":"x"})", {{"idempotency-key", "k"}});
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(Caller::CodeOf(refused), "KeyReused");
  EXPECT_EQ(caller.Stat("created"), 1);
}

TEST(SimcloudTest, RefusedRequestDoesNotUseUpItsKey) {
  Caller caller;
  EXPECT_EQ(caller.Call("POST", "/v1/volumes", "{}", {{"idempotency-key", "k"}}).status, 400);
  EXPECT_EQ(caller.Call("POST", "/v1/volumes", kData, {{"idempotency-key", "k"}}).status, 202);
}

TEST(SimcloudTest, KeysAreIgnoredWhenIdempotencyIsOffAndTheDuplicatesCounted) {
  Caller caller;
  caller.PutBehaviour(R"({"idempotency":false})");
  for (int i = 0; i < 3; ++i) {
    caller.Call("POST", "/v1/volumes", kData,
                {{"idempotency-key", "k"}, {"x-correlation-id", "uid-1"}});
  }
  EXPECT_EQ(caller.Stat("created"), 3);
  EXPECT_EQ(caller.Stat("duplicatesByCorrelation"), 1);
  EXPECT_EQ(caller.Stat("duplicatesByName"), 1);
}

TEST(SimcloudTest, RequiredTokenIsAskedOfEveryRequestButAdmins) {
  Caller caller;
  caller.PutBehaviour(R"({"requireToken":"s3cret"})");
  const Reply refused = caller.Call("POST", "/v1/volumes", kData);
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(Caller::HeaderOf(refused, "WWW-Authenticate"), "Bearer");
  const auto with = [&caller](const std::string& value) {
    return caller.Call("POST", "/v1/volumes", kData, {{"authorization", value}}).status;
  };
  EXPECT_EQ(with("Bearer other"), 401);
  EXPECT_EQ(with("Bearer "), 401);
  EXPECT_EQ(with("Basic s3cret"), 401);
  EXPECT_EQ(with("Bearer s3cret"), 202);
  EXPECT_EQ(caller.Stat("unauthorized"), 4);
}

TEST(SimcloudTest, AdminShowsADigestOfTheCredentialNeverTheValue) {
  Caller caller;
  caller.PutBehaviour(R"({"requireToken":"s3cret"})");
  caller.Call("POST", "/v1/volumes", kData, {{"authorization", "Bearer s3cret"}});
  const std::string digest = HexEncode(Sha256("Bearer s3cret"));
  for (const std::string target : {"/admin/volumes", "/admin/operations", "/admin/behaviour"}) {
    const std::string body = caller.Call("GET", target).body;
    EXPECT_EQ(body.find("s3cret"), std::string::npos) << target;
    const bool shows_digest = body.find(digest) != std::string::npos;
    EXPECT_EQ(shows_digest, target != "/admin/behaviour") << target;
  }
}

TEST(SimcloudTest, ResetForgetsEverything) {
  Caller caller;
  caller.PutBehaviour(R"({"idempotency":false,"rules":[{"action":{"status":500},"times":9}]})");
  caller.Call("POST", "/v1/volumes", kData);
  caller.PutBehaviour(R"({"rules":[]})");
  caller.Call("POST", "/v1/volumes", kData);
  EXPECT_EQ(caller.Status("POST", "/admin/reset"), 204);
  EXPECT_EQ(caller.Stat("created"), 0);
  EXPECT_EQ(caller.Stat("requests"), 0);
  EXPECT_EQ(caller.Call("GET", "/admin/volumes").body, R"({"items":[]})");
  EXPECT_TRUE(caller.CallForJson("GET", "/admin/behaviour").Find("idempotency")->as_bool());
}

TEST(SimcloudTest, WrongRequestsAreToldWhatIsWrong) {
  struct Row {
    std::string method;
    std::string target;
    std::string body;
    int status;
    std::string reason;
  };
  const std::string long_name(254, 'n');
  const std::vector<Row> rows = {
      {"POST", "/v1/volumes", "", 400, "no body"},
      {"POST", "/v1/volumes", "[1]", 400, "no object"},
      {"POST", "/v1/volumes", "{", 400, "no JSON"},
      {"POST", "/v1/volumes", R"({"name":7})", 400, "name of another type"},
      {"POST", "/v1/volumes", R"({"name":""})", 400, "empty name"},
      {"POST", "/v1/volumes", R"({"name":")" + long_name + R"("})", 400, "name too long"},
      {"POST", "/v1/volumes", R"({"name":"a","size":true})", 400, "size of another type"},
      {"POST", "/v1/volumes", R"({"name":"a","labels":[]})", 400, "labels of another type"},
      {"PUT", "/v1/volumes", kData, 405, "method that the collection has not"},
      {"PUT", "/v1/volumes/vol-1", "{}", 405, "method that a volume has not"},
      {"DELETE", "/lro/v1/operations/op-1", "", 405, "the other protocol's way to cancel"},
      {"GET", "/v1/operations/op-1", "", 404, "operation that never was"},
      {"POST", "/lro/v1/operations/op-1:cancel", "{}", 404, "cancel of one that never was"},
      {"GET", "/v1/volumes/", "", 404, "empty id"},
      {"GET", "/v1/volumes/a/b", "", 404, "id with a slash"},
      {"GET", "/lro/v1/operations/:cancel", "", 404, "cancel without an id"},
      {"GET", "/v2/volumes", "", 404, "prefix that is none"},
      {"GET", "/sync/v1/operations", "", 404, "collection that the face has not"},
      {"GET", "/", "", 404, "the root"},
      {"GET", "/admin/other", "", 404, "admin path that is none"},
      {"DELETE", "/admin/stats", "", 405, "method that an admin path has not"},
      {"PUT", "/admin/behaviour", "{", 400, "behaviour that is no JSON"},
  };
  Caller caller;
  for (const Row& row : rows) {
    const Reply reply = caller.Call(row.method, row.target, row.body);
    EXPECT_EQ(reply.status, row.status) << row.reason;
    EXPECT_NE(Caller::CodeOf(reply), "") << row.reason;
  }
  EXPECT_EQ(caller.Stat("created"), 0);
}

TEST(SimcloudTest, OverlongIdempotencyKeyIsRefused) {
  Caller caller;
  for (const std::string& key : {std::string(), std::string("\"\""), std::string(256, 'k')}) {
    EXPECT_EQ(caller.Call("POST", "/v1/volumes", kData, {{"idempotency-key", key}}).status, 400);
  }
  EXPECT_EQ(caller.Stat("created"), 0);
}

TEST(SimcloudTest, ProgressAndRetryAfterFollowTheBehaviour) {
  Caller caller;
  caller.PutBehaviour(R"({"progress":false,"retryAfter":"3","operationDuration":"10s"})");
  const Reply started = caller.Call("POST", "/v1/volumes", kData);
  EXPECT_EQ(started.body, R"({"id":"op-00000002","status":"running"})");
  EXPECT_EQ(Caller::HeaderOf(started, "Retry-After"), "3");
  caller.Pass(seconds(9));
  EXPECT_EQ(caller.Status("GET", "/v1/operations/op-00000002"), 202);
  caller.Pass(seconds(1));
  const Reply done = caller.Call("GET", "/v1/operations/op-00000002");
  EXPECT_EQ(done.status, 200);
  EXPECT_EQ(Caller::HeaderOf(done, "Retry-After"), "");
}

}  // namespace
}  // namespace asyncops::simcloud
