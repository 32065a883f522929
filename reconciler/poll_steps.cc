#include "reconciler/poll_steps.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "base/limits.h"
#include "reconciler/annotations.h"
#include "reconciler/operation_states.h"
#include "reconciler/retry.h"
#include "reconciler/secret_outputs.h"

namespace asyncops::reconciler {
namespace {

// The system must deny the operation this often, and for this long, before we believe it: answers
// come from replicas that lag.
constexpr int kNotFoundPolls = 3;
constexpr Duration kNotFoundTime = std::chrono::seconds(60);
// Polls refused for good, such as 400; as long, since what is on the way may refuse them for a
// while.
constexpr int kTerminalPolls = 3;
constexpr int kMaxFetchFailures = 6;
// A Secret that comes back is noticed at once; this is for the case that it is not.
constexpr Duration kCredentialsCheck = std::chrono::minutes(5);
constexpr int kProgressStep = 25;

int Percent(std::string_view progress) {
  int percent = 0;
  std::from_chars(progress.data(), progress.data() + progress.size(), percent);
  return percent;
}

void TellProgress(const OperationState& before, const std::string& progress,
                  Transition* transition) {
  const int percent = Percent(progress);
  // What goes back and forth tells of each step once.
  if (percent / kProgressStep <= before.memo.progress_told / kProgressStep) return;
  transition->next.memo.progress_told = percent;
  transition->events.push_back(
      {.warning = false, .reason = "ProgressChanged", .message = "progress is " + progress});
}

void Describe(const RenderedRequest& request, const ExternalAnswer& answer,
              Transition* transition) {
  transition->attempt->method = request.method;
  transition->attempt->url = request.url;
  transition->attempt->http_status = answer.status;
}

void TakeVerdict(const PollVerdict& verdict, OperationState* state) {
  if (!verdict.progress.empty()) state->memo.progress = verdict.progress;
  if (!verdict.poll_url.empty()) state->row.poll_url = verdict.poll_url;
  if (!verdict.resource_id.empty()) state->row.resource_id = verdict.resource_id;
  if (!verdict.console_url.empty()) state->row.console_url = verdict.console_url;
}

Transition StartPoll(const StepContext& context, const OperationState& before,
                     const RenderedRequest& request, const ExternalAnswer& answer,
                     const PollVerdict& verdict, const PollTrack& track) {
  Transition transition = StartTransition(context, before, "Poll");
  Describe(request, answer, &transition);
  TakeVerdict(verdict, &transition.next);
  storage::OperationRow& row = transition.next.row;
  row.polls += track.polls;
  row.last_poll_at = context.now;
  row.poll_failures = track.failing.get().failures;
  if (row.hints > row.hints_answered) {
    transition.events.push_back({.warning = false,
                                 .reason = "CallbackReceived",
                                 .message = "the external system asked for a look at it"});
  }
  row.hints_answered = before.row.hints;
  return transition;
}

std::optional<Transition> Running(const StepContext& context, const OperationState& before,
                                  const RenderedRequest& request, const ExternalAnswer& answer,
                                  const PollVerdict& verdict, PollTrack* track) {
  track->failing.Reset();
  ++track->polls;
  track->due = context.now + PollDelay(context.policy, track->polls, verdict.poll_after,
                                       context.fraction, context.pressure);
  Transition transition = StartPoll(context, before, request, answer, verdict, *track);
  OperationState& next = transition.next;
  next.memo.throttled_until.reset();
  next.memo.code.clear();
  next.memo.message.clear();
  if (before.row.state == state::kSubmitted) next.row.state = state::kRunning;
  // Counters and times alone are nothing new.
  OperationState same = next;
  same.row.polls = before.row.polls;
  same.row.last_poll_at = before.row.last_poll_at;
  same.row.owner_epoch = before.row.owner_epoch;
  if (same == before) return std::nullopt;
  TellProgress(before, next.memo.progress, &transition);
  transition.attempt->message = "running";
  if (!next.memo.progress.empty()) transition.attempt->message += ", " + next.memo.progress;
  return Seal(context, std::move(transition));
}

Transition Succeeded(const StepContext& context, const PollVerdict& verdict, const Json& outputs,
                     Transition transition) {
  storage::OperationRow& row = transition.next.row;
  row.remote_outcome = state::kSucceeded;
  if (verdict.fetch) {
    row.state = state::kFetching;
    row.next_attempt_at.reset();
    transition.next.memo.fetch = verdict.fetch;
    transition.next.memo.fetch_failures = 0;
    transition.attempt->message = "succeeded; the result is to be read";
    return Seal(context, std::move(transition));
  }
  transition.next.memo.outputs = outputs;
  Complete(context, state::kSucceeded, "", "", "", &transition);
  return Seal(context, std::move(transition));
}

Transition Failed(const StepContext& context, const PollVerdict& verdict, Transition transition) {
  const Failure& failure = verdict.failure;
  storage::OperationRow& row = transition.next.row;
  OperationMemo& memo = transition.next.memo;
  row.remote_outcome = state::kFailed;
  AddFailure(&memo, DetailOf(failure, row.attempt, context.now));
  transition.attempt->error_class = ErrorClassName(failure.error_class);
  transition.attempt->message = failure.code + ": " + failure.message;
  const bool recoverable =
      failure.error_class != ErrorClass::kTerminal || context.policy.slow_on_terminal;
  const std::int64_t limit = context.policy.retry.limit.value_or(0);
  if (recoverable && row.state != state::kCanceling && (limit <= 0 || row.retry_count < limit)) {
    ++row.retry_count;
    Duration wait = RetryDelay(context.policy.retry, row.retry_count, context.fraction);
    if (failure.error_class == ErrorClass::kTerminal) wait = std::chrono::hours(1);
    row.state = state::kBackoff;
    row.next_attempt_at = context.now + WaitAfter(failure, wait);
    memo.not_sent = false;
    memo.code = failure.code;
    memo.message = BoundMessage(failure.message);
    transition.events.push_back({.warning = true,
                                 .reason = "OperationFailed",
                                 .message = BoundMessage(failure.code + ": " + failure.message)});
    return Seal(context, std::move(transition));
  }
  const bool late = memo.cancel_reason == "DeadlineExceeded";
  Complete(context, state::kFailed, late ? memo.cancel_reason : failure.code, failure.message,
           "OperationFailed", &transition);
  return Seal(context, std::move(transition));
}

Transition Canceled(const StepContext& context, Transition transition) {
  transition.next.row.remote_outcome = state::kCanceled;
  if (transition.next.memo.cancel_reason == "DeadlineExceeded") {
    Complete(context, state::kFailed, "DeadlineExceeded",
             "the operation did not end within spec.activeDeadline and was cancelled", "",
             &transition);
  } else {
    Complete(context, state::kCanceled, "Canceled", "the operation was cancelled outside", "",
             &transition);
  }
  return Seal(context, std::move(transition));
}

// A poll that told nothing: written when it is the first one, or the wait changes its tier.
std::optional<Transition> Unreadable(const StepContext& context, const OperationState& before,
                                     const Failure& failure, int count, bool was_told,
                                     Transition transition) {
  const int tier = RetryTierOf(context.policy.retry, count);
  const bool new_tier = count > 1 && tier != RetryTierOf(context.policy.retry, count - 1);
  if ((was_told || count > 1) && !new_tier) return std::nullopt;
  AddFailure(&transition.next.memo, DetailOf(failure, before.row.attempt, context.now));
  transition.next.memo.code = failure.code;
  transition.next.memo.message = BoundMessage("the last poll failed: " + failure.message);
  transition.attempt->error_class = ErrorClassName(failure.error_class);
  transition.attempt->message = failure.code + ": " + failure.message;
  const bool credentials = failure.code == kCredentialsMissing;
  transition.events.push_back(
      {.warning = true,
       .reason = credentials ? std::string(kCredentialsMissing) : "PollFailed",
       .message = BoundMessage("poll failed " + std::to_string(count) +
                               " times in a row: " + failure.code + ": " + failure.message)});
  return Seal(context, std::move(transition));
}

std::optional<Transition> PollFailed(const StepContext& context, const OperationState& before,
                                     const RenderedRequest& request, const ExternalAnswer& answer,
                                     const PollVerdict& verdict, PollTrack* track) {
  const Failure& failure = verdict.failure;
  if (track->failing.is_made()) track->failing.Make().not_found = 0;
  if (failure.error_class == ErrorClass::kThrottled) {
    const Duration wait =
        WaitAfter(failure, PollDelay(context.policy, track->polls, {}, 0.5, context.pressure));
    track->due = context.now + wait;
    if (before.memo.throttled_until) return std::nullopt;
    Transition transition = StartPoll(context, before, request, answer, verdict, *track);
    transition.next.memo.throttled_until = track->due;
    transition.attempt->error_class = ErrorClassName(failure.error_class);
    transition.attempt->message = failure.code + ": " + failure.message;
    transition.events.push_back(
        {.warning = true,
         .reason = "Throttled",
         .message = BoundMessage("poll refused: " + transition.attempt->message)});
    return Seal(context, std::move(transition));
  }
  PollTrack::Failing& failing = track->failing.Make();
  if (failing.failures == 0) failing.first_failure = context.now;
  // What was written before a restart counts on.
  failing.failures = std::max(failing.failures, before.row.poll_failures) + 1;
  track->due = context.now + WaitAfter(failure, RetryDelay(context.policy.retry, failing.failures,
                                                           context.fraction));
  Transition transition = StartPoll(context, before, request, answer, verdict, *track);
  const bool long_enough = context.now - failing.first_failure > kNotFoundTime;
  if (failure.error_class == ErrorClass::kTerminal && failing.failures >= kTerminalPolls &&
      long_enough) {
    AddFailure(&transition.next.memo, DetailOf(failure, before.row.attempt, context.now));
    transition.attempt->error_class = ErrorClassName(failure.error_class);
    Complete(context, state::kFailed, failure.code, failure.message, "OperationFailed",
             &transition);
    return Seal(context, std::move(transition));
  }
  return Unreadable(context, before, failure, failing.failures, false, std::move(transition));
}

std::optional<Transition> NotFound(const StepContext& context, const OperationState& before,
                                   const RenderedRequest& request, const ExternalAnswer& answer,
                                   const PollVerdict& verdict, PollTrack* track) {
  PollTrack::Failing& failing = track->failing.Make();
  if (failing.not_found++ == 0) failing.first_not_found = context.now;
  Failure failure = verdict.failure;
  if (failure.code.empty()) failure.code = "OperationNotFound";
  if (failure.message.empty()) failure.message = "the external system does not know the operation";
  failure.http_status = answer.status;
  track->due = context.now + RetryDelay(context.policy.retry, failing.not_found, context.fraction);
  Transition transition = StartPoll(context, before, request, answer, verdict, *track);
  if (failing.not_found >= kNotFoundPolls &&
      context.now - failing.first_not_found > kNotFoundTime) {
    failure.error_class = ErrorClass::kTerminal;
    AddFailure(&transition.next.memo, DetailOf(failure, before.row.attempt, context.now));
    transition.attempt->error_class = ErrorClassName(failure.error_class);
    if (context.policy.has_lookup && before.memo.lookups == 0) {
      // The operation is forgotten; what it made may be there.
      transition.next.row.state = state::kRecovering;
      transition.next.row.next_attempt_at = context.now;
      transition.next.memo.exists = true;
      transition.next.memo.lookups = 1;
      *track = PollTrack();
      return Seal(context, std::move(transition));
    }
    Complete(context, state::kFailed, "OperationNotFound", failure.message, "OperationFailed",
             &transition);
    return Seal(context, std::move(transition));
  }
  const bool told = before.memo.code == failure.code;
  return Unreadable(context, before, failure, failing.not_found, told, std::move(transition));
}

}  // namespace

bool IsRefused(const ExternalAnswer& answer) {
  // A URL that the declaration does not allow, or an address that the server does not.
  if (answer.code == "OriginRefused" || answer.code == "AddressRefused") return true;
  if (answer.outcome != kube::Exchange::Outcome::kAnswered) return false;
  for (const int passing : {401, 403, 408, 425, 429}) {
    if (answer.status == passing) return false;
  }
  return answer.status >= 400 && answer.status < 500;
}

bool IsResult(const ExternalAnswer& answer) {
  return answer.outcome == kube::Exchange::Outcome::kAnswered && answer.status >= 200 &&
         answer.status < 300;
}

namespace {

std::optional<Transition> TakeAnswer(const StepContext& context, const OperationState& before,
                                     const RenderedRequest& request, const ExternalAnswer& answer,
                                     const PollVerdict& verdict, const Json& outputs,
                                     PollTrack* track) {
  switch (verdict.outcome) {
    case PollVerdict::Outcome::kRunning:
      return Running(context, before, request, answer, verdict, track);
    case PollVerdict::Outcome::kNotFound:
      return NotFound(context, before, request, answer, verdict, track);
    case PollVerdict::Outcome::kUnreadable:
      return PollFailed(context, before, request, answer, verdict, track);
    default: break;
  }
  ++track->polls;
  track->failing.Reset();
  Transition transition = StartPoll(context, before, request, answer, verdict, *track);
  *track = PollTrack();
  if (verdict.outcome == PollVerdict::Outcome::kSucceeded)
    return Succeeded(context, verdict, outputs, std::move(transition));
  if (verdict.outcome == PollVerdict::Outcome::kFailed)
    return Failed(context, verdict, std::move(transition));
  return Canceled(context, std::move(transition));
}

}  // namespace

std::optional<Transition> PollStep(const StepContext& context, const OperationState& before,
                                   const RenderedRequest& request, const ExternalAnswer& answer,
                                   const PollVerdict& verdict, const Json& outputs,
                                   PollTrack* track) {
  std::optional<Transition> step =
      TakeAnswer(context, before, request, answer, verdict, outputs, track);
  if (step || before.row.hints == before.row.hints_answered) return step;
  // A callback is answered by the poll that it led to, whatever that told: or it would lead to the
  // next one at once.
  Transition answered = StartPoll(context, before, request, answer, verdict, *track);
  answered.attempt->error_class = ErrorClassName(verdict.failure.error_class);
  answered.attempt->message = verdict.failure.code + ": " + verdict.failure.message;
  return Seal(context, std::move(answered));
}

Transition FetchStep(const StepContext& context, const OperationState& before,
                     const ExternalAnswer& answer, const Json& outputs) {
  Transition transition = StartTransition(context, before, "Fetch");
  if (before.memo.fetch) Describe(*before.memo.fetch, answer, &transition);
  OperationMemo& memo = transition.next.memo;
  if (IsResult(answer)) {
    memo.outputs = outputs;
    Complete(context, state::kSucceeded, "", "", "", &transition);
    return Seal(context, std::move(transition));
  }
  // Without a Secret nobody was asked: no try that failed.
  const bool credentials = answer.code == kCredentialsMissing;
  if (!credentials) ++memo.fetch_failures;
  memo.code = answer.code;
  const std::string problem =
      answer.outcome == kube::Exchange::Outcome::kAnswered
          ? "the result could not be read: HTTP " + std::to_string(answer.status)
          : "the result could not be read: " + answer.error;
  transition.attempt->error_class = ErrorClassName(ErrorClass::kRecoverable);
  transition.attempt->message = problem;
  if (IsRefused(answer) && memo.fetch_failures >= kMaxFetchFailures) {
    // It did succeed; that its result cannot be read is said, and no reason to call it failed.
    Complete(context, state::kSucceeded, "", problem, "", &transition);
    return Seal(context, std::move(transition));
  }
  if (credentials && before.memo.code != memo.code) {
    transition.events.push_back({.warning = true,
                                 .reason = std::string(kCredentialsMissing),
                                 .message = BoundMessage(problem)});
  }
  memo.message = BoundMessage(problem);
  const Duration least =
      credentials ? kCredentialsCheck : answer.retry_after.value_or(Duration::zero());
  transition.next.row.next_attempt_at =
      context.now +
      std::max(least, RetryDelay(context.policy.retry, memo.fetch_failures, context.fraction));
  return Seal(context, std::move(transition));
}

Transition PostponeStep(const StepContext& context, const OperationState& before, Transition done,
                        std::optional<RenderedRequest> fetch, const std::string& why) {
  storage::OperationRow& row = done.next.row;
  OperationMemo& memo = done.next.memo;
  row.state = state::kFetching;
  row.completed_at.reset();
  std::erase_if(done.events, [](const EventDraft& event) {
    return event.reason == "Succeeded" || event.reason == "Deleted";
  });
  const bool told =
      before.memo.code == kSecretNotWritten && before.memo.message == BoundMessage(why);
  memo.fetch = std::move(fetch);
  ++memo.fetch_failures;
  memo.code = kSecretNotWritten;
  memo.message = BoundMessage(why);
  row.next_attempt_at =
      context.now + RetryDelay(context.policy.retry, memo.fetch_failures, context.fraction);
  if (!told) {
    AddFailure(&memo, {.code = std::string(kSecretNotWritten),
                       .message = memo.message,
                       .class_name = std::string(ErrorClassName(ErrorClass::kRecoverable)),
                       .http_status = 0,
                       .attempt = row.attempt,
                       .timestamp = context.now});
    done.events.push_back(
        {.warning = true, .reason = std::string(kSecretNotWritten), .message = memo.message});
  }
  if (done.attempt) {
    done.attempt->error_class = ErrorClassName(ErrorClass::kRecoverable);
    done.attempt->message = std::string(kSecretNotWritten) + ": " + why;
  }
  return Seal(context, std::move(done));
}

Transition SecretsKeptStep(const StepContext& context, const OperationState& before, bool lost) {
  Transition transition = StartTransition(context, before, "Secret");
  const std::string message =
      lost ? "the operation succeeded, and its outputs for Secrets are lost: they were in the "
             "answer to the submit alone, and the server was restarted before it could write them"
           : "";
  Complete(context, state::kSucceeded, "", message, "", &transition);
  if (lost)
    transition.events.push_back({.warning = true, .reason = "OutputsLost", .message = message});
  return Seal(context, std::move(transition));
}

Transition BeginCancelStep(const StepContext& context, const OperationState& before,
                           const std::string& reason) {
  Transition transition = StartTransition(context, before, "CancelIntent");
  transition.next.row.state = state::kCanceling;
  transition.next.row.next_attempt_at.reset();
  OperationMemo& memo = transition.next.memo;
  memo.cancel_reason = reason;
  memo.cancel_sent_at.reset();
  memo.cancel_failures = 0;
  memo.handled_cancel = AnnotationOf(context.operation.metadata, kCancelRequestedAt);
  transition.attempt->message = reason;
  if (reason == "CancelRequested") transition.attempt->message += ByWhom(context.operation);
  return Seal(context, std::move(transition));
}

Transition CancelStep(const StepContext& context, const OperationState& before,
                      const RenderedRequest& request, const ExternalAnswer& answer,
                      const Status& taken, PollTrack* track) {
  Transition transition = StartTransition(context, before, "Cancel");
  Describe(request, answer, &transition);
  OperationMemo& memo = transition.next.memo;
  track->due = Time::min();
  if (taken.ok()) {
    memo.cancel_sent_at = context.now;
    memo.message.clear();
    transition.next.row.next_attempt_at.reset();
    transition.attempt->message = "the external system took the cancel";
    return Seal(context, std::move(transition));
  }
  ++memo.cancel_failures;
  memo.message = BoundMessage("the cancel failed: " + taken.message());
  transition.attempt->message = memo.message;
  transition.attempt->error_class = ErrorClassName(ErrorClass::kRecoverable);
  transition.next.row.next_attempt_at =
      context.now + RetryDelay(context.policy.retry, memo.cancel_failures, context.fraction);
  return Seal(context, std::move(transition));
}

Transition FinishStep(const StepContext& context, const OperationState& before,
                      const action::Finish& finish) {
  Transition transition = StartTransition(context, before, "Finish");
  const bool resolved = !AnnotationOf(context.operation.metadata, kResolve).empty();
  if (resolved) transition.drop_annotation = kResolve;
  transition.next.memo.handled_cancel =
      AnnotationOf(context.operation.metadata, kCancelRequestedAt);
  transition.next.memo.handled_retry = AnnotationOf(context.operation.metadata, kRetryRequestedAt);
  if (finish.state == state::kFailed) {
    AddFailure(&transition.next.memo, DetailOf({.error_class = ErrorClass::kTerminal,
                                                .code = finish.code,
                                                .message = finish.message,
                                                .http_status = 0,
                                                .delay = {}},
                                               before.row.attempt, context.now));
  }
  Complete(context, finish.state, finish.code, finish.message, "TerminalError", &transition);
  if (resolved || finish.code == "CancelRequested")
    transition.attempt->message += ByWhom(context.operation);
  return Seal(context, std::move(transition));
}

Transition WakeStep(const StepContext& context, const OperationState& before, PollTrack* track) {
  Transition transition = StartTransition(context, before, "RetryRequested");
  transition.next.memo.handled_retry = AnnotationOf(context.operation.metadata, kRetryRequestedAt);
  transition.next.row.next_attempt_at.reset();
  transition.next.memo.resend_at.reset();
  transition.next.row.retry_count = 0;
  transition.next.row.poll_failures = 0;
  *track = PollTrack();
  transition.attempt->message = "retry requested" + ByWhom(context.operation);
  transition.events.push_back({.warning = false,
                               .reason = "RetryRequested",
                               .message = "retried on request" + ByWhom(context.operation)});
  return Seal(context, std::move(transition));
}

}  // namespace asyncops::reconciler
