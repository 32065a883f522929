#include "reconciler/shared_protocol.h"

#include <algorithm>
#include <utility>

namespace asyncops::reconciler {
namespace {

// What expressions know as `metadata` of an operation that stands for itself.
Json OwnMetadata(const ObjectMeta& metadata) {
  JsonObject labels;
  for (const auto& [name, value] : metadata.labels) labels.Set(name, value);
  JsonObject annotations;
  for (const auto& [name, value] : metadata.annotations) annotations.Set(name, value);
  return Json::Of({{"name", metadata.name},
                   {"namespace", metadata.namespace_name},
                   {"uid", metadata.uid},
                   {"generation", metadata.generation},
                   {"labels", std::move(labels)},
                   {"annotations", std::move(annotations)}});
}

EvaluationContext MakeContext(const AsyncOperation& operation) {
  EvaluationContext context;
  context.parameters = operation.spec.parameters;
  if (operation.spec.context) {
    context.metadata = operation.spec.context->metadata;
    context.outputs = operation.spec.context->outputs;
  } else {
    context.metadata = OwnMetadata(operation.metadata);
  }
  return context;
}

bool ReadsAnswerAlone(const MaybeExpression& expression) {
  return !expression || expression->ReadsOnly({"response", "error"});
}

bool PollsAlone(const ProtocolParts& parts) {
  // A monitor that moves is found by the URL of the operation, which is another one where the
  // declaration has a path.
  if (parts.poll.body || !parts.poll.headers.empty() || (parts.poll.path && parts.next_url))
    return false;
  if (!parts.policy.secret_targets.empty()) return false;
  const bool judged = std::ranges::all_of(parts.acceptors, [](const CompiledAcceptor& acceptor) {
    return acceptor.when.ReadsOnly({"response", "error"});
  });
  return judged && ReadsAnswerAlone(parts.error_code) && ReadsAnswerAlone(parts.error_message) &&
         ReadsAnswerAlone(parts.progress) && ReadsAnswerAlone(parts.resource_id) &&
         ReadsAnswerAlone(parts.console_url) && ReadsAnswerAlone(parts.next_url) &&
         ReadsAnswerAlone(parts.retry_after);
}

}  // namespace

SharedProtocol::SharedProtocol(ProtocolParts parts)
    : parts_(std::make_shared<const ProtocolParts>(std::move(parts))),
      origin_(parts_->endpoint.Origin()),
      polls_alone_(PollsAlone(*parts_)),
      alone_(parts_, {}) {}

std::unique_ptr<const Protocol> SharedProtocol::For(const AsyncOperation& operation) const {
  return std::make_unique<const CompiledProtocol>(parts_, MakeContext(operation));
}

RenderedRequest SharedProtocol::PollOf(std::string url) const {
  return {parts_->poll.method, std::move(url), {{"Accept", "application/json", {}}}, ""};
}

PollVerdict SharedProtocol::JudgeAlone(const ExternalAnswer& answer,
                                       const std::string& poll_url) const {
  OperationIdentity operation;
  operation.poll_url = poll_url;
  return alone_.JudgePoll(answer, operation, Json());
}

}  // namespace asyncops::reconciler
