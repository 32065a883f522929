#include <gtest/gtest.h>

#include "tests/unit/reconciler/protocol_cases.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::seconds;

OperationIdentity New() {
  OperationIdentity operation;
  operation.correlation_id = "corr-1";
  operation.idempotency_key = "key-1";
  return operation;
}

struct SubmitCase {
  ExternalAnswer answer;
  std::string shown;
  const char* reason;
};

void Check(const Protocol& protocol, const std::vector<SubmitCase>& cases) {
  for (const SubmitCase& item : cases)
    EXPECT_EQ(Show(protocol.JudgeSubmit(item.answer, New())), item.shown) << item.reason;
}

ExternalAnswer After(int status, Duration wait) {
  ExternalAnswer answer = Answer(status);
  answer.retry_after = wait;
  return answer;
}

TEST(ProtocolSubmitTest, ErrorsAreClassedByTheTable) {
  using Outcome = kube::Exchange::Outcome;
  Check(
      *Compiled(""),
      {
          {NoAnswerOf(Outcome::kNotSent, "refused", "ConnectionRefused"),
           "Failed Recoverable ConnectionRefused", "no byte was sent"},
          {NoAnswerOf(Outcome::kAmbiguous), "Failed Ambiguous Timeout", "a timeout after the send"},
          {Answer(500), "Failed Ambiguous HTTP500", "the work may have been done"},
          {Answer(502), "Failed Ambiguous HTTP502", "the work may have been done"},
          {Answer(503), "Failed Ambiguous HTTP503", "no Retry-After: it may have been taken"},
          {Answer(504), "Failed Ambiguous HTTP504", "the work may have been done"},
          {Answer(408), "Failed Ambiguous HTTP408", "part of the request was read"},
          {After(503, seconds(7)), "Failed Throttled HTTP503 delay=7s", "turned away"},
          {After(429, seconds(9)), "Failed Throttled HTTP429 delay=9s", "turned away"},
          {Answer(429), "Failed Throttled HTTP429", "turned away"},
          {Answer(425), "Failed Throttled HTTP425", "too early"},
          {Answer(409), "Failed Conflict HTTP409", "without a key"},
          {Answer(401), "Failed Recoverable HTTP401 delay=5m0s", "credentials may be mended"},
          {Answer(403), "Failed Recoverable HTTP403 delay=5m0s", "credentials may be mended"},
          {Answer(400), "Failed Terminal HTTP400", "refused for good"},
          {Answer(404), "Failed Terminal HTTP404", "refused for good"},
          {Answer(405), "Failed Terminal HTTP405", "refused for good"},
          {Answer(406), "Failed Terminal HTTP406", "refused for good"},
          {Answer(410), "Failed Terminal HTTP410", "refused for good"},
          {Answer(413), "Failed Terminal HTTP413", "refused for good"},
          {Answer(415), "Failed Terminal HTTP415", "refused for good"},
          {Answer(422), "Failed Terminal HTTP422", "refused for good"},
          {Answer(302, "", {{"location", "/login"}}), "Failed Terminal HTTP302",
           "never posted again"},
          {Answer(303, "", {{"location", "/volumes/1"}}), "Failed Ambiguous HTTP303",
           "the work was done"},
          {Answer(307, "", {{"location", "/v2"}}), "Failed Terminal HTTP307", "never posted again"},
          {Answer(422, R"({"error": {"code": "BadSize", "message": "too big"}})"),
           "Failed Terminal BadSize", "the system's own code"},
      });
}

TEST(ProtocolSubmitTest, AConflictDependsOnKeyAndAdoption) {
  ExternalSystem system = AcmeSystem("");
  system.spec.idempotency.emplace();
  AsyncOperation operation = VolumeOperation();
  EXPECT_EQ(Show(Compiled(system, operation)->JudgeSubmit(Answer(409), New())),
            "Failed Recoverable HTTP409 delay=5s")
      << "the first request with this key is still under way";
  EXPECT_EQ(Show(Compiled(system, operation)->JudgeSubmit(After(409, seconds(30)), New())),
            "Failed Recoverable HTTP409 delay=30s");
  operation.spec.recovery.emplace();
  operation.spec.recovery->adopt_on = {409, 422};
  const auto adopting = Compiled(system, operation);
  EXPECT_EQ(Show(adopting->JudgeSubmit(Answer(409), New())), "Failed Conflict HTTP409");
  EXPECT_EQ(Show(adopting->JudgeSubmit(Answer(422), New())), "Failed Conflict HTTP422");
}

