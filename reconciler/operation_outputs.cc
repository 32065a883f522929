// The steps of OperationReconciler that keep outputs in Secrets.
#include <utility>

#include "reconciler/operation_pass.h"
#include "reconciler/secret_outputs.h"

namespace asyncops::reconciler {
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

OperationReconciler::Next OperationReconciler::WriteKept(Pass& pass) {
  const OperationState& state = *pass.state();
  std::vector<SecretOutput>& kept = pass.memory.rare.Make().unwritten;
  const bool lost = kept.empty();
  const Status written =
      lost ? Status::Ok() : WriteSecrets(pass.operation(), kept, parts_.resources);
  Transition done = SecretsKeptStep(pass.context(), state, lost);
  if (!written.ok()) {
    return Commit(pass, PostponeStep(pass.context(), state, std::move(done), std::nullopt,
                                     written.message()));
  }
  kept.clear();
  return Commit(pass, std::move(done));
}

}  // namespace asyncops::reconciler
