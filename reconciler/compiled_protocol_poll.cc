// Verdicts about polls, and what a finished operation leaves.
#include "reconciler/answer_reading.h"
#include "reconciler/classify.h"
#include "reconciler/compiled_protocol.h"
#include "reconciler/http_envelope.h"
#include "reconciler/retry_after.h"

namespace asyncops::reconciler {
namespace {

// Longer is no progress but a text of another kind.
constexpr std::size_t kMaxProgressBytes = 64;

std::string ProgressText(const std::string& text) {
  if (text.empty() || text.size() > kMaxProgressBytes) return "";
  const bool number = text.find_first_not_of("0123456789.") == std::string::npos;
  return number ? text + "%" : text;
}

}  // namespace

std::optional<PollVerdict::Outcome> CompiledProtocol::Accept(const ExternalAnswer& answer,
                                                             EvaluationScope* scope) const {
  for (const CompiledAcceptor& acceptor : parts_.acceptors) {
    if (acceptor.reads_error) ReadError(answer, scope);
    if (acceptor.when.Matches(scope->bindings())) return acceptor.outcome;
  }
  return std::nullopt;
}

std::optional<Duration> CompiledProtocol::HintOf(const ExternalAnswer& answer,
                                                 const EvaluationScope& scope) const {
  if (parts_.retry_after) {
    const expr::Outcome told = parts_.retry_after->Evaluate(scope.bindings());
    const auto wait = told.has_value() ? ReadRetryAfter(told.value, answer.at) : std::nullopt;
    if (wait) return wait;
  }
  return answer.retry_after;
}

void CompiledProtocol::ReadPoll(const ExternalAnswer& answer, const OperationIdentity& operation,
                                const EvaluationScope& scope, PollVerdict* verdict) const {
  verdict->progress = ProgressText(scope.Text(parts_.progress));
  verdict->resource_id = scope.Text(parts_.resource_id);
  verdict->console_url = WebUrl(scope.Text(parts_.console_url));
  verdict->poll_after = HintOf(answer, scope);
  const std::string next = scope.Text(parts_.next_url);
  if (next.empty()) return;
  const std::optional<Uri> current = ParseUri(operation.poll_url);
  const std::optional<Uri> moved = current ? ResolveUri(*current, next) : std::nullopt;
  if (moved && *moved != *current) verdict->poll_url = moved->ToString();
}

PollVerdict CompiledProtocol::Untold(const ExternalAnswer& answer, const EvaluationScope& scope,
                                     std::optional<PollVerdict::Outcome> outcome) const {
  using Outcome = PollVerdict::Outcome;
  PollVerdict verdict;
  const bool absent = answer.status == 404 || answer.status == 410;
  verdict.outcome = outcome.value_or(absent ? Outcome::kNotFound : Outcome::kUnreadable);
  if (outcome == Outcome::kUnreadable && IsSuccess(answer.status)) {
    verdict.failure = FailureOf(answer, scope, Untelling(answer));
    return verdict;
  }
  Classification classed = ClassifyPoll(answer.status, answer.retry_after);
  // Whether an operation that is not known was lost is for the caller to find out; and what an
  // acceptor calls unreadable is no end.
  if ((outcome || absent) && classed.error_class != ErrorClass::kThrottled)
    classed.error_class = ErrorClass::kRecoverable;
  verdict.failure = FailureOf(answer, scope, HttpFailure(answer, classed));
  return verdict;
}

PollVerdict CompiledProtocol::JudgePoll(const ExternalAnswer& raw,
                                        const OperationIdentity& operation,
                                        const Json& submit_response) const {
  using Outcome = PollVerdict::Outcome;
  PollVerdict verdict;
  if (raw.outcome != kube::Exchange::Outcome::kAnswered) {
    verdict.failure = NoAnswer(raw, ErrorClass::kRecoverable);
    return verdict;
  }
  const std::optional<ExternalAnswer> opened = Opened(raw);
  const ExternalAnswer& answer = opened ? *opened : raw;
  // A monitor that is not known, or not yet, says nothing of the thing.
  if (parts_.polls_thing && IsGone(answer.status)) {
    verdict.outcome = Outcome::kSucceeded;
    return verdict;
  }
  if (IsSuccess(answer.status) && answer.garbled) {
    verdict.failure = Unreadable(answer, ErrorClass::kRecoverable);
    return verdict;
  }
  EvaluationScope scope(context_, operation);
  scope.SetSubmitResponse(submit_response);
  BindSubmitUrl(&scope);
  scope.SetResponse(answer.ToResponse());
  const std::optional<Outcome> outcome = Accept(answer, &scope);
  if (outcome != Outcome::kRunning || parts_.tells_error) ReadError(answer, &scope);
  const bool told = outcome && *outcome != Outcome::kNotFound && *outcome != Outcome::kUnreadable;
  if (!told && (outcome || !IsSuccess(answer.status))) return Untold(answer, scope, outcome);
  if (!outcome && parts_.judges_submit && answer.body.is_string()) {
    verdict.failure = Unreadable(answer, ErrorClass::kRecoverable);
    return verdict;
  }
  return Told(outcome.value_or(parts_.default_failed ? Outcome::kFailed : Outcome::kRunning),
              answer, operation, scope);
}

PollVerdict CompiledProtocol::Told(PollVerdict::Outcome outcome, const ExternalAnswer& answer,
                                   const OperationIdentity& operation,
                                   const EvaluationScope& scope) const {
  using Outcome = PollVerdict::Outcome;
  PollVerdict verdict;
  verdict.outcome = outcome;
  ReadPoll(answer, operation, scope, &verdict);
  if (verdict.outcome == Outcome::kSucceeded && parts_.gone.empty())
    verdict.fetch = RenderFetch(answer, operation, scope);
  if (verdict.outcome == Outcome::kFailed || verdict.outcome == Outcome::kCanceled)
    verdict.failure = FailureOf(answer, scope, OperationFailure());
  if (verdict.outcome == Outcome::kCanceled) verdict.failure.code = "Canceled";
  return verdict;
}

std::optional<PollVerdict> CompiledProtocol::JudgeEvent(const Json& data,
                                                        const OperationIdentity& operation,
                                                        const Json& submit_response) const {
  using Outcome = PollVerdict::Outcome;
  EvaluationScope scope(context_, operation);
  scope.SetSubmitResponse(submit_response);
  BindSubmitUrl(&scope);
  // Nobody was asked, so no status says anything: an acceptor that goes by it does not match.
  scope.SetResponse(Json::Of({{"headers", JsonObject()}, {"body", data}}));
  ExternalAnswer answer;
  answer.outcome = kube::Exchange::Outcome::kAnswered;
  answer.headers = JsonObject();
  answer.body = data;
  ReadError(answer, &scope);
  const std::optional<Outcome> outcome = Accept(answer, &scope);
  if (!outcome || *outcome == Outcome::kNotFound || *outcome == Outcome::kUnreadable)
    return std::nullopt;
  return Told(*outcome, answer, operation, scope);
}

std::optional<ExternalAnswer> CompiledProtocol::Opened(const ExternalAnswer& answer) const {
  return parts_.reads_message ? OpenEnvelope(answer) : std::nullopt;
}

Json CompiledProtocol::Outputs(const ExternalAnswer& answer, const OperationIdentity& operation,
                               const Json& submit_response) const {
  EvaluationScope scope(context_, operation);
  scope.SetSubmitResponse(submit_response);
  BindSubmitUrl(&scope);
  const std::optional<ExternalAnswer> opened = Opened(answer);
  scope.SetResponse((opened ? *opened : answer).ToResponse());
  JsonObject outputs;
  for (const CompiledOutput& output : parts_.outputs) {
    if (output.to_secret) continue;
    expr::Outcome outcome = output.value.Evaluate(scope.bindings());
    if (outcome.has_value()) outputs.Set(output.name, std::move(outcome.value));
  }
  return outputs;
}

std::vector<SecretOutput> CompiledProtocol::SecretOutputs(const ExternalAnswer& answer,
                                                          const OperationIdentity& operation,
                                                          const Json& submit_response) const {
  std::vector<SecretOutput> outputs;
  if (parts_.policy.secret_targets.empty()) return outputs;
  EvaluationScope scope(context_, operation);
  scope.SetSubmitResponse(submit_response);
  BindSubmitUrl(&scope);
  const std::optional<ExternalAnswer> opened = Opened(answer);
  scope.SetResponse((opened ? *opened : answer).ToResponse());
  for (const CompiledOutput& output : parts_.outputs) {
    if (!output.to_secret) continue;
    expr::Outcome outcome = output.value.Evaluate(scope.bindings());
    if (outcome.has_value() && !outcome.value.is_null())
      outputs.push_back({*output.to_secret, std::move(outcome.value)});
  }
  return outputs;
}

}  // namespace asyncops::reconciler
