// A declaration compiled: every template and expression parsed once, used for each call.
#ifndef ASYNCOPS_RECONCILER_COMPILED_PROTOCOL_H_
#define ASYNCOPS_RECONCILER_COMPILED_PROTOCOL_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/expr/body_template.h"
#include "api/expr/expression.h"
#include "api/expr/json_pointer.h"
#include "api/expr/template.h"
#include "base/uri.h"
#include "reconciler/evaluation_scope.h"
#include "reconciler/protocol.h"

namespace asyncops::reconciler {

struct CompiledHeader {
  std::string name;
  std::optional<expr::Template> value;  // absent with a reference
  std::optional<SecretKeyRef> secret_key_ref;
};

// Where a key or an ID of ours goes in the submit: one of the first three.
struct Placement {
  std::string header;
  std::string query;                         // a parameter of the URL
  std::optional<expr::JsonPointer> pointer;  // in the body
  bool quoted = false;
};

// A call that follows the submit.
struct CompiledCall {
  std::string method;
  std::optional<expr::Template> path;  // absent: operation.pollURL
  std::vector<CompiledHeader> headers = {};
  std::optional<expr::BodyTemplate> body = std::nullopt;
};

struct CompiledAcceptor {
  expr::Expression when;
  bool reads_error = false;  // `when` names `error`
  PollVerdict::Outcome outcome = PollVerdict::Outcome::kRunning;
};

struct CompiledRule {
  expr::Expression when;
  ErrorClass error_class = ErrorClass::kRecoverable;
  std::optional<Duration> delay;
};

struct CompiledOutput {
  std::string name;
  expr::Expression value;
  std::optional<SecretKeyRef> to_secret;
};

using MaybeExpression = std::optional<expr::Expression>;

// All of one declaration, immutable; shared by the operations that have it.
struct ProtocolParts {
  Uri endpoint;
  bool reads_submit_url = false;  // some text of the declaration names operation.submitURL

  std::string submit_method;
  std::optional<expr::Template> submit_path;
  std::vector<CompiledHeader> headers;
  std::optional<expr::BodyTemplate> body;
  std::optional<Placement> key;
  std::optional<Placement> correlation;
  std::optional<Placement> callback;

  MaybeExpression id;
  MaybeExpression poll_url;
  MaybeExpression resource_id;
  MaybeExpression console_url;
  bool judges_submit = false;  // operation.immediate: Judged
  bool deletes = false;

  CompiledCall poll;
  bool polls_thing = false;    // what is polled may be the thing itself
  bool reads_message = false;  // poll.envelope: HTTP
  std::vector<CompiledAcceptor> acceptors;
  bool tells_error = false;  // what is read of an operation that still runs names `error`
  bool default_failed = false;
  MaybeExpression error_code;
  MaybeExpression error_message;
  MaybeExpression progress;
  MaybeExpression next_url;
  MaybeExpression retry_after;
  std::string result_from;
  std::optional<expr::Template> result_url;
  MaybeExpression result_expression;

  std::optional<CompiledCall> lookup;
  MaybeExpression found;
  MaybeExpression found_id;
  MaybeExpression found_poll_url;
  std::optional<CompiledCall> cancel;
  std::vector<std::int64_t> cancel_accept;

  std::vector<std::int64_t> gone;
  std::vector<CompiledOutput> outputs;
  std::vector<CompiledRule> rules;
  bool signs = false;  // with auth.awsSigV4
  Protocol::Policy policy;
};

class CompiledProtocol final : public Protocol {
 public:
  CompiledProtocol(std::shared_ptr<const ProtocolParts> parts, EvaluationContext context)
      : shared_(std::move(parts)), parts_(*shared_), context_(std::move(context)) {}

  Result<RenderedRequest> RenderSubmit(const OperationIdentity& operation) const override;
  Result<RenderedRequest> RenderPoll(const OperationIdentity& operation,
                                     const Json& submit_response) const override;
  std::optional<Result<RenderedRequest>> RenderLookup(
      const OperationIdentity& operation) const override;
  std::optional<Result<RenderedRequest>> RenderCancel(const OperationIdentity& operation,
                                                      const Json& submit_response) const override;
  SubmitVerdict JudgeSubmit(const ExternalAnswer& answer,
                            const OperationIdentity& operation) const override;
  PollVerdict JudgePoll(const ExternalAnswer& answer, const OperationIdentity& operation,
                        const Json& submit_response) const override;
  std::optional<PollVerdict> JudgeEvent(const Json& data, const OperationIdentity& operation,
                                        const Json& submit_response) const override;
  LookupVerdict JudgeLookup(const ExternalAnswer& answer,
                            const OperationIdentity& operation) const override;
  Status JudgeCancel(const ExternalAnswer& answer) const override;
  Json Outputs(const ExternalAnswer& answer, const OperationIdentity& operation,
               const Json& submit_response) const override;
  std::vector<SecretOutput> SecretOutputs(const ExternalAnswer& answer,
                                          const OperationIdentity& operation,
                                          const Json& submit_response) const override;
  const Policy& policy() const override { return parts_.policy; }

