// Verdicts about the submit, the lookup and the cancel.
#include <algorithm>

#include "reconciler/answer_reading.h"
#include "reconciler/classify.h"
#include "reconciler/compiled_protocol.h"
#include "reconciler/normalise.h"
#include "reconciler/sigv4.h"

namespace asyncops::reconciler {
namespace {

bool IsListed(const std::vector<std::int64_t>& statuses, int status) {
  return std::find(statuses.begin(), statuses.end(), status) != statuses.end();
}

}  // namespace

bool CompiledProtocol::IsGone(int status) const { return IsListed(parts_.gone, status); }

bool CompiledProtocol::Adopts(int status) const { return IsListed(parts_.policy.adopt_on, status); }

void CompiledProtocol::ReadError(const ExternalAnswer& answer, EvaluationScope* scope) const {
  if (scope->has_error()) return;
  scope->SetError(scope->Text(parts_.error_code), scope->Text(parts_.error_message), answer.status);
}

Failure CompiledProtocol::FailureOf(const ExternalAnswer& answer, const EvaluationScope& scope,
                                    Failure otherwise) const {
  Failure failure = std::move(otherwise);
  failure.http_status = answer.status;
  failure.code = ReasonCode(scope.error().StringAt({"code"}), failure.code);
  const std::string_view message = scope.error().StringAt({"message"});
  if (!message.empty()) failure.message = message;
  failure.message = NormaliseMessage(failure.message);
  // As 401 means it, whatever the status: a clock that differs, or keys that ended.
  const bool refused =
      parts_.signs && answer.status >= 400 && IsSigV4Refusal(scope.error().StringAt({"code"}));
  if (refused) {
    failure.error_class = ErrorClass::kRecoverable;
    failure.delay = ClassifyPoll(401, std::nullopt).delay;
  }
  for (const CompiledRule& rule : parts_.rules) {
    if (!rule.when.Matches(scope.bindings())) continue;
    failure.error_class = rule.error_class;
    if (rule.delay) {
      failure.instead = rule.delay;
      failure.delay = answer.retry_after;
    }
    break;
  }
  return failure;
}

SubmitVerdict CompiledProtocol::JudgeSubmit(const ExternalAnswer& answer,
                                            const OperationIdentity& operation) const {
  SubmitVerdict verdict;
  if (answer.outcome != kube::Exchange::Outcome::kAnswered) {
    const bool not_sent = answer.outcome == kube::Exchange::Outcome::kNotSent;
    verdict.failure =
        NoAnswer(answer, not_sent ? ErrorClass::kRecoverable : ErrorClass::kAmbiguous);
    return verdict;
  }
  EvaluationScope scope(context_, operation);
  BindSubmitUrl(&scope);
  scope.SetResponse(answer.ToResponse());
  ReadError(answer, &scope);
  if (IsGone(answer.status)) {
    verdict.outcome = SubmitVerdict::Outcome::kSucceeded;
    return verdict;
  }
  if (IsSuccess(answer.status)) return JudgeAccepted(answer, operation, &scope);
  const Classification classed = ClassifySubmit(
      {answer.status, answer.retry_after, parts_.policy.sends_key, Adopts(answer.status)});
  verdict.failure = FailureOf(answer, scope, HttpFailure(answer, classed));
  return verdict;
}

SubmitVerdict CompiledProtocol::JudgeAccepted(const ExternalAnswer& answer,
                                              const OperationIdentity& operation,
                                              EvaluationScope* scope) const {
  SubmitVerdict verdict;
  const Json response = answer.ToResponse();
  OperationIdentity known = operation;
  known.id = verdict.operation_id = scope->Text(parts_.id);
  scope->SetOperationField("id", known.id);
  known.resource_id = verdict.resource_id = scope->Text(parts_.resource_id);
  scope->SetOperationField("resourceID", known.resource_id);
  known.poll_url = FromSubmit(scope->Text(parts_.poll_url), *scope);
  scope->SetOperationField("pollURL", known.poll_url);
  scope->SetSubmitResponse(response);
  const Result<RenderedRequest> poll = RenderCall(parts_.poll, *scope, known, "poll.path");
  if (poll.ok()) verdict.poll_url = known.poll_url.empty() ? poll->url : known.poll_url;
  verdict.console_url = WebUrl(scope->Text(parts_.console_url));
  verdict.poll_after = HintOf(answer, *scope);
  if (!poll.ok()) return JudgeImmediate(answer, scope, poll.status().message(), verdict);
  verdict.outcome = SubmitVerdict::Outcome::kAccepted;
  return verdict;
}

SubmitVerdict CompiledProtocol::JudgeImmediate(const ExternalAnswer& answer, EvaluationScope* scope,
                                               std::string_view missing,
                                               SubmitVerdict verdict) const {
  using Outcome = PollVerdict::Outcome;
  if (answer.garbled || (parts_.judges_submit && answer.body.is_string())) {
    verdict.failure = Unreadable(answer, ErrorClass::kAmbiguous);
    return verdict;
  }
  const auto judged = parts_.judges_submit ? Accept(answer, scope) : std::nullopt;
  // A 204 has nothing to judge, and many a delete answers with as little.
  const bool plain = !parts_.judges_submit || answer.status == 204 || (parts_.deletes && !judged);
  if (judged == Outcome::kFailed || judged == Outcome::kCanceled) {
    verdict.failure = FailureOf(answer, *scope, OperationFailure());
  } else if (judged == Outcome::kSucceeded || (plain && answer.status != 202)) {
    verdict.outcome = SubmitVerdict::Outcome::kSucceeded;
  } else if (answer.status == 202 || judged == Outcome::kRunning) {
    verdict.failure = {ErrorClass::kAmbiguous, "NoPollURL",
                       "the system accepted the request, and its answer names nothing to poll: " +
                           NormaliseMessage(missing),
                       answer.status, std::nullopt};
  } else {
    verdict.failure = {ErrorClass::kTerminal, "NothingToPoll",
                       "the system answered HTTP " + std::to_string(answer.status) +
                           " with neither something to poll nor a state that ends the operation; "
                           "say in operation and poll where they are, or choose another preset",
                       answer.status, std::nullopt};
  }
  return verdict;
}

LookupVerdict CompiledProtocol::JudgeLookup(const ExternalAnswer& answer,
                                            const OperationIdentity& operation) const {
  LookupVerdict verdict;
  if (answer.outcome != kube::Exchange::Outcome::kAnswered) {
    verdict.failure = NoAnswer(answer, ErrorClass::kRecoverable);
    return verdict;
  }
  EvaluationScope scope(context_, operation);
  BindSubmitUrl(&scope);
  scope.SetResponse(answer.ToResponse());
  ReadError(answer, &scope);
  const bool absent = answer.status == 404 || answer.status == 410;
  if (!absent && !IsSuccess(answer.status)) {
    const Classification classed = ClassifyPoll(answer.status, answer.retry_after);
    verdict.failure = FailureOf(answer, scope, HttpFailure(answer, classed));
    return verdict;
  }
  const expr::Outcome found =
      parts_.found ? parts_.found->Evaluate(scope.bindings()) : expr::Outcome{};
  if (found.has_value() && found.value.is_bool() && found.value.as_bool()) {
    verdict.operation_id = scope.Text(parts_.found_id);
    if (!verdict.operation_id.empty()) {
      verdict.outcome = LookupVerdict::Outcome::kFound;
      scope.SetOperationField("id", verdict.operation_id);
      verdict.poll_url = FromSubmit(scope.Text(parts_.found_poll_url), scope);
      return verdict;
    }
    verdict.failure = {ErrorClass::kRecoverable, "LookupWithoutID",
                       "recovery.lookup.id has no value in an answer that recovery.lookup.found "
                       "accepts",
                       answer.status, std::nullopt};
    return verdict;
  }
  // A miss leads to a second submit, so it must be certain: what is no JSON proves nothing.
  const bool readable = answer.body.is_object() || answer.body.is_array();
  const bool evaluated =
      found.kind == expr::Outcome::Kind::kMissing || (found.has_value() && found.value.is_bool());
  if (absent || (readable && evaluated)) {
    verdict.outcome = LookupVerdict::Outcome::kMissing;
    return verdict;
  }
  verdict.failure = Unreadable(answer, ErrorClass::kRecoverable);
  if (readable) verdict.failure.message = "recovery.lookup.found: " + found.message;
  return verdict;
}

Status CompiledProtocol::JudgeCancel(const ExternalAnswer& answer) const {
  if (answer.outcome != kube::Exchange::Outcome::kAnswered)
    return {Reason::kServiceUnavailable, NoAnswer(answer, ErrorClass::kRecoverable).message};
  const bool accepted = IsSuccess(answer.status) || answer.status == 404 ||
                        IsListed(parts_.cancel_accept, answer.status);
  if (accepted) return Status::Ok();
  const Failure failure = HttpFailure(answer, ClassifyPoll(answer.status, answer.retry_after));
  return {Reason::kServiceUnavailable, failure.message};
}

}  // namespace asyncops::reconciler
