// The steps of OperationReconciler that keep outputs in Secrets.
#include <utility>

#include "reconciler/callback_steps.h"
#include "reconciler/intent_steps.h"
#include "reconciler/operation_pass.h"
#include "reconciler/secret_outputs.h"
#include "reconciler/submit_steps.h"

namespace asyncops::reconciler {
namespace {

// Whether asking again brings nothing: it is refused, or tells of something else than an end.
bool TellsNoMore(const ExternalAnswer& answer) { return IsResult(answer) || IsRefused(answer); }

std::string NotReadAgain(const ExternalAnswer& answer) {
  const std::string problem = answer.outcome == kube::Exchange::Outcome::kAnswered
                                  ? "HTTP " + std::to_string(answer.status)
                                  : answer.error;
  return "the outputs for Secrets could not be read again: " + problem;
}

}  // namespace

Result<RenderedRequest> OperationReconciler::RequestOf(const storage::OperationRow& row) {
  Result<std::vector<RenderedHeader>> headers = DecodeHeaders(row.headers);
  if (!headers.ok()) return headers.status();
  return RenderedRequest{
      .method = row.method, .url = row.url, .headers = std::move(*headers), .body = row.body};
}

TakenOutputs OperationReconciler::Take(Pass& pass, const OperationIdentity& identity,
                                       const Json* submit_response, AnswerContext::Kind kind,
                                       ExternalAnswer* answer) {
  const bool knows = KnowsSecrets(pass.operation(), pass.policy());
  return TakeOutputs({.operation = pass.operation(),
                      .protocol = pass.protocol(),
                      .identity = identity,
                      .submit_response = submit_response,
                      .kind = kind,
                      .seen = knows ? &pass.memory.rare.Make().seen_secrets : nullptr},
                     parts_.resources, parts_.faults, answer);
}

OperationReconciler::Next OperationReconciler::PostponeKept(Pass& pass, const std::string& why,
                                                            int http_status) {
  const StepContext context = pass.context();
  const OperationState& state = *pass.state();
  Transition done = SecretsKeptStep(context, state, false);
  if (done.attempt) done.attempt->http_status = http_status;
  return Commit(pass, PostponeStep(context, state, std::move(done), std::nullopt, why));
}

OperationReconciler::Next OperationReconciler::WriteKept(Pass& pass) {
  const OperationState& state = *pass.state();
  std::vector<SecretOutput>& kept = pass.memory.rare.Make().unwritten;
  const bool lost = kept.empty();
  if (lost && KeyHolds(state.row, pass.policy(), pass.now)) return RepeatSubmit(pass);
  const Status written =
      lost ? Status::Ok() : WriteSecrets(pass.operation(), kept, parts_.resources);
  if (!written.ok()) return PostponeKept(pass, written.message());
  kept.clear();
  return Commit(pass, SecretsKeptStep(pass.context(), state, lost));
}

OperationReconciler::Next OperationReconciler::RepeatSubmit(Pass& pass) {
  if (pass.operation().spec.suspend)
    return Do(pass, action::Block{{"Suspended", "spec.suspend is true: nothing new is sent"}});
  const storage::OperationRow& row = pass.state()->row;
  Result<RenderedRequest> request = RequestOf(row);
  if (!request.ok()) return request.status();
  if (!FillToken(parts_.links, row, &*request))
    return Commit(pass, SecretsKeptStep(pass.context(), *pass.state(), true));
  // What could not be kept is not asked for.
  const Status may = CheckSecrets(pass.operation(), pass.policy(), parts_.resources);
  if (!may.ok()) return PostponeKept(pass, may.message());
  if (auto wait = AwaitTurn(pass, request->url)) return *std::move(wait);
  Result<OperationState> begun = Record(pass, RepeatStep(pass.context(), *pass.state()));
  if (!begun.ok()) return begun.status();
  pass.stored.state = *std::move(begun);
  ExternalAnswer answer = Send(pass, *request, "Repeat");
  pass.now = parts_.clock.Now();
  const OperationIdentity identity = IdentityOf(*pass.state());
  const bool told =
      pass.protocol().JudgeSubmit(answer, identity).outcome == SubmitVerdict::Outcome::kSucceeded;
  TakenOutputs taken =
      Take(pass, identity, nullptr,
           told ? AnswerContext::Kind::kEnd : AnswerContext::Kind::kPassing, &answer);
  if (!told && !TellsNoMore(answer)) return PostponeKept(pass, NotReadAgain(answer), answer.status);
  if (!taken.written.ok()) {
    pass.memory.rare.Make().unwritten = std::move(taken.secrets);
    return PostponeKept(pass, taken.written.message(), answer.status);
  }
  const bool lost = taken.secrets.empty();
  Transition done = SecretsKeptStep(pass.context(), *pass.state(), lost);
  if (done.attempt) done.attempt->http_status = answer.status;
  return Commit(pass, std::move(done));
}

}  // namespace asyncops::reconciler