 private:
  // --- rendering (compiled_protocol_render.cc) ---
  Result<Uri> SubmitUri(const EvaluationScope& scope) const;
  // Makes operation.submitURL known, where the declaration reads it.
  void BindSubmitUrl(EvaluationScope* scope) const;
  // A reference that an answer gave, against the URL of the submit; "" where it is none.
  std::string FromSubmit(const std::string& reference, const EvaluationScope& scope) const;
  Result<std::string> RenderBody(const EvaluationScope& scope,
                                 const OperationIdentity& operation) const;
  Result<std::vector<RenderedHeader>> RenderHeaders(const EvaluationScope& scope,
                                                    const OperationIdentity& operation,
                                                    bool has_body) const;
  void AddKeyToQuery(const OperationIdentity& operation, std::string* url) const;
  // Where the declaration puts the URL to call back.
  Status PlaceCallback(const OperationIdentity& operation, Json* body) const;
  void PlaceCallback(const OperationIdentity& operation, RenderedRequest* request) const;
  Result<RenderedRequest> RenderCall(const CompiledCall& call, const EvaluationScope& scope,
                                     const OperationIdentity& operation,
                                     std::string_view field) const;
  // Where the result is to be fetched from; nothing where it is in the answer, or nowhere.
  std::optional<RenderedRequest> RenderFetch(const ExternalAnswer& answer,
                                             const OperationIdentity& operation,
                                             const EvaluationScope& scope) const;

  // --- judging (compiled_protocol_submit.cc, compiled_protocol_poll.cc) ---
  // Reads what the answer says of an error, and binds it as `error`, where that is not done yet.
  // Most polls find an operation that still runs, and need none.
  void ReadError(const ExternalAnswer& answer, EvaluationScope* scope) const;
  // The failure of an answer that came but is no success, by the first rule that matches, or else
  // as `otherwise` says.
  Failure FailureOf(const ExternalAnswer& answer, const EvaluationScope& scope,
                    Failure otherwise) const;
  // The outcome by acceptors; nothing where none matches.
  std::optional<PollVerdict::Outcome> Accept(const ExternalAnswer& answer,
                                             EvaluationScope* scope) const;
  SubmitVerdict JudgeAccepted(const ExternalAnswer& answer, const OperationIdentity& operation,
                              EvaluationScope* scope) const;
  void ReadPoll(const ExternalAnswer& answer, const OperationIdentity& operation,
                const EvaluationScope& scope, PollVerdict* verdict) const;
  // The verdict about an answer whose acceptor says how the operation stands.
  PollVerdict Told(PollVerdict::Outcome outcome, const ExternalAnswer& answer,
                   const OperationIdentity& operation, const EvaluationScope& scope) const;
  // The HTTP message within the answer, where the declaration expects one and it is there.
  std::optional<ExternalAnswer> Opened(const ExternalAnswer& answer) const;
  // When the system wants to be asked again.
  std::optional<Duration> HintOf(const ExternalAnswer& answer, const EvaluationScope& scope) const;
  // The verdict about an answer that tells nothing of the operation, or that it is not known.
  PollVerdict Untold(const ExternalAnswer& answer, const EvaluationScope& scope,
                     std::optional<PollVerdict::Outcome> outcome) const;
  // The verdict about a success that names nothing to poll; `missing` says what.
  SubmitVerdict JudgeImmediate(const ExternalAnswer& answer, EvaluationScope* scope,
                               std::string_view missing, SubmitVerdict verdict) const;
  bool IsGone(int status) const;
  bool Adopts(int status) const;

  const std::shared_ptr<const ProtocolParts> shared_;
  const ProtocolParts& parts_;
  const EvaluationContext context_;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_COMPILED_PROTOCOL_H_
