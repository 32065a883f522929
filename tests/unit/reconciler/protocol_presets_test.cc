#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/presets.h"
#include "tests/unit/reconciler/protocol_cases.h"

namespace asyncops::reconciler {
namespace {

struct PollCase {
  const char* preset;
  ExternalAnswer answer;
  std::string shown;
  const char* reason;
};

void Check(const std::vector<PollCase>& cases) {
  for (const PollCase& item : cases) {
    const PollVerdict verdict = Compiled(item.preset)->JudgePoll(item.answer, Running(), Json());
    EXPECT_EQ(Show(verdict), item.shown) << item.preset << ": " << item.reason;
  }
}

TEST(ProtocolPresetsTest, AcceptedLocationReadsTheMonitor) {
  const std::string error = R"({"error": {"code": "QuotaExceeded", "message": "no space"}})";
  Check({
      {"AcceptedLocation", Answer(202, R"({"id": "op-1", "percentComplete": 40})"),
       "Running progress=40%", "202 is running"},
      {"AcceptedLocation", Answer(202, "", {{"location", "/v1/operations/op-2"}}),
       "Running poll=https://api.acme.example/v1/operations/op-2", "the monitor has moved"},
      {"AcceptedLocation", Answer(202, "", {{"location", "/v1/operations/op-1"}}), "Running",
       "the same monitor"},
      {"AcceptedLocation", Answer(200, R"({"id": "vol-1"})"), "Succeeded resource=vol-1",
       "200 is the thing"},
      {"AcceptedLocation", Answer(201, R"({"id": 7})"), "Succeeded resource=7", "201 likewise"},
      {"AcceptedLocation", Answer(204), "Succeeded", "204 has nothing to show"},
      {"AcceptedLocation", Answer(303, "", {{"location", "/v1/volumes/vol-1"}}),
       "Succeeded fetch=https://api.acme.example/v1/volumes/vol-1", "303: get its target"},
      {"AcceptedLocation", Answer(422, error), "Failed Terminal QuotaExceeded", "failed"},
      {"AcceptedLocation", Answer(400), "Failed Terminal OperationFailed", "any other 4xx"},
      {"AcceptedLocation", Answer(409, R"({"error": {"code": "Canceled"}})"), "Canceled",
       "says that it was cancelled"},
      {"AcceptedLocation", Answer(404), "NotFound Recoverable HTTP404", "the monitor is not known"},
      {"AcceptedLocation", Answer(408), "Unreadable Recoverable HTTP408",
       "this poll took too long"},
      {"AcceptedLocation", Answer(425), "Unreadable Throttled HTTP425", "too early"},
      {"AcceptedLocation", Answer(429), "Unreadable Throttled HTTP429", "asked too often"},
      {"AcceptedLocation", Answer(401), "Unreadable Recoverable HTTP401 delay=5m0s",
       "our credentials, not the operation"},
      {"AcceptedLocation", Answer(500), "Unreadable Recoverable HTTP500", "the monitor is broken"},
  });
}

TEST(ProtocolPresetsTest, GoogleLroReadsTheOperation) {
  Check({
      {"GoogleLRO", Answer(200, R"({"name": "operations/1", "metadata": {"progressPercent": 30,
                        "target": "volumes/7"}})"),
       "Running progress=30% resource=volumes/7", "done may be absent"},
      {"GoogleLRO", Answer(200, R"({"name": "operations/1", "done": false})"), "Running",
       "not done"},
      {"GoogleLRO", Answer(200, R"({"name": "operations/1", "done": true, "response": {}})"),
       "Succeeded", "done without error"},
      {"GoogleLRO", Answer(200, R"({"name": "o", "done": true, "error": {"code": 8, "message": "m",
                        "details": [{"@type": "x"}, {"reason": "QuotaExceeded"}]}})"),
       "Failed Terminal QuotaExceeded", "the reason of ErrorInfo"},
      {"GoogleLRO", Answer(200, R"({"name": "o", "done": true, "error": {"code": 8}})"),
       "Failed Terminal ResourceExhausted", "the name of the code"},
      {"GoogleLRO", Answer(200, R"({"name": "o", "done": true, "error": {"code": 99}})"),
       "Failed Terminal OperationFailed", "a code that is none"},
      {"GoogleLRO", Answer(200, R"({"name": "o", "done": true, "error": {"code": 1}})"), "Canceled",
       "code 1 is CANCELLED"},
      {"GoogleLRO",
       Answer(403, R"({"error": {"code": 403, "message": "no", "status": "PERMISSION_DENIED"}})"),
       "Unreadable Recoverable PERMISSION_DENIED delay=5m0s", "an error of the poll itself"},
      {"GoogleLRO", Answer(500, R"({"done": true})"), "Unreadable Recoverable HTTP500",
       "the body of an error is no operation"},
      {"GoogleLRO", Answer(200, "<html>"), "Unreadable Recoverable UnreadableResponse",
       "no operation at all"},
  });
}

