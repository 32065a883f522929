// Objects that go into Secrets: what of their texts is left in answers that are stored.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/encoding.h"
#include "tests/unit/reconciler/engine_world.h"
#include "tests/unit/reconciler/store_bytes.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kMonitor = "http://cloud.example/v1/operations/7";
constexpr const char* kConfig = R"({"config":{"scheme":"https","user":"admin","pass":"hunter2",)"
                                R"("keys":[{"pem":"-----KEY 8d1f\n-----"}]},"id":"v1"})";

constexpr std::string_view kOutputs =
    "  outputs: [{name: volumeID, value: /id}, {name: url, value: /url}, "
    "{name: config, value: /config, toSecret: {name: vol, key: config}}]\n";

constexpr std::string_view kWholeBody =
    "  outputs: [{name: config, value: response.body, toSecret: {name: vol, key: config}}]\n";

kube::Exchange Accepted(const std::string& body) {
  return Answered(202, body, {{"Location", kMonitor}});
}

class EngineSecretPartsTest : public testing::Test {
 protected:
  // With these outputs, and this poll.
  void Begin(std::string_view outputs = kOutputs, std::string_view poll = "") {
    world_.Start();
    world_.Create(CloudYaml(true));
    std::string yaml = OperationYaml();
    yaml.erase(yaml.find("  poll:"));
    yaml += "  poll: {interval: {initial: 1s, max: 1s}";
    world_.Create(yaml.append(poll).append("}\n").append(outputs));
  }
  std::string State() { return world_.Operation("op").state; }
  std::string Kept() {
    const Json secret = world_.Get("secrets", "vol");
    return Base64Decode(secret.StringAt({"data", "config"})).value_or("no base64");
  }
  std::string Disk() { return StoreBytes(world_.directory); }

  EngineWorld world_;
};

TEST_F(EngineSecretPartsTest, TheAnswerToTheSubmitIsStoredWithoutThem) {
  Begin();
  world_.transport.Script(Accepted(kConfig));
  world_.Settle();
  ASSERT_EQ(State(), "Submitted");
  const std::string stored = world_.Row("op").submit_response;
  EXPECT_THAT(stored, HasSubstr(R"("pass":"[redacted]")"));
  EXPECT_THAT(stored, HasSubstr(R"("id":"v1")"));
  for (const char* part : {"hunter2", "admin", "https", "KEY 8d1f"})
    EXPECT_THAT(stored, Not(HasSubstr(part)));
  world_.transport.Script(Answered(200, kConfig));
  world_.Pass(seconds(2));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(Kept(), R"({"keys":[{"pem":"-----KEY 8d1f\n-----"}],"pass":"hunter2",)"
                    R"("scheme":"https","user":"admin"})");
  EXPECT_THAT(Disk(), Not(HasSubstr("hunter2")));
}

TEST_F(EngineSecretPartsTest, LaterAnswersThatRepeatOneAreStoredWithoutIt) {
  Begin();
  world_.transport.Script(Accepted(kConfig));
  world_.transport.Script(Answered(500, R"({"error":"hunter2 is in use"})"));
  world_.transport.Script(Answered(500, "{\"error\":\"" + Base64Encode("hunter2") + "\"}"));
  world_.transport.Script(Answered(404, R"({"error":"no key -----KEY 8d1f\\n-----"})"));
  world_.transport.Script(Answered(200, kConfig));
  world_.Pass(seconds(60));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_THAT(world_.Events("AsyncOperation", "op"), Contains("PollFailed"));
  for (const std::string& part : {std::string("hunter2"), Base64Encode("hunter2")})
    EXPECT_THAT(Disk(), Not(HasSubstr(part)));
  for (const storage::Attempt& attempt : world_.History("op"))
    EXPECT_THAT(attempt.message, Not(HasSubstr("8d1f")));
}

TEST_F(EngineSecretPartsTest, ProgressThatShowsOneIsNotStored) {
  Begin(std::string(kOutputs) + "  operation: {consoleURL: /link}\n",
        ", progress: /config/pass, "
        "acceptors: [{when: response.status == 202, state: Running}]");
  world_.transport.Script(Accepted(kConfig));
  world_.transport.Script(
      Answered(202, R"({"config":{"pass":"hunter2"},"link":"http://c.example/?p=hunter2"})"));
  world_.Pass(seconds(2));
  EXPECT_EQ(State(), "Running");
  EXPECT_THAT(Disk(), Not(HasSubstr("hunter2")));
}

TEST_F(EngineSecretPartsTest, WhatTheDeclarationReadsOfTheSubmitStays) {
  // The whole answer is one value, and the poll needs something of it.
  Begin(kWholeBody, ", path: \"/jobs/${submit.response.body.job.ref}\"");
  world_.transport.Script(
      Accepted(R"({"job":{"ref":"job-81","pass":"pw-of-job-81"},"kind":"body"})"));
  world_.transport.Script(Answered(200, R"({"pass":"hunter2-of-job"})"));
  world_.Pass(seconds(2));
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(world_.transport.requests().back().uri.ToString(),
            "http://cloud.example/v1/jobs/job-81");
  EXPECT_THAT(Disk(), Not(HasSubstr("pw-of")));
  EXPECT_THAT(Disk(), Not(HasSubstr("hunter2")));
}

TEST_F(EngineSecretPartsTest, AFailureStaysWhatItIsAndLosesItsWords) {
  Begin(kWholeBody,
        ", error: {code: /code, message: /text}, "
        "acceptors: [{when: response.body.state == 'broken', state: Failed}]");
  world_.transport.Script(Accepted(""));
  world_.transport.Script(
      Answered(200, R"({"state":"broken","code":"Hunter2Code","text":"hunter2 is taken"})"));
  world_.Pass(seconds(2));
  EXPECT_EQ(State(), "Failed");
  const AsyncOperationStatus status = world_.Operation("op");
  ASSERT_EQ(status.failure_details.size(), 1U);
  EXPECT_EQ(status.failure_details[0].code, "OperationFailed");
  EXPECT_EQ(status.failure_details[0].class_name, "Terminal");
  EXPECT_THAT(Disk(), Not(HasSubstr("unter2")));
}

TEST_F(EngineSecretPartsTest, OutputsThatAreShownKeepShortWords) {
  Begin();
  world_.transport.Script(Answered(201, R"({"config":{"scheme":"https","pass":"hunter2-long"},)"
                                        R"("id":"v-https","url":"https://v1/?p=hunter2-long"})"));
  world_.Settle();
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(world_.Operation("op").outputs,
            Json::Of({{"url", "https://v1/?p=[redacted]"}, {"volumeID", "v-https"}}));
  EXPECT_THAT(world_.Row("op").submit_response, Not(HasSubstr("https")));
  EXPECT_THAT(Disk(), Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace asyncops::reconciler
