// What polls, lookups and cancels mean, beyond the presets.
#include <gtest/gtest.h>

#include "tests/unit/reconciler/protocol_cases.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::seconds;

ExternalAnswer After(int status, Duration wait) {
  ExternalAnswer answer = Answer(status);
  answer.retry_after = wait;
  return answer;
}

TEST(ProtocolPollTest, ErrorsOfAPollAreClassedByTheTable) {
  using Outcome = kube::Exchange::Outcome;
  struct Case {
    ExternalAnswer answer;
    std::string shown;
    const char* reason;
  };
  const std::vector<Case> cases = {
      {NoAnswerOf(Outcome::kNotSent, "refused", "ConnectionRefused"),
       "Unreadable Recoverable ConnectionRefused", "no byte was sent"},
      {NoAnswerOf(Outcome::kAmbiguous), "Unreadable Recoverable Timeout", "a GET may be repeated"},
      {Answer(500), "Unreadable Recoverable HTTP500", "says nothing of the operation"},
      {Answer(503), "Unreadable Recoverable HTTP503", "says nothing of the operation"},
      {After(503, seconds(4)), "Unreadable Throttled HTTP503 delay=4s", "turned away"},
      {After(429, seconds(4)), "Unreadable Throttled HTTP429 delay=4s", "turned away"},
      {Answer(408), "Unreadable Recoverable HTTP408", "took too long"},
      {Answer(425), "Unreadable Throttled HTTP425", "too early"},
      {Answer(409), "Unreadable Conflict HTTP409", "conflict"},
      {Answer(401), "Unreadable Recoverable HTTP401 delay=5m0s", "credentials may be mended"},
      {Answer(403), "Unreadable Recoverable HTTP403 delay=5m0s", "credentials may be mended"},
      {Answer(404), "NotFound Recoverable HTTP404", "not known, or not yet"},
      {Answer(410), "NotFound Recoverable HTTP410", "not known any more"},
      {Answer(400), "Unreadable Terminal HTTP400", "the caller counts to three"},
      {Answer(302), "Unreadable Terminal HTTP302", "a redirect that was not followed"},
  };
  for (const Case& item : cases)
    EXPECT_EQ(Show(Compiled("")->JudgePoll(item.answer, Running(), Json())), item.shown)
        << item.reason;
}

TEST(ProtocolPollTest, A404OfAMonitorDoesNotSayThatTheThingIsGone) {
  AsyncOperation operation = VolumeOperation();
  operation.spec.type = "Delete";
  operation.spec.poll.emplace();
  operation.spec.poll->path = "/jobs/${operation.id}";
  EXPECT_EQ(
      Show(Compiled(AcmeSystem("JobStatus"), operation)->JudgePoll(Answer(404), Running(), Json())),
      "NotFound Recoverable HTTP404")
      << "replicas lag";
  operation.spec.poll->path = "/volumes/vol-1";
  EXPECT_EQ(
      Show(Compiled(AcmeSystem("JobStatus"), operation)->JudgePoll(Answer(404), Running(), Json())),
      "Succeeded");
}

TEST(ProtocolPollTest, AGarbledSuccessIsNoSuccess) {
  ExternalAnswer answer = Answer(200, "{\"id\"");
  answer.garbled = true;
  for (const char* preset : {"AcceptedLocation", "GoogleLRO", "JobStatus", ""}) {
    EXPECT_EQ(Show(Compiled(preset)->JudgePoll(answer, Running(), Json())),
              "Unreadable Recoverable UnreadableResponse")
        << preset;
  }
}

TEST(ProtocolPollTest, AFailedOperationIsTerminalUnlessARuleSaysOtherwise) {
  AsyncOperation operation = VolumeOperation();
  operation.spec.error_rules = {{"error.code == 'Busy'", "Recoverable", seconds(20)}};
  const auto protocol = Compiled(AcmeSystem("JobStatus"), operation);
  const auto poll = [&protocol](const char* body) {
    return Show(protocol->JudgePoll(Answer(200, body), Running(), Json()));
  };
  EXPECT_EQ(poll(R"({"status": "failed", "error": {"code": "Busy"}})"),
            "Failed Recoverable Busy instead=20s");
  EXPECT_EQ(poll(R"({"status": "failed", "error": {"code": "Other"}})"), "Failed Terminal Other");
}

TEST(ProtocolPollTest, ErrorAndProgressOfTheUserAreRead) {
  AsyncOperation operation = VolumeOperation();
  operation.spec.poll.emplace();
  operation.spec.poll->error = ErrorMapping{"/fault/id", "/fault/text"};
  operation.spec.poll->progress = "/done";
  operation.spec.poll->acceptors = {{"response.body.state == 'ERROR'", "Failed"}};
  const auto protocol = Compiled(AcmeSystem(""), operation);
  const PollVerdict failed = protocol->JudgePoll(
      Answer(200, R"({"state": "ERROR", "fault": {"id": "E 12", "text": "broken"}})"), Running(),
      Json());
  EXPECT_EQ(failed.failure.code, "E12");
  EXPECT_EQ(failed.failure.message, "broken");
  EXPECT_EQ(protocol->JudgePoll(Answer(200, R"({"done": 7})"), Running(), Json()).progress, "7%");
  EXPECT_EQ(
      protocol->JudgePoll(Answer(200, R"({"done": "phase two"})"), Running(), Json()).progress,
      "phase two");
}

