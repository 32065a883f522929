// Verdicts about polls, and what a finished operation leaves.
#include "reconciler/answer_reading.h"
#include "reconciler/classify.h"
#include "reconciler/compiled_protocol.h"

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

std::optional<PollVerdict::Outcome> CompiledProtocol::Accept(const EvaluationScope& scope) const {
  for (const CompiledAcceptor& acceptor : parts_.acceptors) {
    if (acceptor.when.Matches(scope.bindings())) return acceptor.outcome;
  }
  return std::nullopt;
}

void CompiledProtocol::ReadPoll(const ExternalAnswer& answer, const OperationIdentity& operation,
                                const EvaluationScope& scope, PollVerdict* verdict) const {
  verdict->progress = ProgressText(scope.Text(parts_.progress));
  verdict->resource_id = scope.Text(parts_.resource_id);
  verdict->console_url = WebUrl(scope.Text(parts_.console_url));
  verdict->poll_after = answer.retry_after;
  const std::string_view location = answer.headers.StringAt({"location"});
  if (answer.status != 202 || location.empty() || parts_.poll.path) return;
  const std::optional<Uri> current = ParseUri(operation.poll_url);
  const std::optional<Uri> moved = current ? ResolveUri(*current, location) : std::nullopt;
  if (moved && *moved != *current) verdict->poll_url = moved->ToString();
}

PollVerdict CompiledProtocol::JudgePoll(const ExternalAnswer& answer,
                                        const OperationIdentity& operation,
                                        const Json& submit_response) const {
  using Outcome = PollVerdict::Outcome;
  PollVerdict verdict;
  if (answer.outcome != kube::Exchange::Outcome::kAnswered) {
    verdict.failure = NoAnswer(answer, ErrorClass::kRecoverable);
    return verdict;
  }
  // A monitor that is not known, or not yet, says nothing of the thing.
  if (parts_.polls_own_path && IsGone(answer.status)) {
    verdict.outcome = Outcome::kSucceeded;
    return verdict;
  }
  if (IsSuccess(answer.status) && answer.garbled) {
    verdict.failure = Unreadable(answer, ErrorClass::kRecoverable);
    return verdict;
  }
  EvaluationScope scope(parts_.context, operation);
  scope.SetSubmitResponse(submit_response);
  scope.SetResponse(answer.ToResponse());
  ReadError(answer, &scope);
  std::optional<Outcome> outcome = Accept(scope);
  if (!outcome && !IsSuccess(answer.status)) {
    const bool absent = answer.status == 404 || answer.status == 410;
    Classification classed = ClassifyPoll(answer.status, answer.retry_after);
    // Whether an operation that is not known was lost is for the caller to find out.
    if (absent) classed = {ErrorClass::kRecoverable, answer.retry_after};
    verdict.outcome = absent ? Outcome::kNotFound : Outcome::kUnreadable;
    verdict.failure = FailureOf(answer, scope, HttpFailure(answer, classed));
    return verdict;
  }
  if (!outcome && parts_.submit_answers_status && answer.body.is_string()) {
    verdict.failure = Unreadable(answer, ErrorClass::kRecoverable);
    return verdict;
  }
  if (!outcome) outcome = parts_.default_failed ? Outcome::kFailed : Outcome::kRunning;
  verdict.outcome = *outcome;
  ReadPoll(answer, operation, scope, &verdict);
  if (*outcome == Outcome::kSucceeded && parts_.gone.empty())
    verdict.fetch = RenderFetch(answer, operation, scope);
  if (*outcome == Outcome::kFailed || *outcome == Outcome::kCanceled)
    verdict.failure = FailureOf(answer, scope, OperationFailure());
  if (*outcome == Outcome::kCanceled) verdict.failure.code = "Canceled";
  return verdict;
}

Json CompiledProtocol::Outputs(const ExternalAnswer& answer, const OperationIdentity& operation,
                               const Json& submit_response) const {
  EvaluationScope scope(parts_.context, operation);
  scope.SetSubmitResponse(submit_response);
  scope.SetResponse(answer.ToResponse());
  JsonObject outputs;
  for (const CompiledOutput& output : parts_.outputs) {
    expr::Outcome outcome = output.value.Evaluate(scope.bindings());
    if (outcome.has_value()) outputs.Set(output.name, std::move(outcome.value));
  }
  return outputs;
}

}  // namespace asyncops::reconciler