TEST(ProtocolSubmitTest, ErrorRulesComeFirstButNotWhereNoAnswerCame) {
  AsyncOperation operation = VolumeOperation();
  operation.spec.error_rules = {{"error.code == 'Quota'", "Recoverable", seconds(40)},
                                {"response.status == 500", "Terminal", std::nullopt},
                                {"true", "Conflict", std::nullopt}};
  ExternalSystem system = AcmeSystem("");
  system.spec.error_rules = {{"true", "Terminal", std::nullopt}};
  const auto protocol = Compiled(system, operation);
  Check(*protocol,
        {
            {Answer(422, R"({"error": {"code": "Quota"}})"), "Failed Recoverable Quota instead=40s",
             "a rule with a delay"},
            {Answer(500), "Failed Terminal HTTP500", "a rule may vouch for a 500"},
            {Answer(404), "Failed Conflict HTTP404", "the operation's rules before the system's"},
            {NoAnswerOf(kube::Exchange::Outcome::kAmbiguous), "Failed Ambiguous Timeout",
             "no rule makes a lost answer certain"},
        });
}

TEST(ProtocolSubmitTest, AcceptedLocationIsAcceptedWithItsMonitor) {
  Check(
      *Compiled("AcceptedLocation"),
      {
          {Answer(202, R"({"id": "x"})", {{"location", "/v1/operations/op-1"}}),
           "Accepted id=op-1 poll=https://api.acme.example/v1/operations/op-1",
           "a path is relative to the submit"},
          {Answer(202, "", {{"location", "operations/op-1?v=2"}}),
           "Accepted id=op-1 poll=https://api.acme.example/v1/operations/op-1?v=2",
           "a relative one"},
          {Answer(202, "", {{"location", "https://ops.acme.example/m/7"}}),
           "Accepted id=7 poll=https://ops.acme.example/m/7",
           "another origin: for the client to judge"},
          {Answer(201, R"({"id": "vol-1"})", {{"location", "/v1/volumes/vol-1"}}),
           "Succeeded id=vol-1 resource=vol-1", "the Location of a 201 is the thing itself"},
          {Answer(200, R"({"id": "vol-1"})"), "Succeeded id=vol-1 resource=vol-1", "done at once"},
          {Answer(204), "Succeeded", "done at once"},
          {Answer(202, "{}"), "Failed Ambiguous NoPollURL", "accepted, but nothing to follow"},
          {Answer(202, "", {{"location", "ftp://x/y"}}), "Failed Ambiguous NoPollURL",
           "no http URL"},
      });
}

TEST(ProtocolSubmitTest, RetryAfterOfAnAcceptedSubmitIsTheWaitBeforeThePoll) {
  ExternalAnswer answer = Answer(202, "", {{"location", "/v1/operations/op-1"}});
  answer.retry_after = seconds(3);
  EXPECT_EQ(Compiled("AcceptedLocation")->JudgeSubmit(answer, New()).poll_after, seconds(3));
}

TEST(ProtocolSubmitTest, GoogleLroIsAcceptedByItsName) {
  Check(*Compiled("GoogleLRO"),
        {
            {Answer(200, R"({"name": "operations/1", "metadata": {"target": "volumes/7"}})"),
             "Accepted id=operations/1 poll=https://api.acme.example/v1/operations/1 "
             "resource=volumes/7",
             "polled under its name"},
            {Answer(200, R"({"done": true, "response": {}})"), "Succeeded", "done without a name"},
            {Answer(200, R"({"done": true, "error": {"code": 7, "message": "no"}})"),
             "Failed Terminal PermissionDenied", "failed at once"},
            {Answer(200, "%%%"), "Failed Ambiguous UnreadableResponse", "garbage proves nothing"},
        });
}

TEST(ProtocolSubmitTest, JobStatusIsAcceptedByIdOrLocation) {
  Check(
      *Compiled("JobStatus"),
      {
          {Answer(202, R"({"jobId": "j-1", "status": "queued"})"),
           "Accepted id=j-1 poll=https://api.acme.example/v1/jobs/j-1", "jobs beside the volumes"},
          {Answer(202, R"({"id": "j-2"})", {{"location", "/v1/tasks/j-2"}}),
           "Accepted id=j-2 poll=https://api.acme.example/v1/tasks/j-2", "Location wins"},
          {Answer(201, R"({"id": "vol-1", "status": "ok"})"), "Succeeded id=vol-1", "done at once"},
          {Answer(200, R"({"status": "failed", "error": {"code": "Q"}})"), "Failed Terminal Q",
           "failed at once"},
          {Answer(200, R"({"status": "ok", "jobId": "j-3"})"),
           "Accepted id=j-3 poll=https://api.acme.example/v1/jobs/j-3",
           "the word speaks of the request while there is a job to ask"},
      });
}