TEST(ProtocolPresetsTest, JobStatusReadsTheWord) {
  std::vector<PollCase> cases;
  for (const char* word :
       {"succeeded", "success", "completed", "complete", "done", "finished", "ok", "SUCCEEDED"}) {
    cases.push_back({"JobStatus", Answer(200, std::string(R"({"status": ")") + word + "\"}"),
                     "Succeeded", word});
  }
  for (const char* word : {"failed", "failure", "error", "errored", "aborted", "rejected",
                           "expired", "timedout", "Failed"}) {
    cases.push_back({"JobStatus", Answer(200, std::string(R"({"state": ")") + word + "\"}"),
                     "Failed Terminal OperationFailed", word});
  }
  for (const char* word : {"canceled", "cancelled", "Cancelled"}) {
    cases.push_back(
        {"JobStatus", Answer(200, std::string(R"({"phase": ")") + word + "\"}"), "Canceled", word});
  }
  for (const char* word : {"queued", "running", "PENDING", ""}) {
    cases.push_back(
        {"JobStatus", Answer(200, std::string(R"({"status": ")") + word + "\"}"), "Running", word});
  }
  cases.push_back({"JobStatus", Answer(200, R"({"status": "running", "progress": 12.5})"),
                   "Running progress=12.5%", "progress"});
  cases.push_back({"JobStatus",
                   Answer(200, R"({"status": "succeeded", "result": {"id": "vol-1"}})"),
                   "Succeeded resource=vol-1", "the result's id"});
  cases.push_back({"JobStatus",
                   Answer(200, R"({"status": "failed", "error": {"code": "Q", "message": "m"}})"),
                   "Failed Terminal Q", "the error's code"});
  cases.push_back({"JobStatus", Answer(500, R"({"status": "failed"})"),
                   "Unreadable Recoverable HTTP500", "the body of an error is no job"});
  Check(cases);
}

TEST(ProtocolPresetsTest, CustomAsksItsAcceptorsInOrder) {
  AsyncOperation operation = VolumeOperation();
  operation.spec.poll.emplace();
  operation.spec.poll->acceptors = {{"response.body.state == 'up'", "Succeeded"},
                                    {"response.status == 404", "Succeeded"},
                                    {"has(response.body.state)", "Failed"}};
  operation.spec.poll->default_state = "Running";
  const auto protocol = Compiled(AcmeSystem("Custom"), operation);
  const auto poll = [&protocol](const ExternalAnswer& answer) {
    return Show(protocol->JudgePoll(answer, Running(), Json()));
  };
  EXPECT_EQ(poll(Answer(200, R"({"state": "up"})")), "Succeeded");
  EXPECT_EQ(poll(Answer(200, R"({"state": "odd"})")), "Failed Terminal OperationFailed");
  EXPECT_EQ(poll(Answer(404)), "Succeeded") << "a user may name any status";
  EXPECT_EQ(poll(Answer(200, "{}")), "Running");
  EXPECT_EQ(poll(Answer(502)), "Unreadable Recoverable HTTP502");
  operation.spec.poll->default_state = "Failed";
  EXPECT_EQ(Show(Compiled(AcmeSystem(""), operation)->JudgePoll(Answer(200, "{}"), Running(), {})),
            "Failed Terminal OperationFailed");
}

