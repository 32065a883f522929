// Outputs for Secrets as the protocol reads them, and failures of credentials as it judges them.
#include <gtest/gtest.h>

#include "tests/unit/reconciler/protocol_cases.h"

namespace asyncops::reconciler {
namespace {

AsyncOperation WithOutputs() {
  AsyncOperation operation = VolumeOperation();
  operation.spec.outputs = {
      {.name = "id", .value = "/id", .to_secret = {}},
      {.name = "password", .value = "/password", .to_secret = SecretKeyRef{"vol", "password"}},
      {.name = "port", .value = "/port", .to_secret = SecretKeyRef{"vol", "port"}},
      {.name = "nothing", .value = "/nothing", .to_secret = SecretKeyRef{"vol", "nothing"}},
      {.name = "config", .value = "/config", .to_secret = SecretKeyRef{"cfg", "config"}}};
  return operation;
}

TEST(ProtocolSecretOutputsTest, ValuesForSecretsAreApartFromThoseForStatus) {
  const auto protocol = Compiled(AcmeSystem("AcceptedLocation"), WithOutputs());
  const ExternalAnswer answer = Answer(
      200,
      R"({"id":"v1","password":"pa55","port":5432,"nothing":null,"config":{"b":[1],"a":"x"}})");
  EXPECT_EQ(EncodeJson(protocol->Outputs(answer, Running(), Json())), R"({"id":"v1"})");
  std::string shown;
  for (const SecretOutput& output : protocol->SecretOutputs(answer, Running(), Json()))
    shown += output.target.name + "/" + output.target.key + "=" + output.Text() + ";";
  EXPECT_EQ(shown, R"(vol/password=pa55;vol/port=5432;cfg/config={"a":"x","b":[1]};)");
  EXPECT_EQ(protocol->policy().secret_targets.size(), 4U);
}

TEST(ProtocolSecretOutputsTest, WhatIsStoredIsNoSourceOfASecret) {
  AsyncOperation operation = WithOutputs();
  operation.spec.outputs[1].value = "submit.response.body.password";
  const auto protocol = CompileProtocol(AcmeSystem("AcceptedLocation"), operation);
  EXPECT_EQ(protocol.status().reason(), Reason::kInvalid);
  EXPECT_NE(protocol.status().message().find("submit.response"), std::string::npos);
}

TEST(ProtocolSecretOutputsTest, WithoutSuchOutputsNothingIsRead) {
  const auto protocol = Compiled("AcceptedLocation");
  EXPECT_TRUE(protocol->SecretOutputs(Answer(200, R"({"id":1})"), Running(), Json()).empty());
  EXPECT_TRUE(protocol->policy().secret_targets.empty());
}

TEST(ProtocolCredentialsTest, WhatAPersonMustMendIsAskedForSeldom) {
  using Outcome = kube::Exchange::Outcome;
  const auto protocol = Compiled("AcceptedLocation");
  for (const char* code :
       {"CredentialsMissing", "OriginRefused", "AddressRefused", "InvalidSystem"}) {
    EXPECT_EQ(Show(protocol->JudgeSubmit(NoAnswerOf(Outcome::kNotSent, "no", code), Running())),
              "Failed Recoverable " + std::string(code) + " delay=5m0s");
    EXPECT_EQ(Show(protocol->JudgePoll(NoAnswerOf(Outcome::kNotSent, "no", code), Running(), Json())
                       .failure),
              "Recoverable " + std::string(code) + " delay=5m0s");
  }
  EXPECT_EQ(Show(protocol->JudgeSubmit(NoAnswerOf(Outcome::kNotSent, "no", "ConnectionRefused"),
                                       Running())),
            "Failed Recoverable ConnectionRefused");
  ExternalAnswer token = NoAnswerOf(Outcome::kNotSent, "no", "TokenRequestFailed");
  token.retry_after = std::chrono::seconds(7);
  EXPECT_EQ(Show(protocol->JudgeSubmit(token, Running())),
            "Failed Recoverable TokenRequestFailed delay=7s");
}

TEST(ProtocolCredentialsTest, ARefusedSignatureIsNoRefusalOfTheRequest) {
  ExternalSystem system = AcmeSystem("Custom");
  AsyncOperation operation = VolumeOperation();
  operation.spec.poll.emplace();
  operation.spec.poll->error.emplace();
  operation.spec.poll->error->code = "response.body.code";
  const char* const skewed = R"({"code":"RequestTimeTooSkewed"})";
  EXPECT_EQ(Show(Compiled(system, operation)->JudgeSubmit(Answer(400, skewed), Running())),
            "Failed Terminal RequestTimeTooSkewed")
      << "of a system that is not signed for";
  system.spec.auth.emplace();
  system.spec.auth->aws_sig_v4 = AwsSigV4{.region = "eu-central-1",
                                          .service = "cloudcontrolapi",
                                          .access_key_id_secret_ref = SecretKeyRef{"a", "i"},
                                          .secret_access_key_secret_ref = SecretKeyRef{"a", "k"},
                                          .session_token_secret_ref = {}};
  const auto protocol = Compiled(system, operation);
  EXPECT_EQ(Show(protocol->JudgeSubmit(Answer(400, skewed), Running())),
            "Failed Recoverable RequestTimeTooSkewed delay=5m0s");
  EXPECT_EQ(
      Show(protocol->JudgeSubmit(Answer(400, R"({"code":"ValidationException"})"), Running())),
      "Failed Terminal ValidationException");
}

}  // namespace
}  // namespace asyncops::reconciler
