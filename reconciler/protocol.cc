#include "reconciler/protocol.h"

#include <algorithm>
#include <set>
#include <utility>

#include "api/asyncops/v1alpha1/secret_output_rules.h"
#include "base/ascii.h"
#include "reconciler/compiled_protocol.h"
#include "reconciler/presets.h"
#include "reconciler/shared_protocol.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kRequestTimeout = seconds(30);
constexpr Duration kLeastSettle = seconds(60);
// As the validators have it.
constexpr Duration kShortestSettle = seconds(1);
constexpr Duration kPollInitial = seconds(5);
constexpr Duration kPollMax = seconds(60);
constexpr double kPollFactor = 1.5;
constexpr Duration kKeyTtl = hours(24);
constexpr double kJitter = 0.1;

std::vector<RetryTier> DefaultTiers() {
  return {{.up_to = 3, .delay = seconds(10), .factor = {}, .max = {}},
          {.up_to = 6, .delay = minutes(1), .factor = {}, .max = {}},
          {.up_to = {}, .delay = minutes(5), .factor = 2.0, .max = Duration(hours(1))}};
}

// What the operation says, then the system, then the defaults, field by field.
RetryPolicy MergeRetry(const std::optional<RetryPolicy>& own,
                       const std::optional<RetryPolicy>& system) {
  RetryPolicy out = own.value_or(RetryPolicy{});
  const RetryPolicy fallback = system.value_or(RetryPolicy{});
  if (out.tiers.empty()) out.tiers = fallback.tiers;
  if (out.tiers.empty()) out.tiers = DefaultTiers();
  if (!out.limit) out.limit = fallback.limit.value_or(0);
  if (!out.jitter) out.jitter = fallback.jitter.value_or(kJitter);
  FillText(&out.on_terminal, fallback.on_terminal);
  FillText(&out.on_terminal, "Stop");
  return out;
}

Protocol::Policy MakePolicy(const ExternalSystem& system, const AsyncOperation& operation,
                            const Declaration& declaration) {
  const AsyncOperationSpec& spec = operation.spec;
  const PollInterval interval = declaration.poll.interval.value_or(PollInterval{});
  const LimitsSpec limits = system.spec.limits.value_or(LimitsSpec{});
  Protocol::Policy policy;
  policy.sends_key = declaration.idempotency.has_value();
  policy.key_ttl = policy.sends_key ? declaration.idempotency->ttl.value_or(kKeyTtl) : kKeyTtl;
  policy.request_timeout = limits.request_timeout.value_or(kRequestTimeout);
  policy.asks_callback = spec.callback && spec.callback->inject;
  if (const auto& callback = system.spec.callback)
    policy.trusts_callbacks = callback->trust_payload && callback->scheme != "Token";
  policy.has_lookup = declaration.lookup.has_value();
  policy.lookup_settle = std::max(kLeastSettle, 2 * policy.request_timeout);
  if (declaration.lookup) {
    policy.lookup_settle =
        std::max(kShortestSettle, declaration.lookup->settle.value_or(policy.lookup_settle));
  }
  if (spec.recovery) {
    policy.park_on_unknown = spec.recovery->on_unknown != "Fail";
    policy.adopt_on = spec.recovery->adopt_on;
  }
  policy.poll_initial = interval.initial.value_or(kPollInitial);
  policy.poll_max = std::max(interval.max.value_or(kPollMax), policy.poll_initial);
  policy.poll_factor = interval.factor.value_or(kPollFactor);
  policy.retry = MergeRetry(spec.retry, system.spec.retry);
  policy.slow_on_terminal = policy.retry.on_terminal == "Slow";
  policy.active_deadline = spec.active_deadline.value_or(kActiveDeadline);
  for (const OutputSpec& output : declaration.outputs) {
    if (output.to_secret) policy.secret_targets.push_back(*output.to_secret);
  }
  return policy;
}

PollVerdict::Outcome OutcomeOf(std::string_view state) {
  if (state == "Succeeded") return PollVerdict::Outcome::kSucceeded;
  if (state == "Failed") return PollVerdict::Outcome::kFailed;
  if (state == "Canceled") return PollVerdict::Outcome::kCanceled;
  if (state == "NotFound") return PollVerdict::Outcome::kNotFound;
  if (state == "Unreadable") return PollVerdict::Outcome::kUnreadable;
  return PollVerdict::Outcome::kRunning;
}

ErrorClass ClassOf(std::string_view name) {
  if (name == "Terminal") return ErrorClass::kTerminal;
  if (name == "Conflict") return ErrorClass::kConflict;
  if (name == "Throttled") return ErrorClass::kThrottled;
  return ErrorClass::kRecoverable;
}

// Compiles one field after another; the first mistake stays, and what follows is of no use then.
class Compiler {
 public:
  const Status& status() const { return status_; }
  // Whether anything that was compiled names operation.submitURL.
  bool reads_submit_url() const { return reads_submit_url_; }
  // The words of all that names submit.response, each once.
  std::vector<std::string> read_on() const { return {read_on_.begin(), read_on_.end()}; }

