#include "reconciler/operation_reconciler.h"

#include <chrono>
#include <utility>
#include <variant>

#include "api/schema/binding.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/uri.h"
#include "reconciler/annotations.h"
#include "reconciler/callback_steps.h"
#include "reconciler/operation_conditions.h"
#include "reconciler/operation_states.h"
#include "reconciler/operation_status.h"
#include "reconciler/retry.h"
#include "reconciler/secret_outputs.h"
#include "reconciler/submit_steps.h"

namespace asyncops::reconciler {
namespace {

// What is blocked is looked at again now and then, should a notification have been lost.
constexpr Duration kBlockedCheck = std::chrono::minutes(5);

RenderedRequest NoRequest() { return {}; }

bool IsFinal(const StoredOperation& stored) {
  return stored.state && state::IsFinal(stored.state->row.state);
}

const Protocol::Policy& EmptyPolicy() {
  static const Protocol::Policy kPolicy;
  return kPolicy;
}

// The row's request. InternalError where the row is damaged.
Result<RenderedRequest> RequestOf(const storage::OperationRow& row) {
  Result<std::vector<RenderedHeader>> headers = DecodeHeaders(row.headers);
  if (!headers.ok()) return headers.status();
  return RenderedRequest{
      .method = row.method, .url = row.url, .headers = std::move(*headers), .body = row.body};
}

// The Secrets in headers of the submit.
std::vector<SecretKeyRef> SecretsOf(const OperationState* state) {
  std::vector<SecretKeyRef> secrets;
  if (state == nullptr) return secrets;
  const Result<std::vector<RenderedHeader>> headers = DecodeHeaders(state->row.headers);
  if (!headers.ok()) return secrets;
  for (const RenderedHeader& header : *headers) {
    if (header.secret_key_ref) secrets.push_back(*header.secret_key_ref);
  }
  return secrets;
}

// Where polls need a URL that only the lost answer knew, the person who adopts may have given it.
void AdoptUrl(const Protocol* protocol, const std::string& reference, OperationState* state) {
  if (protocol == nullptr) return;
  if (!reference.starts_with('/') && reference.find("://") == std::string::npos) return;
  if (protocol->RenderPoll(IdentityOf(*state), SubmitResponseOf(state->row)).ok()) return;
  const std::optional<Uri> submit = ParseUri(state->row.url);
  const std::optional<Uri> monitor = submit ? ResolveUri(*submit, reference) : std::nullopt;
  if (monitor) state->row.poll_url = monitor->ToString();
}

Failure RenderFailure(const Status& status) {
  return {.error_class = ErrorClass::kTerminal,
          .code = "InvalidRequest",
          .message = status.message(),
          .http_status = 0,
          .delay = {}};
}

}  // namespace

struct OperationReconciler::Pass {
  ObjectName name;
  StoredOperation stored;
  Memory& memory;
  Time now{};
  double fraction = 0.5;
  Ownership owner;
  Blocked problem;  // why there is no protocol
  bool hopeless = false;

