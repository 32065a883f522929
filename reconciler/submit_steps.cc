#include "reconciler/submit_steps.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/rfc3339.h"
#include "reconciler/annotations.h"
#include "reconciler/explain.h"
#include "reconciler/operation_states.h"
#include "reconciler/retry.h"

namespace asyncops::reconciler {
namespace {

// While nothing may be sent, it is enough to look now and then.
constexpr Duration kSuspendedLook = std::chrono::minutes(5);

// Of the answer to a submit we keep what poll requests may need; more than this is no reference to
// an operation.
constexpr std::size_t kMaxKeptResponseBytes = std::size_t{64} * 1024;
// A system that answers one key with 500 this often has stored that answer.
constexpr int kStoredFailureAttempts = 6;
// Conflicts that are tried again at once before they wait like other failures.
constexpr int kQuickConflicts = 3;
constexpr Duration kSlowDelay = std::chrono::hours(1);
constexpr Duration kSlowCheck = std::chrono::minutes(5);
constexpr Duration kThrottledDelay = std::chrono::seconds(10);

std::string KeptResponse(const ExternalAnswer& answer) {
  std::string text = EncodeJson(answer.ToResponse());
  if (text.size() <= kMaxKeptResponseBytes) return text;
  return EncodeJson(
      Json::Of({{"status", answer.status}, {"headers", answer.headers}, {"body", nullptr}}));
}

void Accept(const StepContext& context, std::string_view reason, Transition* transition) {
  storage::OperationRow& row = transition->next.row;
  OperationMemo& memo = transition->next.memo;
  row.state = state::kSubmitted;
  row.submitted_at = context.now;
  row.next_attempt_at.reset();
  row.poll_failures = 0;
  memo.maybe_started = true;
  memo.exists = false;
  memo.rejected = false;
  memo.conflicts = 0;
  memo.resend_at.reset();
  memo.throttled_until.reset();
  memo.code.clear();
  memo.message.clear();
  std::string message = row.operation_id.empty() ? std::string("the operation was started")
                                                 : "operation " + row.operation_id + " was started";
  if (!row.console_url.empty()) message += ", see " + row.console_url;
  transition->events.push_back(
      {.warning = false, .reason = std::string(reason), .message = std::move(message)});
}

// Once for each throttling, and for each time that credentials go missing; the others each time.
bool IsTold(const OperationState& before, const Failure& failure) {
  if (failure.error_class == ErrorClass::kThrottled) return before.memo.throttled_until.has_value();
  const std::vector<FailureDetail>& failures = before.memo.failures;
  return failure.code == kCredentialsMissing && !failures.empty() &&
         failures.front().code == failure.code;
}

void TellFailure(const OperationState& before, const Failure& failure, Transition* transition) {
  if (IsTold(before, failure)) return;
  const storage::OperationRow& row = transition->next.row;
  std::string message = "attempt " + std::to_string(row.attempt) + " of submission " +
                        std::to_string(row.submission) + " failed: " + failure.code + ": " +
                        failure.message;
  if (row.next_attempt_at) message += "; next at " + FormatTime(*row.next_attempt_at);
  std::string_view reason = "SubmitFailed";
  if (failure.code == kCredentialsMissing) reason = kCredentialsMissing;
  if (failure.error_class == ErrorClass::kThrottled) reason = "Throttled";
  transition->events.push_back(
      {.warning = true, .reason = std::string(reason), .message = BoundMessage(message)});
}

// How long to wait after this failure. Counts it, where it is one that counts.
Duration CountAndDelay(const StepContext& context, const Failure& failure, OperationState* state) {
  if (failure.error_class == ErrorClass::kThrottled) {
    const Duration wait = WaitAfter(failure, kThrottledDelay);
    state->memo.throttled_until = context.now + wait;
    return wait;
  }
  state->memo.throttled_until.reset();
  // Nobody was asked: this is no try that failed.
  if (failure.code == kCredentialsMissing) return WaitAfter(failure, kSlowCheck);
  ++state->row.retry_count;
  if (failure.error_class == ErrorClass::kConflict && ++state->memo.conflicts <= kQuickConflicts) {
    const auto spread = static_cast<Duration::rep>(1e6 * context.fraction);
    return WaitAfter(failure, Duration(spread));
  }
  if (failure.error_class == ErrorClass::kTerminal) return WaitAfter(failure, kSlowDelay);
  return WaitAfter(failure,
                   RetryDelay(context.policy.retry, state->row.retry_count, context.fraction));
}

void ToRecovering(const StepContext& context, const OperationState& before, const Failure& failure,
                  Transition* transition) {
  storage::OperationRow& row = transition->next.row;
  const Duration wait = CountAndDelay(context, failure, &transition->next);
  row.state = state::kRecovering;
  // A look-up is no send: it may be made at once.
  row.next_attempt_at =
      KeyHolds(row, context.policy, context.now) ? context.now + wait : context.now;
  transition->next.memo.resend_at = context.now + wait;
  transition->next.memo.maybe_started = true;
  transition->next.memo.code = failure.code;
  transition->next.memo.message = BoundMessage(failure.message);
  TellFailure(before, failure, transition);
}

void ToBackoff(const StepContext& context, const OperationState& before, const Failure& failure,
               bool not_sent, Transition* transition) {
  storage::OperationRow& row = transition->next.row;
  const Duration wait = CountAndDelay(context, failure, &transition->next);
  const std::int64_t limit = context.policy.retry.limit.value_or(0);
  if (limit > 0 && row.retry_count > limit) {
    Complete(context, state::kFailed, failure.code,
             failure.message + " (after " + std::to_string(limit) + " retries)", "OperationFailed",
             transition);
    return;
  }
  row.state = state::kBackoff;
  row.next_attempt_at = context.now + wait;
  transition->next.memo.not_sent = not_sent;
  transition->next.memo.code = failure.code;
  transition->next.memo.message = BoundMessage(failure.message);
  TellFailure(before, failure, transition);
}

// Whether the answer to a repeated send says that the first one took effect.
bool Exists(const StepContext& context, const ExternalAnswer& answer) {
  const std::vector<std::int64_t>& codes = context.policy.adopt_on;
  return answer.outcome == kube::Exchange::Outcome::kAnswered &&
         std::find(codes.begin(), codes.end(), answer.status) != codes.end();
}

// Whether repeating the send is of no more use. The answer is stored, which says nothing of whether
// the work was done.
bool IsStoredFailure(const OperationState& state) {
  return !state.row.idempotency_key.empty() && state.row.attempt >= kStoredFailureAttempts &&
         !state.memo.failures.empty() && state.memo.failures.front().http_status == 500;
}

void Reject(const StepContext& context, const OperationState& before, const ExternalAnswer& answer,
            const Failure& failure, Transition* transition) {
  AddFailure(&transition->next.memo, DetailOf(failure, before.row.attempt, context.now));
  const bool in_doubt = before.row.state == state::kRecovering;
  const bool not_sent = answer.outcome == kube::Exchange::Outcome::kNotSent;
  if (in_doubt && Exists(context, answer)) {
    transition->next.row.state = state::kRecovering;
    transition->next.row.next_attempt_at = context.now;
    transition->next.memo.exists = true;
    if (!context.policy.has_lookup) Accept(context, "Adopted", transition);
    return;
  }
  if (not_sent) {
    return in_doubt ? ToRecovering(context, before, failure, transition)
                    : ToBackoff(context, before, failure, true, transition);
  }
  if (failure.error_class == ErrorClass::kAmbiguous) {
    ToRecovering(context, before, failure, transition);
    transition->next.memo.exists = context.policy.has_lookup && IsStoredFailure(transition->next);
    return;
  }
  // Something on the way may have answered for a server that did the work; the key makes it safe to
  // ask again.
  if (failure.error_class == ErrorClass::kThrottled && failure.http_status >= 500 &&
      KeyHolds(transition->next.row, context.policy, context.now))
    return ToRecovering(context, before, failure, transition);
  const bool terminal = failure.error_class == ErrorClass::kTerminal;
  // The refusal is of this send; what became of the one before, a look-up can say.
  if (terminal && in_doubt && context.policy.has_lookup) {
    ToRecovering(context, before, failure, transition);
    transition->next.row.next_attempt_at = context.now;
    transition->next.memo.exists = true;
    transition->next.memo.rejected = true;
    return;
  }
  // In doubt the slow tier is not for us: a new submission could make a second one.
  if (terminal && (in_doubt || !context.policy.slow_on_terminal)) {
    return Complete(context, state::kFailed, failure.code, failure.message, "TerminalError",
                    transition);
  }
  // A server that still works on the key, or lets nothing through just now, says nothing of the
  // send before: the key stays.
  if (in_doubt) return ToRecovering(context, before, failure, transition);
  ToBackoff(context, before, failure, false, transition);
}

bool IsGone(const StepContext& context, const ExternalAnswer& answer) {
  if (context.operation.spec.type != "Delete") return false;
  if (answer.outcome != kube::Exchange::Outcome::kAnswered) return false;
  const std::vector<std::int64_t>& gone = context.operation.spec.gone;
  if (gone.empty()) return answer.status == 404 || answer.status == 410;
  return std::find(gone.begin(), gone.end(), answer.status) != gone.end();
}

void TakeVerdict(const SubmitVerdict& verdict, storage::OperationRow* row) {
  row->operation_id = verdict.operation_id;
  row->poll_url = verdict.poll_url;
  row->resource_id = verdict.resource_id;
  row->console_url = verdict.console_url;
}

void TellMiss(Time settled, bool counts, bool held, Transition* transition) {
  OperationMemo& memo = transition->next.memo;
  transition->attempt->message =
      counts ? "missing: it did not take effect" : "missing, which does not count yet";
  // Where the send itself has to wait, why that is says more.
  if (held) return;
  memo.code.clear();
  memo.message = "the look-up says that it did not take effect";
  if (counts) return;
  memo.code = state::kLookupNotSettled;
  memo.message = "the look-up found nothing, which counts only from " + FormatTime(settled) +
                 " on: until then the submit may still be under way (recovery.lookup.settle)";
}

}  // namespace

OperationIdentity IdentityOf(const OperationState& state) {
  return {.id = state.row.operation_id,
          .poll_url = state.row.poll_url,
          .resource_id = state.row.resource_id,
          .correlation_id = state.row.correlation_id,
          .idempotency_key = state.row.idempotency_key,
          .submission = state.row.submission,
          .attempt = state.row.attempt,
          .start_time = state.memo.start_time};
}

Json SubmitResponseOf(const storage::OperationRow& row) {
  if (row.submit_response.empty()) return {};
  Result<Json> parsed = ParseJson(row.submit_response);
  return parsed.ok() ? std::move(*parsed) : Json();
}

Transition SubmitAnswerStep(const StepContext& context, const OperationState& before,
                            const ExternalAnswer& answer, const SubmitVerdict& verdict,
                            const Json& outputs) {
  Transition transition = StartTransition(context, before, "Submit");
  transition.attempt->method = before.row.method;
  transition.attempt->url = before.row.url;
  transition.attempt->http_status = answer.status;
  storage::OperationRow& row = transition.next.row;
  if (answer.outcome == kube::Exchange::Outcome::kAnswered)
    row.submit_response = KeptResponse(answer);
  if (IsGone(context, answer)) {
    Complete(context, state::kSucceeded, "", "it was gone already", "", &transition);
    return Seal(context, std::move(transition));
  }
  if (verdict.outcome == SubmitVerdict::Outcome::kFailed) {
    TakeVerdict(verdict, &row);
    transition.attempt->error_class = ErrorClassName(verdict.failure.error_class);
    transition.attempt->message = verdict.failure.code + ": " + verdict.failure.message;
    Reject(context, before, answer, verdict.failure, &transition);
    return Seal(context, std::move(transition));
  }
  TakeVerdict(verdict, &row);
  Accept(context, "Submitted", &transition);
  if (verdict.outcome == SubmitVerdict::Outcome::kSucceeded) {
    row.remote_outcome = state::kSucceeded;
    transition.next.memo.outputs = outputs;
    Complete(context, state::kSucceeded, "", "", "", &transition);
  }
  return Seal(context, std::move(transition));
}

Transition LookupStep(const StepContext& context, const OperationState& before,
                      const RenderedRequest& request, const ExternalAnswer& answer,
                      const LookupVerdict& verdict, bool* resend) {
  Transition transition = StartTransition(context, before, "Lookup");
  transition.attempt->method = request.method;
  transition.attempt->url = request.url;
  transition.attempt->http_status = answer.status;
  storage::OperationRow& row = transition.next.row;
  row.state = state::kRecovering;
  transition.next.memo.maybe_started = true;
  *resend = false;
  switch (verdict.outcome) {
    case LookupVerdict::Outcome::kFound:
      row.operation_id = verdict.operation_id;
      if (!verdict.poll_url.empty()) row.poll_url = verdict.poll_url;
      transition.attempt->message = "found: it took effect";
      Accept(context, "Adopted", &transition);
      break;
    case LookupVerdict::Outcome::kMissing: {
      if (before.memo.lookups > 0) {
        Complete(context, state::kFailed, "OperationNotFound",
                 "the external system knows neither the operation nor what it makes",
                 "OperationFailed", &transition);
        break;
      }
      const Time settled = row.sent_at.value_or(row.intent_at) + context.policy.lookup_settle;
      const bool counts = context.now >= settled;
      const Time resend_at = std::max(settled, before.memo.resend_at.value_or(settled));
      const bool held = counts && context.now < resend_at;
      row.next_attempt_at = std::max(counts ? resend_at : settled, context.now);
      const bool called_back = IsCalledBack(before.row);
      if (counts && before.memo.rejected && !before.memo.failures.empty() && !called_back) {
        const FailureDetail& refused = before.memo.failures.front();
        transition.next.memo.maybe_started = false;
        Complete(context, state::kFailed, refused.code, refused.message, "TerminalError",
                 &transition);
      } else if (IsStoredFailure(before) && !called_back) {
        // The key would bring the stored answer again; a new submission has a new one.
        if (counts) row.state = state::kBackoff;
      } else if (counts && before.memo.exists) {
        // It exists, says one answer, and is missing, says the other: time will show which.
        transition.next.memo.exists = false;
        ++row.retry_count;
        row.next_attempt_at =
            context.now + RetryDelay(context.policy.retry, row.retry_count, context.fraction);
      } else {
        // What may still be under way is looked for again, not sent.
        *resend = counts && !held && !context.operation.spec.suspend;
        if (counts && !held && !*resend) row.next_attempt_at = context.now + kSuspendedLook;
        if (counts) transition.next.memo.exists = false;
      }
      TellMiss(settled, counts, held, &transition);
      break;
    }
    case LookupVerdict::Outcome::kUnreadable:
      AddFailure(&transition.next.memo, DetailOf(verdict.failure, before.row.attempt, context.now));
      transition.attempt->error_class = ErrorClassName(verdict.failure.error_class);
      transition.attempt->message = verdict.failure.code + ": " + verdict.failure.message;
      row.next_attempt_at = context.now + CountAndDelay(context, verdict.failure, &transition.next);
      break;
  }
  return Seal(context, std::move(transition));
}

Transition ParkStep(const StepContext& context, const OperationState& before,
                    const std::string& why) {
  Transition transition = StartTransition(context, before, "Park");
  storage::OperationRow& row = transition.next.row;
  row.state = state::kOutcomeUnknown;
  row.next_attempt_at.reset();
  row.completed_at.reset();
  OperationMemo& memo = transition.next.memo;
  memo.maybe_started = true;
  memo.handled_retry = AnnotationOf(context.operation.metadata, kRetryRequestedAt);
  memo.code = state::kOutcomeUnknown;
  memo.message = BoundMessage(why);
  transition.attempt->message = why;
  transition.events.push_back({.warning = true,
                               .reason = "OutcomeUnknown",
                               .message = HowToResolve(context.operation, transition.next)});
  return Seal(context, std::move(transition));
}

Transition AdoptStep(const StepContext& context, const OperationState& before,
                     const action::Adopt& what) {
  Transition transition = StartTransition(context, before, what.told ? "Callback" : "Adopt");
  transition.next.row.operation_id = what.operation_id;
  const bool outvoted = !AnnotationOf(context.operation.metadata, kResolve).empty();
  transition.attempt->message =
      !what.told
          ? "resolved as Adopt" + ByWhom(context.operation)
          : "a callback says that it was started as operation " + what.operation_id +
                (outvoted
                     ? "; it is not submitted again, as was asked for" + ByWhom(context.operation)
                     : "");
  transition.drop_annotation = kResolve;
  Accept(context, "Adopted", &transition);
  return Seal(context, std::move(transition));
}

}  // namespace asyncops::reconciler
