#include "reconciler/decide.h"

#include <algorithm>
#include <chrono>

#include "reconciler/annotations.h"
#include "reconciler/operation_states.h"
#include "reconciler/secret_outputs.h"
#include "reconciler/secret_wait.h"

namespace asyncops::reconciler {
namespace {

// A cancel that was taken but never shows in a poll ends here.
constexpr Duration kCancelGrace = std::chrono::minutes(5);
// A cancel that fails this often is given up; the operation is followed to its own end.
constexpr int kMaxCancelFailures = 3;

bool IsDeleting(const Situation& in) {
  return in.operation.metadata.deletion_timestamp.has_value();
}

bool Asked(const Situation& in, std::string_view annotation, const std::string& handled) {
  const std::string_view value = AnnotationOf(in.operation.metadata, annotation);
  return !value.empty() && value != handled;
}

bool RetryAsked(const Situation& in) { return Asked(in, kRetryRequestedAt, in.memo.handled_retry); }

bool CancelAsked(const Situation& in) {
  return Asked(in, kCancelRequestedAt, in.memo.handled_cancel);
}

std::optional<Time> Deadline(const Situation& in) {
  if (in.policy == nullptr) return DeadlineOf(in.operation, in.memo.start_time);
  if (!in.memo.start_time || in.policy->active_deadline <= Duration::zero()) return std::nullopt;
  return *in.memo.start_time + in.policy->active_deadline;
}

bool DeadlinePassed(const Situation& in) {
  const std::optional<Time> deadline = Deadline(in);
  return deadline && in.now >= *deadline;
}

Action WaitUntil(const Situation& in, Time until) {
  const std::optional<Time> deadline = Deadline(in);
  return action::Wait{deadline ? std::min(*deadline, until) : until};
}

bool HasFinalizer(const Situation& in, std::string_view finalizer) {
  const std::vector<std::string>& held = in.operation.metadata.finalizers;
  return std::find(held.begin(), held.end(), finalizer) != held.end();
}

// An operation of an AsyncResource goes by force only once the resource lets it: it would make
// another one.
bool IsForced(const Situation& in) {
  return IsDeleting(in) && AnnotationOf(in.operation.metadata, kForceDelete) == "true" &&
         !HasFinalizer(in, kTrackingFinalizer);
}

// Whether it is deleted at once, whatever else is asked.
bool Goes(const Situation& in) {
  if (!IsDeleting(in)) return false;
  return in.row == nullptr || state::IsFinal(in.row->state) || in.row->state == state::kBackoff;
}

Action Suspended() {
  return action::Block{{"Suspended", "spec.suspend is true: nothing new is sent"}};
}

Action DeadlineExceeded() {
  return action::Finish{state::kFailed, "DeadlineExceeded",
                        "the operation did not end within spec.activeDeadline"};
}

Action NoProtocol(const Situation& in) {
  const bool ended = in.row == nullptr || state::IsFinal(in.row->state);
  if (!in.hopeless)
    return !ended && DeadlinePassed(in) ? DeadlineExceeded() : action::Block{in.problem};
  return action::Finish{state::kFailed, in.problem.reason, in.problem.message};
}

Action DecidePending(const Situation& in) {
  if (IsDeleting(in)) return action::Remove{};
  if (CancelAsked(in))
    return action::Finish{state::kCanceled, "CancelRequested", "cancelled before it was sent"};
  if (in.operation.spec.suspend) return Suspended();
  if (in.policy == nullptr) return NoProtocol(in);
  return action::Submit{};
}

Action DecideFinal(const Situation& in) {
  if (IsDeleting(in)) return action::Remove{};
  if (in.row->state != state::kSucceeded && RetryAsked(in)) {
    if (in.operation.spec.suspend) return Suspended();
    if (in.policy == nullptr) return NoProtocol(in);
    // A new submission beside one that runs would make a second thing.
    if (EndedInDoubt(*in.row, in.memo))
      return action::Park{"its deadline passed, and it may still run outside"};
    return action::Submit{.reset = true};
  }
  if (!in.operation.spec.ttl_after_finished || !in.completed) return action::Nothing{};
  const Time end = *in.completed + *in.operation.spec.ttl_after_finished;
  return end <= in.now ? Action(action::Remove{}) : action::Wait{end};
}

Action DecideAdopt(std::string_view resolve) {
  const bool force = resolve.starts_with(kForceAdoptPrefix);
  const std::string_view id =
      resolve.substr(force ? kForceAdoptPrefix.size() : kAdoptPrefix.size());
  if (id.empty())
    return action::Refuse{kResolve, "Adopt names no operation ID: write Adopt:OPERATION-ID"};
  return action::Adopt{.operation_id = std::string(id), .force = force};
}

Action DecideParked(const Situation& in) {
  const std::string_view resolve = AnnotationOf(in.operation.metadata, kResolve);
  // Who asks for a retry did not see it; after the deadline it would be given up, which is for a
  // person to say.
  const bool open = resolve.empty() || resolve == "Retry";
  if (open && !in.told_id.empty() && in.policy != nullptr && !DeadlinePassed(in))
    return action::Adopt{.operation_id = in.told_id, .told = true};
  if (resolve.empty()) return action::Nothing{};
  if (resolve == "Fail") {
    return action::Finish{state::kFailed, "OutcomeUnknown",
                          "resolved as failed: it was unknown whether the submit took effect"};
  }
  if (resolve.starts_with(kAdoptPrefix) || resolve.starts_with(kForceAdoptPrefix))
    return DecideAdopt(resolve);
  if (resolve != "Retry") {
    return action::Refuse{kResolve,
                          "the value is none of Retry, Adopt:OPERATION-ID, "
                          "ForceAdopt:OPERATION-ID and Fail"};
  }
  if (IsDeleting(in))
    return action::Finish{state::kCanceled, "CancelRequested", "deleted, and nothing runs outside"};
  return in.policy == nullptr ? NoProtocol(in) : action::Submit{.reset = true};
}

// What users ask for and this state has no use for; nothing where there is no such request.
std::optional<Action> RefuseRequest(const Situation& in) {
  const std::string_view state = in.row == nullptr ? state::kPending : in.row->state;
  const bool parked = state == state::kOutcomeUnknown;
  if (!parked && !AnnotationOf(in.operation.metadata, kResolve).empty()) {
    return action::Refuse{
        kResolve, "only OutcomeUnknown can be resolved; the state is " + std::string(state)};
  }
  if (in.row == nullptr) return std::nullopt;
  const std::string resolve_first = "it is unknown whether it runs outside: resolve that first";
  if (RetryAsked(in) && parked) return action::Refuse{kRetryRequestedAt, resolve_first};
  if (RetryAsked(in) && state == state::kSucceeded)
    return action::Refuse{kRetryRequestedAt, "the operation has succeeded"};
  // What the resource asks for when it goes may come late, and hurts nobody.
  if (!CancelAsked(in) ||
      AnnotationOf(in.operation.metadata, kCancelRequestedAt) == kResourceDeleted)
    return std::nullopt;
  if (parked) return action::Refuse{kCancelRequestedAt, resolve_first};
  if (state::IsFinal(state))
    return action::Refuse{kCancelRequestedAt, "the operation is over: " + std::string(state)};
  if (state == state::kFetching)
    return action::Refuse{kCancelRequestedAt,
                          "it has succeeded outside, and its result is being read"};
  return std::nullopt;
}

// What it waits for may have come: a Secret or the ExternalSystem changed.
bool IsMended(const Situation& in) {
  if (!in.nudged || in.memo.code.empty()) return false;
  const bool failed = !in.memo.failures.empty();
  return AwaitsSecret(in.memo.code, failed ? in.memo.failures.front().http_status : 0);
}

Action DecideBackoff(const Situation& in) {
  if (CancelAsked(in))
    return action::Finish{state::kCanceled, "CancelRequested", "cancelled between two attempts"};
  if (in.operation.spec.suspend) return Suspended();
  if (in.policy == nullptr) return NoProtocol(in);
  const bool mended = IsMended(in);
  const action::Submit submit{
      .same_submission = in.memo.not_sent, .reset = RetryAsked(in), .mended = mended};
  if (submit.reset) return submit;
  if (DeadlinePassed(in)) return DeadlineExceeded();
  const bool due = !in.row->next_attempt_at || *in.row->next_attempt_at <= in.now;
  // What could not be reached may be there now, but nothing says that it is: the tiers go on.
  if (due || mended || (in.nudged && in.memo.not_sent)) return submit;
  return WaitUntil(in, *in.row->next_attempt_at);
}

Action DecideUnknown(const Situation& in) {
  if (!in.told_id.empty()) return action::Adopt{.operation_id = in.told_id, .told = true};
  if (in.policy->park_on_unknown)
    return action::Park{
        "the answer to the submit was lost, and the external system offers "
        "neither an idempotency key that still holds nor a look-up"};
  return action::Finish{state::kFailed, "OutcomeUnknown",
                        "it is unknown whether the submit took effect"};
}

Action DecideRecovering(const Situation& in) {
  if (in.policy == nullptr && in.hopeless) return action::Park{in.problem.message};
  if (in.policy == nullptr && !DeadlinePassed(in)) return action::Block{in.problem};
  if (DeadlinePassed(in)) {
    if (in.policy != nullptr && !in.policy->park_on_unknown) return DeadlineExceeded();
    return action::Park{
        "spec.activeDeadline passed before it was known whether the submit took "
        "effect"};
  }
  const bool fresh = in.row->state == state::kIntent;
  if (!fresh && in.row->next_attempt_at && *in.row->next_attempt_at > in.now && !IsMended(in))
    return in.operation.spec.suspend ? Suspended() : WaitUntil(in, *in.row->next_attempt_at);
  const action::Lookup lookup{.mended = IsMended(in)};
  if (in.policy->has_lookup && in.memo.exists) return lookup;
  if (KeyHolds(*in.row, *in.policy, in.now))
    return in.operation.spec.suspend ? Suspended() : action::Resend{};
  if (in.policy->has_lookup) return lookup;
  return DecideUnknown(in);
}

// A callback asks for a poll now; one that the system turns away would help nobody.
bool IsHinted(const Situation& in) {
  if (in.row->hints <= in.row->hints_answered) return false;
  return !in.memo.throttled_until || *in.memo.throttled_until <= in.now;
}

Action DecidePoll(const Situation& in) {
  if (IsHinted(in) || !in.poll_due || *in.poll_due <= in.now) return action::Poll{};
  return IsMended(in) ? Action(action::Poll{}) : WaitUntil(in, *in.poll_due);
}

Action DecideFollowing(const Situation& in) {
  if (in.policy == nullptr) return NoProtocol(in);
  if (in.can_cancel && in.memo.cancel_reason.empty()) {
    if (CancelAsked(in) || in.memo.cancel_refused) return action::BeginCancel{"CancelRequested"};
    if (IsDeleting(in)) return action::BeginCancel{"Deleted"};
    if (DeadlinePassed(in)) return action::BeginCancel{"DeadlineExceeded"};
  }
  if (DeadlinePassed(in)) return DeadlineExceeded();
  if (CancelAsked(in) && !in.can_cancel && !in.memo.cancel_refused) {
    return action::Refuse{kCancelRequestedAt,
                          "the declaration has no cancel, so it cannot be stopped outside: it is "
                          "followed to its own end, or until spec.activeDeadline"};
  }
  return DecidePoll(in);
}

Action DecideCanceling(const Situation& in) {
  if (in.policy == nullptr) return NoProtocol(in);
  if (!in.memo.cancel_sent_at && in.memo.cancel_failures < kMaxCancelFailures) {
    if (!in.row->next_attempt_at || *in.row->next_attempt_at <= in.now) return action::SendCancel{};
    return action::Wait{*in.row->next_attempt_at};
  }
  const bool over = !in.memo.cancel_sent_at || in.now >= *in.memo.cancel_sent_at + kCancelGrace;
  if (over && DeadlinePassed(in)) return DeadlineExceeded();
  if (IsHinted(in) || !in.poll_due || *in.poll_due <= in.now) return action::Poll{};
  return action::Wait{*in.poll_due};
}

Action DecideFetching(const Situation& in) {
  // Who lets it go does not wait for a Secret that is in the way.
  if (in.memo.code == kSecretNotWritten && (IsDeleting(in) || CancelAsked(in))) {
    return action::Finish{state::kSucceeded, "",
                          "the operation succeeded; its outputs are not written into Secrets, "
                          "since it is not wanted any more"};
  }
  if (in.policy == nullptr) return NoProtocol(in);
  if (DeadlinePassed(in)) return DeadlineExceeded();
  if (in.row->next_attempt_at && *in.row->next_attempt_at > in.now && !IsMended(in))
    return WaitUntil(in, *in.row->next_attempt_at);
  return action::Fetch{};
}

}  // namespace

bool IsCalledBack(const storage::OperationRow& row) {
  return row.operation_id.empty() && row.hints > 0;
}

bool KeyHolds(const storage::OperationRow& row, const Protocol::Policy& policy, Time now) {
  if (!policy.sends_key || row.idempotency_key.empty()) return false;
  // A request may take its whole timeout to arrive, and clocks differ; a short memory is not eaten
  // up by that.
  const Duration margin = std::min<Duration>(
      policy.key_ttl / 2, std::max<Duration>(std::chrono::minutes(1), 2 * policy.request_timeout));
  return now - row.intent_at < policy.key_ttl - margin;
}

bool EndedInDoubt(const storage::OperationRow& row, const OperationMemo& memo) {
  return memo.code == "DeadlineExceeded" && memo.maybe_started && row.remote_outcome.empty();
}

std::optional<Time> DeadlineOf(const AsyncOperation& operation, std::optional<Time> start) {
  const Duration deadline = operation.spec.active_deadline.value_or(kActiveDeadline);
  if (!start || deadline <= Duration::zero()) return std::nullopt;
  return *start + deadline;
}

Action Decide(const Situation& in) {
  if (IsForced(in)) return action::Remove{.forced = true};
  std::optional<Action> refused = Goes(in) ? std::nullopt : RefuseRequest(in);
  if (refused) return *std::move(refused);
  if (in.row == nullptr) return DecidePending(in);
  const std::string& state = in.row->state;
  if (!state::IsFinal(state) && in.operation.spec.suspend != in.memo.suspended)
    return action::TakeSuspend{};
  if (state::IsFinal(state)) return DecideFinal(in);
  if (state == state::kOutcomeUnknown) return DecideParked(in);
  if (state == state::kBackoff) return IsDeleting(in) ? action::Remove{} : DecideBackoff(in);
  if (RetryAsked(in)) return action::Wake{};
  if (state == state::kIntent || state == state::kRecovering) return DecideRecovering(in);
  if (state == state::kFetching) return DecideFetching(in);
  if (state == state::kCanceling) return DecideCanceling(in);
  return DecideFollowing(in);
}

}  // namespace asyncops::reconciler