TEST(ProtocolSubmitTest, AGarbledSuccessIsAmbiguous) {
  ExternalAnswer answer = Answer(200, "{\"id\": ");
  answer.garbled = true;
  EXPECT_EQ(Show(Compiled("AcceptedLocation")->JudgeSubmit(answer, New())),
            "Failed Ambiguous UnreadableResponse");
  EXPECT_EQ(Show(Compiled("AcceptedLocation")->JudgeSubmit(Answer(200, "OK"), New())), "Succeeded")
      << "plain text is a fine answer";
}

TEST(ProtocolSubmitTest, ADeleteOfWhatIsGoneHasSucceeded) {
  AsyncOperation operation = VolumeOperation();
  operation.spec.type = "Delete";
  const auto protocol = Compiled(AcmeSystem("AcceptedLocation"), operation);
  EXPECT_EQ(Show(protocol->JudgeSubmit(Answer(404), New())), "Succeeded");
  EXPECT_EQ(Show(protocol->JudgeSubmit(Answer(410), New())), "Succeeded");
  EXPECT_EQ(Show(protocol->JudgeSubmit(Answer(204), New())), "Succeeded");
  EXPECT_EQ(Show(protocol->JudgePoll(Answer(404), Running(), Json())),
            "NotFound Recoverable HTTP404")
      << "the monitor may not be known yet";
  AsyncOperation polled = operation;
  polled.spec.poll.emplace().path = "/volumes/1";
  EXPECT_EQ(Show(Compiled(AcmeSystem("AcceptedLocation"), polled)
                     ->JudgePoll(Answer(404), Running(), Json())),
            "Succeeded");
  operation.spec.gone = {409};
  const auto own = Compiled(AcmeSystem("AcceptedLocation"), operation);
  EXPECT_EQ(Show(own->JudgeSubmit(Answer(409), New())), "Succeeded");
  EXPECT_EQ(Show(own->JudgeSubmit(Answer(404), New())), "Failed Terminal HTTP404");
}

TEST(ProtocolSubmitTest, TheMappingOfTheUserIsRead) {
  AsyncOperation operation = VolumeOperation();
  operation.spec.operation.emplace();
  operation.spec.operation->id = "/op/key";
  operation.spec.operation->poll_url = "'/v1/watch/' + operation.id";
  operation.spec.operation->resource_id = "response.headers['x-volume']";
  operation.spec.operation->console_url = "'https://console.acme.example/' + operation.resourceID";
  EXPECT_EQ(
      Show(Compiled(AcmeSystem(""), operation)
               ->JudgeSubmit(Answer(200, R"({"op": {"key": 12}})", {{"x-volume", "v9"}}), New())),
      "Accepted id=12 poll=https://api.acme.example/v1/watch/12 resource=v9"
      " console=https://console.acme.example/v9");
  operation.spec.operation->console_url = "'javascript:alert(1)'";
  EXPECT_EQ(Compiled(AcmeSystem(""), operation)->JudgeSubmit(Answer(200, "{}"), New()).console_url,
            "");
}

TEST(ProtocolSubmitTest, TheMessageIsTheSystemsInAFormThatStays) {
  const auto message = [](const ExternalAnswer& answer) {
    return Compiled("")->JudgeSubmit(answer, New()).failure.message;
  };
  EXPECT_EQ(message(Answer(400, R"({"error": {"code": "x", "message": "no\nspace"}})")),
            "no space");
  EXPECT_EQ(message(Answer(400, R"({"message": "bad size, request id: 12ab"})")),
            "bad size, request id: <id>");
  EXPECT_EQ(message(Answer(400, R"({"detail": "a problem"})")), "a problem");
  EXPECT_EQ(message(Answer(502)), "the system answered HTTP 502");
  EXPECT_EQ(message(Answer(502, "<html>Bad Gateway</html>")), "the system answered HTTP 502");
  EXPECT_EQ(message(Answer(503, "try later")), "the system answered HTTP 503: try later");
}

}  // namespace
}  // namespace asyncops::reconciler