TEST(ProtocolPresetsTest, WhatTheUserWroteWins) {
  ExternalSystem system = AcmeSystem("GoogleLRO");
  AsyncOperation operation = VolumeOperation();
  operation.spec.operation.emplace();
  operation.spec.operation->id = "/metadata/opId";
  operation.spec.poll.emplace();
  operation.spec.poll->path = "/ops/${operation.id}";
  operation.spec.poll->acceptors = {{"response.body.fine", "Succeeded"}};
  const Result<Declaration> declaration = Declare(system, operation);
  ASSERT_TRUE(declaration.ok());
  EXPECT_EQ(declaration->operation.id, "/metadata/opId");
  EXPECT_EQ(declaration->poll.path, "/ops/${operation.id}");
  EXPECT_EQ(declaration->poll.acceptors, operation.spec.poll->acceptors);
  EXPECT_THAT(declaration->operation.resource_id, testing::HasSubstr("metadata.target"))
      << "filled in";
  EXPECT_EQ(declaration->cancel->path, "/${operation.id}:cancel") << "filled in";
}

TEST(ProtocolPresetsTest, AnUnknownPresetAndAMistakeAreRefusedByName) {
  const auto refusal = [](const ExternalSystem& system, const AsyncOperation& operation) {
    return CompileProtocol(system, operation).status();
  };
  EXPECT_EQ(refusal(AcmeSystem("AzureXYZ"), VolumeOperation()).reason(), Reason::kInvalid);
  AsyncOperation operation = VolumeOperation();
  operation.spec.poll.emplace();
  operation.spec.poll->acceptors = {{"true", "Running"}, {"response.stat == 1", "Succeeded"}};
  const Status status = refusal(AcmeSystem("Custom"), operation);
  EXPECT_EQ(status.reason(), Reason::kInvalid);
  EXPECT_EQ(status.message().substr(0, 22), "poll.acceptors[1].when") << status.message();
  ExternalSystem system = AcmeSystem("");
  system.spec.endpoint = "acme";
  EXPECT_EQ(refusal(system, VolumeOperation()).reason(), Reason::kInvalid);
}

TEST(ProtocolPresetsTest, PolicyHasItsDefaults) {
  using std::chrono::hours;
  using std::chrono::minutes;
  using std::chrono::seconds;
  const Protocol::Policy policy = Compiled("")->policy();
  EXPECT_FALSE(policy.sends_key);
  EXPECT_EQ(policy.key_ttl, hours(24));
  EXPECT_EQ(policy.lookup_settle, seconds(60));
  EXPECT_TRUE(policy.park_on_unknown);
  EXPECT_EQ(policy.poll_initial, seconds(5));
  EXPECT_EQ(policy.poll_max, seconds(60));
  EXPECT_EQ(policy.poll_factor, 1.5);
  EXPECT_EQ(policy.request_timeout, seconds(30));
  EXPECT_EQ(policy.active_deadline, hours(24));
  ASSERT_EQ(policy.retry.tiers.size(), 3U);
  EXPECT_EQ(policy.retry.tiers[0].delay, seconds(10));
  EXPECT_EQ(policy.retry.tiers[1].delay, minutes(1));
  EXPECT_EQ(policy.retry.tiers[2].max, hours(1));
  EXPECT_EQ(policy.retry.jitter, 0.1);
  EXPECT_FALSE(policy.slow_on_terminal);
}

TEST(ProtocolPresetsTest, PolicyTakesTheOperationsWordOverTheSystems) {
  using std::chrono::minutes;
  using std::chrono::seconds;
  ExternalSystem system = AcmeSystem("");
  system.spec.limits.emplace();
  system.spec.limits->request_timeout = minutes(1);
  system.spec.idempotency.emplace();
  system.spec.idempotency->ttl = minutes(9);
  system.spec.retry.emplace();
  system.spec.retry->limit = 4;
  system.spec.retry->on_terminal = "Slow";
  AsyncOperation operation = VolumeOperation();
  operation.spec.retry.emplace();
  operation.spec.retry->limit = 2;
  operation.spec.recovery.emplace();
  operation.spec.recovery->on_unknown = "Fail";
  operation.spec.recovery->adopt_on = {409};
  const Protocol::Policy policy = Compiled(system, operation)->policy();
  EXPECT_TRUE(policy.sends_key);
  EXPECT_EQ(policy.key_ttl, minutes(9));
  EXPECT_EQ(policy.lookup_settle, minutes(2)) << "twice the request timeout";
  EXPECT_EQ(policy.retry.limit, 2);
  EXPECT_TRUE(policy.slow_on_terminal);
  EXPECT_FALSE(policy.park_on_unknown);
  EXPECT_EQ(policy.adopt_on, std::vector<std::int64_t>{409});
}

}  // namespace
}  // namespace asyncops::reconciler