TEST(ProtocolPollTest, TheResultIsFetchedFromWhereTheDeclarationSays) {
  struct Case {
    ResultSource source;
    std::string fetch;  // "" for none
    const char* reason;
  };
  const std::vector<Case> cases = {
      {{"PollResponse", "", ""}, "", "it is in the answer"},
      {{"OriginalURL", "", ""}, "https://api.acme.example/v1/volumes", "the URL of the submit"},
      {{"Location", "", ""}, "https://api.acme.example/v1/volumes/vol-1", "the answer's Location"},
      {{"URL", "/volumes/${operation.resourceID}", ""},
       "https://api.acme.example/v1/volumes/r-1",
       "a template"},
      {{"URL", "/volumes/${submit.response.body.volume}", ""},
       "https://api.acme.example/v1/volumes/s",
       "what the submit answered"},
      {{"URL", "/volumes/${submit.response.body.other}", ""}, "", "a value that is not there"},
      {{"Expression", "", "submit.response.body.volume"},
       "https://api.acme.example/v1/operations/s",
       "an expression, relative to what is polled"},
      {{"Expression", "", "response.body.other"}, "", "an expression without a value"},
      {{"Expression", "", "''"}, "", "or an empty one"},
  };
  OperationIdentity running = Running();
  running.resource_id = "r-1";
  const Json submitted = *ParseJson(R"({"status": 202, "headers": {}, "body": {"volume": "s"}})");
  for (const Case& item : cases) {
    AsyncOperation operation = VolumeOperation();
    operation.spec.poll.emplace();
    operation.spec.poll->result = item.source;
    const PollVerdict verdict =
        Compiled(AcmeSystem("AcceptedLocation"), operation)
            ->JudgePoll(Answer(200, "{}", {{"location", "/v1/volumes/vol-1"}}), running, submitted);
    EXPECT_EQ(verdict.fetch ? verdict.fetch->url : "", item.fetch) << item.reason;
    EXPECT_EQ(verdict.fetch ? verdict.fetch->method : "GET", "GET") << item.reason;
  }
}

TEST(ProtocolPollTest, OutputsAreReadAndMissingOnesLeftOut) {
  AsyncOperation operation = VolumeOperation();
  operation.spec.outputs = {{"volumeID", "/id", std::nullopt},
                            {"size", "response.body.sizeGib * 2", std::nullopt},
                            {"absent", "/nothing", std::nullopt},
                            {"submitted", "submit.response.body.ref", std::nullopt},
                            {"password", "/pw", SecretKeyRef{"vol", "pw"}}};
  const Json submitted = *ParseJson(R"({"status": 202, "headers": {}, "body": {"ref": [1]}})");
  const Json outputs = Compiled(AcmeSystem(""), operation)
                           ->Outputs(Answer(200, R"({"id": "v", "sizeGib": 3, "pw": "hunter22"})"),
                                     Running(), submitted);
  EXPECT_EQ(EncodeJson(outputs), R"({"size":6,"submitted":[1],"volumeID":"v"})");
}

AsyncOperation WithLookup() {
  AsyncOperation operation = VolumeOperation();
  operation.spec.recovery.emplace();
  operation.spec.recovery->lookup.emplace();
  operation.spec.recovery->lookup->path = "/volumes?correlation=${operation.correlationID}";
  operation.spec.recovery->lookup->found = "size(response.body.items) > 0";
  operation.spec.recovery->lookup->id = "/items/0/id";
  return operation;
}

TEST(ProtocolPollTest, ALookupIsOnlyAMissWhereItIsCertain) {
  struct Case {
    ExternalAnswer answer;
    std::string shown;
    const char* reason;
  };
  const std::vector<Case> cases = {
      {Answer(200, R"({"items": [{"id": "vol-1"}]})"), "Found vol-1", "there it is"},
      {Answer(200, R"({"items": []})"), "Missing", "none"},
      {Answer(404), "Missing", "not there"},
      {Answer(200, "{}"), "Missing", "a missing field is no match"},
      {Answer(200, "<html>"), "Unreadable UnreadableResponse", "a page proves nothing"},
      {Answer(204), "Unreadable UnreadableResponse", "an empty answer proves nothing"},
      {Answer(200, R"({"items": 3})"), "Unreadable UnreadableResponse", "a list that is none"},
      {Answer(200, R"({"items": [{"name": "x"}]})"), "Unreadable LookupWithoutID", "found, no id"},
      {Answer(500), "Unreadable HTTP500", "no answer"},
      {Answer(403), "Unreadable HTTP403", "no answer"},
      {NoAnswerOf(kube::Exchange::Outcome::kAmbiguous), "Unreadable Timeout", "no answer"},
  };
  const auto protocol = Compiled(AcmeSystem(""), WithLookup());
  for (const Case& item : cases) {
    const LookupVerdict verdict = protocol->JudgeLookup(item.answer, Running());
    std::string shown = "Missing";
    if (verdict.outcome == LookupVerdict::Outcome::kFound) shown = "Found " + verdict.operation_id;
    if (verdict.outcome == LookupVerdict::Outcome::kUnreadable)
      shown = "Unreadable " + verdict.failure.code;
    EXPECT_EQ(shown, item.shown) << item.reason;
  }
}

TEST(ProtocolPollTest, ACancelIsTakenBy2xx404AndWhatIsListed) {
  AsyncOperation operation = VolumeOperation();
  operation.spec.cancel = CancelSpec{"DELETE", "${operation.pollURL}", {}, Json(), {409}};
  const auto protocol = Compiled(AcmeSystem(""), operation);
  for (const int status : {200, 202, 204, 404, 409})
    EXPECT_TRUE(protocol->JudgeCancel(Answer(status)).ok()) << status;
  for (const int status : {400, 401, 410, 500})
    EXPECT_FALSE(protocol->JudgeCancel(Answer(status)).ok()) << status;
  EXPECT_FALSE(protocol->JudgeCancel(NoAnswerOf(kube::Exchange::Outcome::kAmbiguous)).ok());
}

}  // namespace
}  // namespace asyncops::reconciler