  MaybeExpression Expression(std::string_view field, const std::string& source) {
    if (source.empty()) return std::nullopt;
    Note(source);
    return Keep(field, expr::Expression::Compile(source, expr::ResponseEnvironment()));
  }

  std::optional<expr::Template> Text(std::string_view field, const std::string& text,
                                     const expr::Environment& environment) {
    Note(text);
    return Keep(field, expr::Template::Compile(text, environment));
  }

  // A path of a call that follows the submit; absent where it is empty.
  std::optional<expr::Template> Path(std::string_view field, const std::string& text) {
    if (text.empty()) return std::nullopt;
    return Text(field, text, expr::FollowUpEnvironment());
  }

  std::optional<expr::BodyTemplate> Body(std::string_view field, const Json& body,
                                         const expr::Environment& environment) {
    if (body.is_null()) return std::nullopt;
    Note(EncodeJson(body));
    return Keep(field, expr::BodyTemplate::Compile(body, environment));
  }

  std::vector<CompiledHeader> Headers(const std::string& field,
                                      const std::vector<HeaderSpec>& headers,
                                      const expr::Environment& environment) {
    std::vector<CompiledHeader> out;
    for (const HeaderSpec& header : headers) {
      CompiledHeader& compiled = out.emplace_back();
      compiled.name = header.name;
      if (header.value_from) compiled.secret_key_ref = header.value_from->secret_key_ref;
      if (!compiled.secret_key_ref)
        compiled.value = Text(field + " " + header.name, header.value, environment);
    }
    return out;
  }

  // Of a poll, a look-up or a cancel.
  template <class Spec>
  CompiledCall Call(const std::string& field, const Spec& spec) {
    const expr::Environment environment = expr::FollowUpEnvironment();
    return {spec.method, Path(field + ".path", spec.path),
            Headers(field + ".headers", spec.headers, environment),
            Body(field + ".body", spec.body, environment)};
  }

  std::optional<expr::JsonPointer> Pointer(std::string_view field, const std::string& pointer) {
    return Keep(field, expr::JsonPointer::Parse(pointer));
  }

  void Fail(std::string_view field, std::string_view why) {
    if (status_.ok()) status_ = {Reason::kInvalid, std::string(field) + ": " + std::string(why)};
  }

 private:
  void Note(const std::string& source) {
    reads_submit_url_ = reads_submit_url_ || source.find("submitURL") != std::string::npos;
    if (source.find("submit.response") == std::string::npos) return;
    std::string word;
    for (const char c : source + ' ') {
      const bool inside = IsAlphanumeric(c) || c == '_' || c == '-';
      if (inside) word += c;
      if (!inside && !word.empty()) read_on_.insert(std::exchange(word, {}));
    }
  }

  template <class T>
  std::optional<T> Keep(std::string_view field, Result<T> result) {
    if (result.ok()) return *std::move(result);
    Fail(field, result.status().message());
    return std::nullopt;
  }

  Status status_;
  bool reads_submit_url_ = false;
  std::set<std::string> read_on_;
};

// Idempotency and correlation have the same shape.
template <class Spec>
std::optional<Placement> CompilePlacement(std::string_view field, const std::optional<Spec>& spec,
                                          std::string_view default_header, Compiler* compiler) {
  if (!spec) return std::nullopt;
  Placement out;
  if (spec->in == "Body") {
    out.pointer = compiler->Pointer(field, spec->pointer);
    return out;
  }
  if (spec->in == "Query") {
    out.query = spec->name;
    return out;
  }
  out.header = spec->name.empty() ? std::string(default_header) : spec->name;
  return out;
}

void CompileSubmit(const ExternalSystem& system, const Declaration& declaration, Compiler* compiler,
                   ProtocolParts* parts) {
  const SubmitSpec& submit = declaration.submit;
  const expr::Environment environment = expr::SubmitEnvironment();
  parts->submit_method = submit.method;
  parts->submit_path = compiler->Text("submit.path", submit.path, environment);
  parts->headers = compiler->Headers("submit.headers", submit.headers, environment);
  parts->body = compiler->Body("submit.body", submit.body, environment);
  parts->key =
      CompilePlacement("idempotency.pointer", declaration.idempotency, "Idempotency-Key", compiler);
  if (parts->key) parts->key->quoted = declaration.idempotency->quoted;
  parts->correlation = CompilePlacement("correlation.pointer", system.spec.correlation,
                                        "X-Correlation-Id", compiler);
  const OperationMapping& operation = declaration.operation;
  parts->id = compiler->Expression("operation.id", operation.id);
  parts->poll_url = compiler->Expression("operation.pollURL", operation.poll_url);
  parts->resource_id = compiler->Expression("operation.resourceID", operation.resource_id);
  parts->console_url = compiler->Expression("operation.consoleURL", operation.console_url);
  parts->judges_submit = operation.immediate == "Judged";
  parts->deletes = declaration.type == "Delete";
}

bool TellsError(const ProtocolParts& parts) {
  const auto reads = [](const MaybeExpression& it) { return it && it->Reads("error"); };
  return reads(parts.resource_id) || reads(parts.console_url) || reads(parts.progress) ||
         reads(parts.next_url) || reads(parts.retry_after);
}