  const AsyncOperation& operation() const { return stored.operation; }
  const OperationState* state() const { return stored.state ? &*stored.state : nullptr; }
  const Protocol::Policy& policy() const {
    return memory.protocol ? memory.protocol->policy() : EmptyPolicy();
  }
  // Whether it is asked at all if there is a cancel.
  bool MayCancel() const {
    const bool late =
        state()->memo.start_time && now >= *state()->memo.start_time + policy().active_deadline;
    return late || operation().metadata.deletion_timestamp ||
           !AnnotationOf(operation(), kCancelRequestedAt).empty();
  }
  StepContext context() const {
    return {.operation = operation(),
            .policy = policy(),
            .now = now,
            .fraction = fraction,
            .epoch = owner.epoch,
            .shard = owner.shard};
  }
};

OperationReconciler::Memory& OperationReconciler::Recall(const ObjectName& name,
                                                         const std::string& uid) {
  Memory& memory = memories_[name];
  if (memory.uid != uid) {
    if (memory.parked) --parked_;
    memory = Memory();
    memory.uid = uid;
  }
  return memory;
}

void OperationReconciler::Forget(const ObjectName& name) {
  const auto it = memories_.find(name);
  if (it == memories_.end()) return;
  if (it->second.parked) --parked_;
  memories_.erase(it);
}

void OperationReconciler::CountParked(const StoredOperation& stored, Memory* memory) {
  const bool parked = stored.state && stored.state->row.state == state::kOutcomeUnknown;
  if (parked != memory->parked) parked_ += parked ? 1 : -1;
  memory->parked = parked;
}

Status OperationReconciler::FindProtocol(Pass* pass) {
  const AsyncOperation& operation = pass->operation();
  const std::optional<LocalObjectRef>& reference = operation.spec.external_system_ref;
  const std::string system_name = reference ? reference->name : "";
  Result<ExternalSystem> system = parts_.resources.GetSystem(
      {.namespace_name = operation.metadata.namespace_name, .name = system_name});
  Memory& memory = pass->memory;
  if (!system.ok()) {
    if (system.status().reason() != Reason::kNotFound) return system.status();
    memory.protocol.reset();
    memory.protocol_version.clear();
    pass->problem = {"ExternalSystemNotFound",
                     "there is no ExternalSystem \"" + system_name + "\" in this namespace"};
    return Status::Ok();
  }
  const std::string version = system->metadata.uid + "/" +
                              std::to_string(system->metadata.generation) + "/" +
                              std::to_string(operation.metadata.generation);
  if (memory.protocol && memory.protocol_version == version) return Status::Ok();
  Result<std::shared_ptr<const Protocol>> protocol = CompileProtocol(*system, operation);
  memory.protocol.reset();
  memory.protocol_version.clear();
  if (!protocol.ok()) {
    pass->problem = {"InvalidDeclaration", protocol.status().message()};
    pass->hopeless = true;
    return Status::Ok();
  }
  memory.protocol = std::move(*protocol);
  memory.protocol_version = version;
  memory.system = std::move(*system);
  return Status::Ok();
}

Action OperationReconciler::DecidePass(const Pass& pass, bool nudged) const {
  static const OperationMemo kNoMemo;
  const OperationState* state = pass.state();
  Situation situation{.operation = pass.operation(),
                      .row = state == nullptr ? nullptr : &state->row,
                      .memo = state == nullptr ? kNoMemo : state->memo,
                      .policy = pass.memory.protocol ? &pass.policy() : nullptr,
                      .problem = pass.problem,
                      .hopeless = pass.hopeless,
                      .can_cancel = false,
                      .nudged = nudged,
                      .now = pass.now,
                      .poll_due = pass.memory.track.due};
  if (state != nullptr && pass.memory.protocol && pass.MayCancel()) {
    situation.can_cancel =
        pass.memory.protocol->RenderCancel(IdentityOf(*state), SubmitResponseOf(state->row))
            .has_value();
  }
  return Decide(situation);
}

OperationReconciler::Next OperationReconciler::Reconcile(const ObjectName& name, bool nudged) {
  Result<StoredOperation> stored = LoadOperation(parts_.store, name);
  if (!stored.ok()) {
    if (stored.status().reason() != Reason::kNotFound) return stored.status();
    Forget(name);
    return std::optional<Time>();
  }
  Memory& memory = Recall(name, stored->operation.metadata.uid);
  Pass pass{.name = name,
            .stored = std::move(*stored),
            .memory = memory,
            .now = parts_.clock.Now(),
            .fraction = parts_.ids.Fraction(),
            .owner = owner_,
            .problem = {},
            .hopeless = false};
  CountParked(pass.stored, &memory);
  ASYNCOPS_RETURN_IF_ERROR(FindProtocol(&pass));
  const Action action = DecidePass(pass, nudged);
  Next next = std::visit([this, &pass](const auto& what) { return Do(pass, what); }, action);
  if (next.ok()) return next;
  if (next.status().reason() == Reason::kConflict) return std::optional<Time>(Time::min());
  if (next.status().reason() != Reason::kNotFound) return next;
  Forget(name);
  return std::optional<Time>();
}

Status OperationReconciler::Show(const Pass& pass, const std::optional<Blocked>& blocked) {
  const AsyncOperation& operation = pass.operation();
  const AsyncOperationStatus status = ProjectStatus(operation, pass.state(), blocked, pass.now);
  const auto& binding = AsyncOperationStatus::Binding();
  if (binding.Encode(status) == binding.Encode(operation.status)) return Status::Ok();
  std::vector<EventDraft> events;
  const Condition* ready = FindCondition(operation.status.conditions, kReadyCondition);
  if (blocked && (ready == nullptr || ready->reason != blocked->reason)) {
    events.push_back({.warning = blocked->reason != "Suspended",
                      .reason = blocked->reason,
                      .message = blocked->message});
  }
  return writer_.Show(operation, pass.state(), blocked, events);
}

Result<OperationState> OperationReconciler::Record(const Pass& pass, Transition transition) {
  const FaultScope scope(parts_.faults, FaultPoint::Kind::kWrite,
                         transition.attempt ? transition.attempt->action : std::string());
  return writer_.Commit(pass.operation(), std::move(transition));
}

OperationReconciler::Next OperationReconciler::Commit(Pass& pass, Transition transition) {
  const bool ended = state::IsFinal(transition.next.row.state);
  const Result<OperationState> written = Record(pass, std::move(transition));
  if (!written.ok()) return written.status();
  const storage::OperationRow& row = written->row;
  const bool hinted = pass.state() != nullptr && row.submission == pass.state()->row.submission &&
                      row.hints_answered > pass.state()->row.hints_answered;
  if (hinted && row.hinted_at && parts_.callback_metrics != nullptr)
    parts_.callback_metrics->ObserveLatency(parts_.clock.Now() - *row.hinted_at);
  if (ended) pass.memory.track = PollTrack();
  return std::optional<Time>(Time::min());
}

ExternalAnswer OperationReconciler::Send(const Pass& pass, const RenderedRequest& request,
                                         std::string_view step) {
  const FaultScope scope(parts_.faults, FaultPoint::Kind::kCall, step);
  RenderedRequest call = request;
  call.known_secrets = SecretsOf(pass.state());
  if (pass.state() != nullptr) HideToken(parts_.links, pass.state()->row, &call);
  return parts_.external.Send(pass.memory.system, call);
}

bool OperationReconciler::TakesSecrets(const Pass& pass) {
  return !pass.policy().secret_targets.empty();
}

TakenOutputs OperationReconciler::Take(const Pass& pass, const OperationIdentity& identity,
                                       const Json* submit_response, bool is_final,
                                       ExternalAnswer* answer) {
  return TakeOutputs({.operation = pass.operation(),
                      .protocol = *pass.memory.protocol,
                      .identity = identity,
                      .submit_response = submit_response,
                      .is_final = is_final,
                      .seen = &pass.memory.seen_secrets},
                     parts_.resources, parts_.faults, answer);
}

OperationReconciler::Next OperationReconciler::WriteKept(Pass& pass) {
  const OperationState& state = *pass.state();
  std::vector<SecretOutput>& kept = pass.memory.unwritten;
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

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Nothing& /*what*/) {
  ASYNCOPS_RETURN_IF_ERROR(Show(pass, std::nullopt));
  if (IsFinal(pass.stored)) Forget(pass.name);
  return std::optional<Time>();
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Wait& what) {
  ASYNCOPS_RETURN_IF_ERROR(Show(pass, std::nullopt));
  if (IsFinal(pass.stored)) Forget(pass.name);
  return std::optional<Time>(what.until);
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Block& what) {
  ASYNCOPS_RETURN_IF_ERROR(Show(pass, what.why));
  return std::optional<Time>(pass.now + kBlockedCheck);
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Wake& /*what*/) {
  return Commit(pass, WakeStep(pass.context(), *pass.state(), &pass.memory.track));
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Submit& what) {
  const StepContext context = pass.context();
  if (const Status may = CheckSecrets(pass.operation(), pass.policy(), parts_.resources); !may.ok())
    return Do(pass, action::Block{{std::string(kSecretNotWritten), may.message()}});
  const bool needs_key = pass.policy().sends_key &&
                         !(what.same_submission && !pass.state()->row.idempotency_key.empty());
  const std::string key = needs_key ? parts_.ids.Uuid() : std::string();
  OperationState begun = what.same_submission
                             ? SameSubmission(context, *pass.state(), key, what.reset)
                             : NewSubmission(context, pass.state(), key, what.reset);
  OperationIdentity identity = IdentityOf(begun);
  ++identity.attempt;
  AskForCallback(parts_.links, pass.policy(), &begun.row, &identity);
  // Nothing was sent, so the request may follow what was mended meanwhile, such as the endpoint.
  const Result<RenderedRequest> request = pass.memory.protocol->RenderSubmit(identity);
  if (!request.ok()) {
    return Commit(pass, FinishStep(context, begun,
                                   {state::kFailed, "InvalidRequest", request.status().message()}));
  }
  const Result<OperationState> intended =
      Record(pass, IntentStep(context, std::move(begun), *request));
  if (!intended.ok()) return intended.status();
  return SendSubmit(pass, *intended);
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Resend& /*what*/) {
  const Result<OperationState> intended = Record(pass, ResendStep(pass.context(), *pass.state()));
  if (!intended.ok()) return intended.status();
  return SendSubmit(pass, *intended);
}

OperationReconciler::Next OperationReconciler::SendSubmit(Pass& pass,
                                                          const OperationState& intended) {
  Result<RenderedRequest> request = RequestOf(intended.row);
  if (!request.ok()) return request.status();
  if (!FillToken(parts_.links, intended.row, &*request)) {
    pass.stored.state = intended;
    return Do(pass, action::Park{"the key of callback URLs is another one than when the request "
                                 "was made, so it cannot be sent again as it was"});
  }
  ExternalAnswer answer = Send(pass, *request, "Submit");
  pass.now = parts_.clock.Now();
  const Protocol& protocol = *pass.memory.protocol;
  OperationIdentity identity = IdentityOf(intended);
  SubmitVerdict verdict = protocol.JudgeSubmit(answer, identity);
  const bool succeeded = verdict.outcome == SubmitVerdict::Outcome::kSucceeded;
  if (succeeded) {
    identity.id = verdict.operation_id;
    identity.resource_id = verdict.resource_id;
  }
  TakenOutputs taken = Take(pass, identity, nullptr, succeeded, &answer);
  // What is told of a failure comes from the answer as it is stored.
  if (TakesSecrets(pass))
    verdict.failure = protocol.JudgeSubmit(answer, IdentityOf(intended)).failure;
  Transition outcome = SubmitAnswerStep(pass.context(), intended, answer, verdict, taken.outputs);
  if (!taken.written.ok()) {
    pass.memory.unwritten = std::move(taken.secrets);
    outcome = PostponeStep(pass.context(), intended, std::move(outcome), std::nullopt,
                           taken.written.message());
  }
  pass.memory.track = PollTrack();
  pass.memory.track.due = pass.now + PollDelay(pass.policy(), 0, verdict.poll_after, pass.fraction);
  return Commit(pass, std::move(outcome));
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Lookup& /*what*/) {
  const Protocol& protocol = *pass.memory.protocol;
  const OperationState& state = *pass.state();
  const std::optional<Result<RenderedRequest>> request = protocol.RenderLookup(IdentityOf(state));
  LookupVerdict verdict;
  ExternalAnswer answer;
  if (request && request->ok()) {
    answer = Send(pass, **request, "Lookup");
    verdict = protocol.JudgeLookup(answer, IdentityOf(state));
    Take(pass, IdentityOf(state), nullptr, false, &answer);
    if (TakesSecrets(pass))
      verdict.failure = protocol.JudgeLookup(answer, IdentityOf(state)).failure;
  } else {
    verdict.failure = RenderFailure(
        request ? request->status() : Status(Reason::kInvalid, "there is no look-up any more"));
  }
  pass.now = parts_.clock.Now();
  bool resend = false;
  Transition looked = LookupStep(pass.context(), state, answer, verdict, &resend);
  Result<OperationState> next = Record(pass, std::move(looked));
  if (!next.ok()) return next.status();
  if (!resend) return std::optional<Time>(Time::min());
  if (pass.operation().spec.suspend)
    return Do(pass, action::Block{{"Suspended", "spec.suspend is true: nothing new is sent"}});
  pass.stored.state = *std::move(next);
  return Do(pass, action::Resend{});
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Park& what) {
  return Commit(pass, ParkStep(pass.context(), *pass.state(), what.why));
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Adopt& what) {
  pass.memory.track = PollTrack();
  Transition adopted = AdoptStep(pass.context(), *pass.state(), what.operation_id);
  AdoptUrl(pass.memory.protocol.get(), what.operation_id, &adopted.next);
  return Commit(pass, std::move(adopted));
}

std::optional<Transition> OperationReconciler::TakeCallbacks(Pass& pass) {
  const OperationState& state = *pass.state();
  const Protocol::Policy& policy = pass.policy();
  const bool hinted = state.row.hints > state.row.hints_answered;
  if (!hinted || !policy.trusts_callbacks || !policy.secret_targets.empty()) return std::nullopt;
  const Result<std::vector<storage::InboxMessage>> messages =
      parts_.store.engine().Inbox(state.row.uid, state.row.submission, kMaxRowsPerRead);
  if (!messages.ok()) return std::nullopt;
  const Protocol& protocol = *pass.memory.protocol;
  const Json submit_response = SubmitResponseOf(state.row);
  OperationIdentity identity = IdentityOf(state);
  const std::optional<ToldEnd> end = JudgeCallbacks(protocol, *messages, identity, submit_response);
  if (!end) return std::nullopt;
  Json outputs;
  if (end->verdict.outcome == PollVerdict::Outcome::kSucceeded && !end->verdict.fetch) {
    if (!end->verdict.resource_id.empty()) identity.resource_id = end->verdict.resource_id;
    outputs = protocol.Outputs(end->answer, identity, submit_response);
    // What the event lacks, a poll may have.
    if (outputs.as_object().size() < pass.operation().spec.outputs.size()) return std::nullopt;
  }
  std::optional<Transition> step = PollStep(pass.context(), state, NoRequest(), end->answer,
                                            end->verdict, outputs, &pass.memory.track);
  if (step && step->attempt) step->attempt->action = "Callback";
  return step;
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Poll& /*what*/) {
  if (std::optional<Transition> told = TakeCallbacks(pass)) return Commit(pass, *std::move(told));
  const Protocol& protocol = *pass.memory.protocol;
  const OperationState& state = *pass.state();
  const Json submit_response = SubmitResponseOf(state.row);
  OperationIdentity identity = IdentityOf(state);
  const Result<RenderedRequest> request = protocol.RenderPoll(identity, submit_response);
  // It runs outside, seen or not: to call it failed would invite somebody to make another.
  if (!request.ok() && pass.policy().park_on_unknown) {
    return Do(pass, action::Park{"it was started, and how it goes on cannot be asked: " +
                                 request.status().message()});
  }
  PollVerdict verdict;
  ExternalAnswer answer;
  TakenOutputs taken;
  if (request.ok()) {
    answer = Send(pass, *request, "Poll");
    verdict = protocol.JudgePoll(answer, identity, submit_response);
    if (!verdict.resource_id.empty()) identity.resource_id = verdict.resource_id;
    const bool succeeded = verdict.outcome == PollVerdict::Outcome::kSucceeded && !verdict.fetch;
    taken = Take(pass, identity, &submit_response, succeeded, &answer);
    if (TakesSecrets(pass))
      verdict.failure = protocol.JudgePoll(answer, IdentityOf(state), submit_response).failure;
  } else {
    verdict.failure = RenderFailure(request.status());
  }
  pass.now = parts_.clock.Now();
  std::optional<Transition> step =
      PollStep(pass.context(), state, request.ok() ? *request : NoRequest(), answer, verdict,
               taken.outputs, &pass.memory.track);
  if (step && !taken.written.ok())
    step = PostponeStep(pass.context(), state, std::move(*step), *request, taken.written.message());
  if (step) return Commit(pass, std::move(*step));
  ASYNCOPS_RETURN_IF_ERROR(Show(pass, std::nullopt));
  return std::optional<Time>(pass.memory.track.due.value_or(pass.now));
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Fetch& /*what*/) {
  const OperationState& state = *pass.state();
  if (!state.memo.fetch) return WriteKept(pass);
  ExternalAnswer answer = Send(pass, *state.memo.fetch, "Fetch");
  const Json submit_response = SubmitResponseOf(state.row);
  const TakenOutputs taken =
      Take(pass, IdentityOf(state), &submit_response, IsResult(answer), &answer);
  pass.now = parts_.clock.Now();
  Transition step = FetchStep(pass.context(), state, answer, taken.outputs);
  if (!taken.written.ok()) {
    step = PostponeStep(pass.context(), state, std::move(step), state.memo.fetch,
                        taken.written.message());
  }
  return Commit(pass, std::move(step));
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::BeginCancel& what) {
  return Commit(pass, BeginCancelStep(pass.context(), *pass.state(), what.reason));
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::SendCancel& /*what*/) {
  const Protocol& protocol = *pass.memory.protocol;
  const OperationState& state = *pass.state();
  const std::optional<Result<RenderedRequest>> request =
      protocol.RenderCancel(IdentityOf(state), SubmitResponseOf(state.row));
  ExternalAnswer answer;
  Status taken(Reason::kInvalid, "there is no cancel any more");
  if (request && request->ok()) {
    answer = Send(pass, **request, "Cancel");
    Take(pass, IdentityOf(state), nullptr, false, &answer);
    taken = protocol.JudgeCancel(answer);
  } else if (request) {
    taken = request->status();
  }
  pass.now = parts_.clock.Now();
  return Commit(pass, CancelStep(pass.context(), state, answer, taken, &pass.memory.track));
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Finish& what) {
  const StepContext context = pass.context();
  const OperationState before = pass.state() != nullptr
                                    ? *pass.state()
                                    : NewSubmission(context, nullptr, std::string(), false);
  return Commit(pass, FinishStep(context, before, what));
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Remove& /*what*/) {
  const FaultScope scope(parts_.faults, FaultPoint::Kind::kWrite, "Remove");
  ASYNCOPS_RETURN_IF_ERROR(writer_.Remove(pass.operation()));
  Forget(pass.name);
  return std::optional<Time>();
}

}  // namespace asyncops::reconciler
