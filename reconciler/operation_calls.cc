// The steps of OperationReconciler that call outside.
#include <algorithm>
#include <chrono>
#include <utility>

#include "api/schema/binding.h"
#include "base/limits.h"
#include "base/uri.h"
#include "reconciler/callback_steps.h"
#include "reconciler/explain.h"
#include "reconciler/intent_steps.h"
#include "reconciler/operation_pass.h"
#include "reconciler/operation_states.h"
#include "reconciler/operation_status.h"
#include "reconciler/retry.h"
#include "reconciler/secret_outputs.h"
#include "reconciler/submit_steps.h"

namespace asyncops::reconciler {
namespace {

using AnswerKind = AnswerContext::Kind;

constexpr Duration kPassingCheck = std::chrono::seconds(15);

RenderedRequest NoRequest() { return {}; }

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

// Takes out what the events show of secrets; false where it is not known what that might be.
bool Redact(const ExternalSystem& system, const RenderedRequest& submit, ExternalClient* external,
            std::vector<storage::InboxMessage>* messages) {
  for (storage::InboxMessage& message : *messages) {
    const Result<Json> told = ParseJson(message.body);
    if (!told.ok()) return false;
    const std::optional<Json> shown = external->Redact(system, submit, *told);
    if (!shown) return false;
    message.body = EncodeJson(*shown);
  }
  return true;
}

Failure RenderFailure(const Status& status) {
  return {.error_class = ErrorClass::kTerminal,
          .code = "InvalidRequest",
          .message = status.message(),
          .http_status = 0,
          .delay = {}};
}

}  // namespace

Status OperationReconciler::ShowTurn(const Pass& pass, const Turn& turn) {
  const AsyncOperation& operation = pass.operation();
  const AsyncOperationStatus status = ProjectStatus(operation, pass.state(), turn.show, pass.now);
  const auto& binding = AsyncOperationStatus::Binding();
  if (binding.Encode(status) == binding.Encode(operation.status)) return Status::Ok();
  std::vector<EventDraft> events;
  if (turn.event) events.push_back(*turn.event);
  std::optional<EventDraft> held = DeletionBlockEvent(operation, pass.state(), turn.show, pass.now);
  if (held) events.push_back(*std::move(held));
  return writer_.Show(operation, pass.state(), turn.show, events);
}

std::optional<OperationReconciler::Next> OperationReconciler::AwaitTurn(Pass& pass,
                                                                        const std::string& url) {
  TurnMemory place = pass.memory.turn();
  place.again = Time();
  Turn turn =
      AskForTurn(parts_.external, pass.system(), url, pass.operation().status, pass.now, &place);
  pass.memory.SetTurn(place);
  pass.leave = std::move(turn.leave);
  if (!turn.again) return std::nullopt;
  pass.memory.nudged = pass.nudged;
  if (turn.show) {
    if (const Status shown = ShowTurn(pass, turn); !shown.ok()) return Next(shown);
  }
  std::optional<Time> deadline;
  if (pass.state() != nullptr)
    deadline = DeadlineOf(pass.operation(), pass.state()->memo.start_time);
  const bool ahead = deadline && *deadline > pass.now;
  place.again = ahead ? std::min(*deadline, *turn.again) : *turn.again;
  // A deletion is looked at before that, where it lasts.
  if (!pass.operation().metadata.deletion_timestamp) pass.memory.SetTurn(place);
  return Next(place.again);
}

ExternalAnswer OperationReconciler::Call(const ExternalSystem& system,
                                         const RenderedRequest& request, Permit leave,
                                         std::string_view step, double* pressure) {
  const FaultScope scope(parts_.faults, FaultPoint::Kind::kCall, step);
  const SteadyTime begun = parts_.clock.SteadyNow();
  const std::string origin = leave.origin();
  ExternalAnswer answer = parts_.external.Send(system, request, std::move(leave));
  if (parts_.metrics != nullptr && step == "Poll") {
    parts_.metrics->ObservePoll(
        std::chrono::duration_cast<Duration>(parts_.clock.SteadyNow() - begun));
  }
  if (!origin.empty()) *pressure = parts_.external.gate().Pressure(GateNameOf(system), origin);
  return answer;
}

ExternalAnswer OperationReconciler::Send(Pass& pass, const RenderedRequest& request,
                                         std::string_view step) {
  RenderedRequest call = request;
  call.known_secrets = SecretsOf(pass.state());
  if (pass.state() != nullptr) HideToken(parts_.links, pass.state()->row, &call);
  return Call(pass.system(), call, std::exchange(pass.leave, Permit()), step, &pass.pressure);
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Submit& what) {
  const StepContext context = pass.context();
  if (const Status may = CheckSecrets(pass.operation(), pass.policy(), parts_.resources);
      !may.ok()) {
    const Next blocked = Do(pass, action::Block{{std::string(kSecretNotWritten), may.message()}});
    // What passes by itself, such as a kube-apiserver that is away, is told by nobody.
    const bool lasts = may.reason() == Reason::kForbidden || may.reason() == Reason::kInvalid;
    if (blocked.ok() && !lasts) return std::optional<Time>(pass.now + kPassingCheck);
    return blocked;
  }
  const bool needs_key = pass.policy().sends_key &&
                         !(what.same_submission && !pass.state()->row.idempotency_key.empty());
  const std::string key = needs_key ? parts_.ids.Uuid() : std::string();
  OperationState begun = what.same_submission
                             ? SameSubmission(context, *pass.state(), key, what.reset)
                             : NewSubmission(context, pass.state(), key, what.reset);
  if (what.mended) begun.row.retry_count = 0;
  OperationIdentity identity = IdentityOf(begun);
  ++identity.attempt;
  AskForCallback(parts_.links, pass.policy(), &begun.row, &identity);
  // Nothing was sent, so the request may follow what was mended meanwhile, such as the endpoint.
  const Result<RenderedRequest> request = pass.protocol().RenderSubmit(identity);
  if (!request.ok()) {
    return Commit(pass, FinishStep(context, begun,
                                   {state::kFailed, "InvalidRequest", request.status().message()}));
  }
  if (what.reset) parts_.external.gate().Probe(GateNameOf(pass.system()));
  if (auto wait = AwaitTurn(pass, request->url)) return *std::move(wait);
  const Result<OperationState> intended =
      Record(pass, IntentStep(context, std::move(begun), *request));
  if (!intended.ok()) return intended.status();
  return SendSubmit(pass, *intended);
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Resend& /*what*/) {
  if (auto wait = AwaitTurn(pass, pass.state()->row.url)) return *std::move(wait);
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
  const Protocol& protocol = pass.protocol();
  OperationIdentity identity = IdentityOf(intended);
  SubmitVerdict verdict = protocol.JudgeSubmit(answer, identity);
  AnswerKind kind = AnswerKind::kStart;
  if (verdict.outcome == SubmitVerdict::Outcome::kSucceeded) {
    kind = AnswerKind::kEnd;
    identity.id = verdict.operation_id;
    identity.resource_id = verdict.resource_id;
  }
  TakenOutputs taken = Take(pass, identity, nullptr, kind, &answer);
  if (taken.redacted) {
    const SubmitVerdict stored = protocol.JudgeSubmit(answer, IdentityOf(intended));
    verdict.failure = InStoredWords(std::move(verdict.failure), stored.failure);
    verdict.console_url = stored.console_url;
  }
  Transition outcome = SubmitAnswerStep(pass.context(), intended, answer, verdict, taken.outputs);
  if (!taken.written.ok()) {
    pass.memory.rare.Make().unwritten = std::move(taken.secrets);
    outcome = PostponeStep(pass.context(), intended, std::move(outcome), std::nullopt,
                           taken.written.message());
  }
  pass.memory.track = PollTrack();
  pass.memory.track.due =
      pass.now + PollDelay(pass.policy(), 0, verdict.poll_after, pass.fraction, pass.pressure);
  return Commit(pass, std::move(outcome));
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Lookup& what) {
  const Protocol& protocol = pass.protocol();
  OperationState state = *pass.state();
  if (what.mended) state.memo.resend_at.reset();
  const std::optional<Result<RenderedRequest>> request = protocol.RenderLookup(IdentityOf(state));
  LookupVerdict verdict;
  ExternalAnswer answer;
  if (request && request->ok()) {
    if (auto wait = AwaitTurn(pass, (*request)->url)) return *std::move(wait);
    answer = Send(pass, **request, "Lookup");
    verdict = protocol.JudgeLookup(answer, IdentityOf(state));
    if (Take(pass, IdentityOf(state), nullptr, AnswerKind::kPassing, &answer).redacted) {
      verdict.failure = InStoredWords(std::move(verdict.failure),
                                      protocol.JudgeLookup(answer, IdentityOf(state)).failure);
    }
  } else {
    verdict.failure = RenderFailure(
        request ? request->status() : Status(Reason::kInvalid, "there is no look-up any more"));
  }
  pass.now = parts_.clock.Now();
  bool resend = false;
  Transition looked =
      LookupStep(pass.context(), state, request && request->ok() ? **request : NoRequest(), answer,
                 verdict, &resend);
  Result<OperationState> next = Record(pass, std::move(looked));
  if (!next.ok()) return next.status();
  if (!resend) return std::optional<Time>(Time::min());
  // A callback that came meanwhile counts, too.
  const Result<storage::OperationRow> present =
      parts_.store.engine().LatestOperation(next->row.uid);
  if (!present.ok()) return present.status();
  next->row.hints = present->hints;
  if (IsCalledBack(next->row)) {
    pass.stored.state = *std::move(next);
    const std::string told = ToldIdOf(pass);
    if (!told.empty()) return Do(pass, action::Adopt{.operation_id = told, .told = true});
    return Do(pass, action::Park{"the look-up does not find it"});
  }
  // It goes with the leave of the look-up. In the row for a turn of its own the next pass would
  // look again, and spend that turn on it.
  pass.stored.state = *std::move(next);
  const Result<OperationState> intended = Record(pass, ResendStep(pass.context(), *pass.state()));
  if (!intended.ok()) return intended.status();
  return SendSubmit(pass, *intended);
}

std::string OperationReconciler::ToldIdOf(const Pass& pass) const {
  if (pass.state() == nullptr || !pass.memory.declared) return "";
  const storage::OperationRow& row = pass.state()->row;
  const bool in_doubt = row.state == state::kIntent || row.state == state::kRecovering ||
                        row.state == state::kOutcomeUnknown;
  if (!in_doubt || !IsCalledBack(row) || row.hints <= row.hints_answered) return "";
  const Result<std::vector<storage::InboxMessage>> messages =
      parts_.store.engine().Inbox(row.uid, row.submission, kMaxRowsPerRead);
  const std::string told = messages.ok() ? ToldId(*messages) : "";
  if (told.empty()) return "";
  RenderedRequest submit;
  submit.known_secrets = SecretsOf(pass.state());
  HideToken(parts_.links, row, &submit);
  const std::optional<Json> shown = parts_.external.Redact(pass.system(), submit, Json(told));
  return shown && *shown == Json(told) ? told : "";
}

std::optional<Transition> OperationReconciler::TakeCallbacks(Pass& pass) {
  const OperationState& state = *pass.state();
  const Protocol::Policy& policy = pass.policy();
  const bool hinted = state.row.hints > state.row.hints_answered;
  if (!hinted || !policy.trusts_callbacks || KnowsSecrets(pass.operation(), policy))
    return std::nullopt;
  Result<std::vector<storage::InboxMessage>> messages =
      parts_.store.engine().Inbox(state.row.uid, state.row.submission, kMaxRowsPerRead);
  if (!messages.ok()) return std::nullopt;
  RenderedRequest submit;
  submit.known_secrets = SecretsOf(pass.state());
  HideToken(parts_.links, state.row, &submit);
  if (!Redact(pass.system(), submit, &parts_.external, &*messages)) return std::nullopt;
  const Protocol& protocol = pass.protocol();
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
  const Protocol& protocol = pass.protocol();
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
    if (pass.polled && pass.polled->url == request->url) {
      answer = std::move(pass.polled->answer);
      pass.pressure = pass.polled->pressure;
    } else {
      if (auto wait = AwaitTurn(pass, request->url)) return *std::move(wait);
      answer = Send(pass, *request, "Poll");
    }
    verdict = protocol.JudgePoll(answer, identity, submit_response);
    if (!verdict.resource_id.empty()) identity.resource_id = verdict.resource_id;
    const bool succeeded = verdict.outcome == PollVerdict::Outcome::kSucceeded && !verdict.fetch;
    taken = Take(pass, identity, &submit_response,
                 succeeded ? AnswerKind::kEnd : AnswerKind::kPassing, &answer);
    if (taken.redacted) {
      PollVerdict stored = protocol.JudgePoll(answer, IdentityOf(state), submit_response);
      verdict.failure = InStoredWords(std::move(verdict.failure), stored.failure);
      verdict.progress = std::move(stored.progress);
      verdict.console_url = std::move(stored.console_url);
    }
  } else {
    verdict.failure = RenderFailure(request.status());
  }
  pass.now = parts_.clock.Now();
  std::optional<Transition> step =
      PollStep(pass.context(), state, request.ok() ? *request : NoRequest(), answer, verdict,
               taken.outputs, &pass.memory.track);
  if (step && !taken.written.ok())
    step = PostponeStep(pass.context(), state, std::move(*step), *request, taken.written.message());
  if (step) {
    const bool ends = state::IsFinal(step->next.row.state);
    Next next = Commit(pass, std::move(*step));
    if (next.ok() && !ends && request.ok()) PlanNextPoll(pass, request->url, verdict);
    return next;
  }
  ASYNCOPS_RETURN_IF_ERROR(Show(pass, std::nullopt));
  if (request.ok()) PlanNextPoll(pass, request->url, verdict);
  const Time due = pass.memory.track.next().value_or(pass.now);
  const Time deadline = EndOf(pass);
  return WaitUntil(pass, deadline > pass.now ? std::min(due, deadline) : due);
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Fetch& /*what*/) {
  const OperationState& state = *pass.state();
  if (!state.memo.fetch) return WriteKept(pass);
  if (auto wait = AwaitTurn(pass, state.memo.fetch->url)) return *std::move(wait);
  ExternalAnswer answer = Send(pass, *state.memo.fetch, "Fetch");
  const Json submit_response = SubmitResponseOf(state.row);
  const TakenOutputs taken =
      Take(pass, IdentityOf(state), &submit_response,
           IsResult(answer) ? AnswerKind::kEnd : AnswerKind::kPassing, &answer);
  pass.now = parts_.clock.Now();
  Transition step = FetchStep(pass.context(), state, answer, taken.outputs);
  if (!taken.written.ok()) {
    step = PostponeStep(pass.context(), state, std::move(step), state.memo.fetch,
                        taken.written.message());
  }
  return Commit(pass, std::move(step));
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::SendCancel& /*what*/) {
  const Protocol& protocol = pass.protocol();
  const OperationState& state = *pass.state();
  const std::optional<Result<RenderedRequest>> request =
      protocol.RenderCancel(IdentityOf(state), SubmitResponseOf(state.row));
  ExternalAnswer answer;
  Status taken(Reason::kInvalid, "there is no cancel any more");
  if (request && request->ok()) {
    if (auto wait = AwaitTurn(pass, (*request)->url)) return *std::move(wait);
    answer = Send(pass, **request, "Cancel");
    Take(pass, IdentityOf(state), nullptr, AnswerKind::kPassing, &answer);
    taken = protocol.JudgeCancel(answer);
  } else if (request) {
    taken = request->status();
  }
  pass.now = parts_.clock.Now();
  return Commit(
      pass, CancelStep(pass.context(), state, request && request->ok() ? **request : NoRequest(),
                       answer, taken, &pass.memory.track));
}

}  // namespace asyncops::reconciler