void CompilePoll(const Declaration& declaration, Compiler* compiler, ProtocolParts* parts) {
  const PollSpec& poll = declaration.poll;
  parts->poll = compiler->Call("poll", poll);
  parts->polls_thing = declaration.polls_thing;
  parts->reads_message = poll.envelope == "HTTP";
  for (std::size_t i = 0; i < poll.acceptors.size(); ++i) {
    const Acceptor& acceptor = poll.acceptors[i];
    const std::string field = "poll.acceptors[" + std::to_string(i) + "].when";
    const MaybeExpression when = compiler->Expression(field, acceptor.when);
    if (when) parts->acceptors.push_back({*when, when->Reads("error"), OutcomeOf(acceptor.state)});
  }
  parts->default_failed = poll.default_state == "Failed";
  if (poll.error) {
    parts->error_code = compiler->Expression("poll.error.code", poll.error->code);
    parts->error_message = compiler->Expression("poll.error.message", poll.error->message);
  }
  parts->progress = compiler->Expression("poll.progress", poll.progress);
  parts->next_url = compiler->Expression("poll.nextURL", poll.next_url);
  parts->retry_after = compiler->Expression("poll.retryAfter", poll.retry_after);
  parts->tells_error = TellsError(*parts);
  if (!poll.result) return;
  parts->result_from = poll.result->from;
  parts->result_url = compiler->Path("poll.result.url", poll.result->url);
  parts->result_expression =
      compiler->Expression("poll.result.expression", poll.result->expression);
}

void CompileRest(const Declaration& declaration, Compiler* compiler, ProtocolParts* parts) {
  if (const auto& lookup = declaration.lookup) {
    parts->lookup = compiler->Call("recovery.lookup", *lookup);
    parts->found = compiler->Expression("recovery.lookup.found", lookup->found);
    parts->found_id = compiler->Expression("recovery.lookup.id", lookup->id);
    parts->found_poll_url = compiler->Expression("recovery.lookup.pollURL", lookup->poll_url);
  }
  if (const auto& cancel = declaration.cancel) {
    parts->cancel = compiler->Call("cancel", *cancel);
    parts->cancel_accept = cancel->accept;
  }
  for (const ErrorRule& rule : declaration.error_rules) {
    const MaybeExpression when = compiler->Expression("errorRules", rule.when);
    if (when) parts->rules.push_back({*when, ClassOf(rule.class_name), rule.delay});
  }
  for (const OutputSpec& output : declaration.outputs) {
    const MaybeExpression value =
        compiler->Expression("outputs " + output.name + ".value", output.value);
    // The answer to the submit is stored, and what is stored has lost the value.
    if (value && output.to_secret && ReadsSubmitResponse(*value))
      compiler->Fail("outputs " + output.name + ".value", "reads submit.response for a Secret");
    if (value) parts->outputs.push_back({output.name, *value, output.to_secret});
  }
  parts->gone = declaration.gone;
}

}  // namespace

std::string_view ErrorClassName(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::kRecoverable: return "Recoverable";
    case ErrorClass::kThrottled: return "Throttled";
    case ErrorClass::kAmbiguous: return "Ambiguous";
    case ErrorClass::kConflict: return "Conflict";
    case ErrorClass::kTerminal: return "Terminal";
  }
  return "";
}

Result<std::shared_ptr<const SharedProtocol>> CompileShared(const ExternalSystem& system,
                                                            const AsyncOperation& operation) {
  const Result<Declaration> declaration = Declare(system, operation);
  if (!declaration.ok()) return declaration.status();
  ProtocolParts parts;
  Compiler compiler;
  if (std::optional<Uri> endpoint = ParseUri(system.spec.endpoint)) {
    parts.endpoint = *std::move(endpoint);
  } else {
    compiler.Fail("endpoint", "is no absolute http(s) URL");
  }
  parts.signs = system.spec.auth && system.spec.auth->aws_sig_v4;
  CompileSubmit(system, *declaration, &compiler, &parts);
  if (const auto& callback = operation.spec.callback)
    parts.callback = CompilePlacement("callback.inject.pointer", callback->inject, "", &compiler);
  CompilePoll(*declaration, &compiler, &parts);
  CompileRest(*declaration, &compiler, &parts);
  if (!compiler.status().ok()) return compiler.status();
  parts.reads_submit_url = compiler.reads_submit_url();
  parts.policy = MakePolicy(system, operation, *declaration);
  parts.policy.read_on = compiler.read_on();
  return std::shared_ptr<const SharedProtocol>(
      std::make_shared<const SharedProtocol>(std::move(parts)));
}

Result<std::shared_ptr<const Protocol>> CompileProtocol(const ExternalSystem& system,
                                                        const AsyncOperation& operation) {
  const Result<std::shared_ptr<const SharedProtocol>> shared = CompileShared(system, operation);
  if (!shared.ok()) return shared.status();
  return std::shared_ptr<const Protocol>((*shared)->For(operation));
}

}  // namespace asyncops::reconciler
