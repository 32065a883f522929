#include "tests/unit/reconciler/protocol_cases.h"

#include <gtest/gtest.h>

#include "base/duration.h"

namespace asyncops::reconciler {

ExternalSystem AcmeSystem(std::string_view preset) {
  ExternalSystem system;
  system.metadata.name = "acme";
  system.metadata.namespace_name = "team-a";
  system.spec.endpoint = "https://api.acme.example/v1";
  system.spec.preset = preset;
  return system;
}

AsyncOperation VolumeOperation() {
  AsyncOperation operation;
  operation.metadata.name = "vol-create";
  operation.metadata.namespace_name = "team-a";
  operation.metadata.uid = "0b0b0b0b-0000-4000-8000-000000000001";
  operation.spec.type = "Create";
  operation.spec.parameters = Json::Of({{"size", "10Gi"}});
  operation.spec.submit.emplace();
  operation.spec.submit->path = "/volumes";
  return operation;
}

std::shared_ptr<const Protocol> Compiled(const ExternalSystem& system,
                                         const AsyncOperation& operation) {
  Result<std::shared_ptr<const Protocol>> protocol = CompileProtocol(system, operation);
  EXPECT_TRUE(protocol.ok()) << protocol.status().ToString();
  return protocol.ok() ? *protocol : nullptr;
}

std::shared_ptr<const Protocol> Compiled(std::string_view preset) {
  return Compiled(AcmeSystem(preset), VolumeOperation());
}

ExternalAnswer Answer(int status, std::string_view body,
                      std::vector<std::pair<std::string, std::string>> headers) {
  ExternalAnswer answer;
  answer.outcome = kube::Exchange::Outcome::kAnswered;
  answer.status = status;
  answer.headers = JsonObject();
  for (auto& [name, value] : headers) answer.headers.Set(name, value);
  if (body.empty()) return answer;
  const Result<Json> json = ParseJson(body);
  answer.body = json.ok() ? *json : Json(body);
  return answer;
}

ExternalAnswer NoAnswerOf(kube::Exchange::Outcome outcome, std::string error, std::string code) {
  ExternalAnswer answer;
  answer.outcome = outcome;
  answer.error = std::move(error);
  answer.code = std::move(code);
  return answer;
}

std::string Show(const RenderedRequest& request) {
  std::string out = request.method + " " + request.url;
  for (const RenderedHeader& header : request.headers) {
    out += " [" + header.name + ": ";
    if (header.secret_key_ref) {
      out += "<" + header.secret_key_ref->name + "/" + header.secret_key_ref->key + ">";
    } else {
      out += header.value;
    }
    out += "]";
  }
  return request.body.empty() ? out : out + " " + request.body;
}

std::string Show(const Failure& failure) {
  std::string out = std::string(ErrorClassName(failure.error_class)) + " " + failure.code;
  if (failure.delay) out += " delay=" + FormatDuration(*failure.delay);
  if (failure.instead) out += " instead=" + FormatDuration(*failure.instead);
  return out;
}

std::string Show(const SubmitVerdict& verdict) {
  if (verdict.outcome == SubmitVerdict::Outcome::kFailed) return "Failed " + Show(verdict.failure);
  std::string out = verdict.outcome == SubmitVerdict::Outcome::kAccepted ? "Accepted" : "Succeeded";
  if (!verdict.operation_id.empty()) out += " id=" + verdict.operation_id;
  if (!verdict.poll_url.empty()) out += " poll=" + verdict.poll_url;
  if (!verdict.resource_id.empty()) out += " resource=" + verdict.resource_id;
  if (!verdict.console_url.empty()) out += " console=" + verdict.console_url;
  if (verdict.poll_after) out += " after=" + FormatDuration(*verdict.poll_after);
  return out;
}

std::string Show(const PollVerdict& verdict) {
  using Outcome = PollVerdict::Outcome;
  switch (verdict.outcome) {
    case Outcome::kFailed: return "Failed " + Show(verdict.failure);
    case Outcome::kCanceled: return "Canceled";
    case Outcome::kNotFound: return "NotFound " + Show(verdict.failure);
    case Outcome::kUnreadable: return "Unreadable " + Show(verdict.failure);
    case Outcome::kRunning:
    case Outcome::kSucceeded: break;
  }
  std::string out = verdict.outcome == Outcome::kRunning ? "Running" : "Succeeded";
  if (!verdict.progress.empty()) out += " progress=" + verdict.progress;
  if (!verdict.poll_url.empty()) out += " poll=" + verdict.poll_url;
  if (!verdict.resource_id.empty()) out += " resource=" + verdict.resource_id;
  if (verdict.poll_after) out += " after=" + FormatDuration(*verdict.poll_after);
  if (verdict.fetch) out += " fetch=" + verdict.fetch->url;
  return out;
}

OperationIdentity Running() {
  OperationIdentity operation;
  operation.id = "op-1";
  operation.poll_url = "https://api.acme.example/v1/operations/op-1";
  operation.correlation_id = "corr-1";
  operation.idempotency_key = "key-1";
  operation.attempt = 1;
  return operation;
}

}  // namespace asyncops::reconciler
