// What a provider answers, judged by every preset: "STATUS NAME: VALUE|NAME: VALUE" on the first
// line, the body below.
#include <array>
#include <charconv>
#include <memory>
#include <vector>

#include "base/limits.h"
#include "reconciler/protocol.h"
#include "tests/fuzz/fuzz_target.h"

namespace asyncops::fuzz {
namespace {

using reconciler::ExternalAnswer;
using reconciler::Failure;
using reconciler::OperationIdentity;
using reconciler::PollVerdict;
using reconciler::Protocol;
using reconciler::SubmitVerdict;

constexpr std::array<const char*, 8> kPresets = {"AWSCloudControl", "AcceptedLocation", "AzureARM",
                                                 "Custom",          "DescribeUntil",    "GoogleLRO",
                                                 "JobStatus",       "ODataAsync"};
constexpr std::string_view kOrigin = "https://api.acme.example/v1";

std::shared_ptr<const Protocol> ProtocolOf(const char* preset, const char* type) {
  ExternalSystem system;
  system.spec.endpoint = kOrigin;
  system.spec.preset = preset;
  AsyncOperation operation;
  operation.metadata.name = "v";
  operation.spec.type = type;
  operation.spec.submit.emplace();
  operation.spec.submit->path = "/volumes";
  operation.spec.outputs = {{"id", "/id", std::nullopt}};
  if (std::string_view(preset) == "DescribeUntil")
    operation.spec.poll.emplace().acceptors = {{"response.body.status == 'ACTIVE'", "Succeeded"}};
  const auto protocol = reconciler::CompileProtocol(system, operation);
  Hold(protocol.ok(), "a preset compiles");
  return *protocol;
}

ExternalAnswer AnswerOf(std::string_view head, std::string_view body) {
  ExternalAnswer answer;
  answer.outcome = kube::Exchange::Outcome::kAnswered;
  answer.headers = JsonObject();
  std::from_chars(head.data(), head.data() + head.size(), answer.status);
  answer.status = 100 + (answer.status % 500 + 500) % 500;
  head.remove_prefix(std::min(head.find(' '), head.size()));
  while (!head.empty()) {
    head.remove_prefix(1);
    const std::string_view line = head.substr(0, head.find('|'));
    const std::size_t colon = std::min(line.find(": "), line.size());
    if (colon < line.size())
      answer.headers.Set(std::string(line.substr(0, colon)), std::string(line.substr(colon + 2)));
    head.remove_prefix(line.size());
  }
  const Result<Json> json = ParseJson(body);
  if (!body.empty()) answer.body = json.ok() ? *json : Json(std::string(body));
  return answer;
}

void HoldFailure(const Failure& failure) {
  Hold(!failure.code.empty(), "a failure has a code");
  Hold(failure.code.size() <= 64, "a code is short enough for a reason");
  Hold(failure.message.size() <= kMaxMessageBytes, "a message is bounded");
  Hold(!failure.delay || *failure.delay >= Duration::zero(), "a delay is never negative");
}

void JudgeAll(const Protocol& protocol, const ExternalAnswer& answer) {
  OperationIdentity identity;
  identity.idempotency_key = "k";
  const SubmitVerdict submit = protocol.JudgeSubmit(answer, identity);
  if (submit.outcome == SubmitVerdict::Outcome::kFailed) HoldFailure(submit.failure);
  if (submit.outcome == SubmitVerdict::Outcome::kAccepted) {
    Hold(!submit.poll_url.empty(), "what is accepted can be polled");
    Hold(answer.status >= 200 && answer.status < 300, "only a success is accepted");
  }
  identity.id = submit.operation_id;
  identity.poll_url = submit.poll_url.empty() ? std::string(kOrigin) + "/op" : submit.poll_url;
  const Json response = answer.ToResponse();
  const auto request = protocol.RenderPoll(identity, response);
  Hold(!request.ok() || request->url.starts_with("http"), "a poll goes to a URL");
  const PollVerdict poll = protocol.JudgePoll(answer, identity, response);
  Hold(!poll.poll_after || *poll.poll_after >= Duration::zero(), "a wait is never negative");
  if (poll.outcome != PollVerdict::Outcome::kRunning &&
      poll.outcome != PollVerdict::Outcome::kSucceeded)
    HoldFailure(poll.failure);
  if (poll.outcome == PollVerdict::Outcome::kSucceeded)
    Hold(answer.status < 500, "an error of the server is no success");
  protocol.Outputs(answer, identity, response);
}

std::vector<std::shared_ptr<const Protocol>> AllProtocols() {
  std::vector<std::shared_ptr<const Protocol>> protocols;
  for (const char* preset : kPresets) {
    for (const char* type : {"Create", "Delete"}) protocols.push_back(ProtocolOf(preset, type));
  }
  return protocols;
}

}  // namespace

void Run(std::string_view input) {
  // Made once: to compile them takes a hundred times as long as to judge an answer.
  static const auto protocols = AllProtocols();
  const Split split = SplitLine(input);
  const ExternalAnswer answer = AnswerOf(split.first, split.rest);
  for (const auto& protocol : protocols) JudgeAll(*protocol, answer);
}

}  // namespace asyncops::fuzz
