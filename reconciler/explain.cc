#include "reconciler/explain.h"

#include <utility>

#include "base/rfc3339.h"
#include "reconciler/annotations.h"
#include "reconciler/external_client.h"
#include "reconciler/operation_conditions.h"
#include "reconciler/operation_states.h"

namespace asyncops::reconciler {
namespace {

// Leaves room for the commands that follow.
constexpr std::size_t kMaxCause = 420;

std::string Cause(std::string_view text) {
  if (text.size() <= kMaxCause) return std::string(text);
  std::size_t end = kMaxCause;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "...";
}

// Code and message of what failed last; "" where nothing did.
std::string LastFailure(const OperationMemo& memo) {
  std::string text = memo.message;
  if (!memo.code.empty() && memo.code != state::kLookupNotSettled)
    text = memo.code + (text.empty() ? "" : ": " + text);
  return Cause(text);
}

std::string At(std::optional<Time> time) { return time ? " at " + FormatTime(*time) : " at once"; }

std::string RetryNow(const AsyncOperation& operation) {
  return ". To retry now: " +
         AnnotateCommand(operation, std::string(kRetryRequestedAt) + "=\"$(date +%s)\"");
}

// Whose spec.suspend counts: the operation of a resource takes the resource's.
std::string Resume(const AsyncOperation& operation) {
  const std::optional<ResourceRef>& owner = operation.spec.resource_ref;
  const bool owned = owner && operation.metadata.labels.contains(std::string(kResourceUidLabel));
  return "kubectl -n " + operation.metadata.namespace_name + " patch " +
         (owned ? "asyncresource/" + owner->name : "asyncoperation/" + operation.metadata.name) +
         " --type=merge -p '{\"spec\":{\"suspend\":false}}'";
}

std::string ExplainBlocked(const AsyncOperation& operation, const OperationState* state,
                           const Blocked& blocked) {
  if (blocked.reason == "Suspended") {
    std::string text = "spec.suspend is true: nothing is sent until it is false";
    if (state != nullptr) {
      const std::string failure = LastFailure(state->memo);
      const bool doubt = state->row.state == state::kRecovering;
      text += doubt ? ", and what was sent may run outside" : ", and nothing runs outside";
      if (!failure.empty()) text += " (" + failure + ")";
    }
    return text + ". To go on: " + Resume(operation);
  }
  if (blocked.reason == "ExternalSystemNotFound") {
    return blocked.message +
           ": it goes on by itself once that exists. Those that exist: kubectl -n " +
           operation.metadata.namespace_name + " get externalsystems";
  }
  return blocked.message;
}

std::string ExplainBackoff(const AsyncOperation& operation, const OperationState& state) {
  const storage::OperationRow& row = state.row;
  const OperationMemo& memo = state.memo;
  std::string text = "attempt " + std::to_string(row.attempt) + " of submission " +
                     std::to_string(row.submission) + " failed: " + LastFailure(memo);
  if (memo.code == kCredentialsMissing) {
    return text + ". It is sent as soon as that Secret is there; it is looked for again" +
           At(row.next_attempt_at) + RetryNow(operation);
  }
  if (memo.throttled_until) text += ". The external system asked for fewer requests";
  text += memo.not_sent ? ". It is sent again" : ". Nothing runs outside; it is submitted anew";
  text += At(row.next_attempt_at);
  if (row.retry_count > 0) text += " (retry " + std::to_string(row.retry_count) + ")";
  return text + RetryNow(operation);
}

std::string ExplainRecovering(const AsyncOperation& operation, const OperationState& state) {
  const storage::OperationRow& row = state.row;
  const std::string failure = LastFailure(state.memo);
  std::string text = "it is not known whether the submit took effect";
  if (!failure.empty()) text += " (" + failure + ")";
  if (state.memo.code == state::kLookupNotSettled || row.idempotency_key.empty()) {
    text += ". It is looked for outside" + At(row.next_attempt_at);
  } else {
    text +=
        ". The same request, with the same idempotency key, is sent again, or it is looked for, " +
        At(row.next_attempt_at).substr(1);
  }
  return text + ", so that nothing is made twice" + RetryNow(operation);
}

std::string Progress(const OperationState& state) {
  std::string text =
      state.row.operation_id.empty() ? std::string("it") : "operation " + state.row.operation_id;
  text += " runs outside";
  if (!state.memo.progress.empty()) text += ", progress " + state.memo.progress;
  return text + ", and is polled";
}

std::string ExplainRunning(const AsyncOperation& operation, const OperationState& state) {
  const OperationMemo& memo = state.memo;
  std::string text = Progress(state);
  if (memo.throttled_until) text += "; the external system asked for fewer requests";
  if (const std::string failure = LastFailure(memo); !failure.empty()) text += "; " + failure;
  if (memo.cancel_refused) {
    text +=
        ". It cannot be cancelled outside, since the declaration has no cancel, and is followed "
        "to its own end";
  }
  if (!memo.shared_with.empty())
    text += ". AsyncOperation " + memo.shared_with + " claims the same operation";
  if (const std::optional<Time> deadline = DeadlineOf(operation, memo.start_time))
    text += ". Its time is over" + At(deadline) + " (spec.activeDeadline)";
  if (memo.cancel_refused) return text;
  return text + ". To cancel it: " +
         AnnotateCommand(operation, std::string(kCancelRequestedAt) + "=\"$(date +%s)\"");
}

std::string ExplainCanceling(const AsyncOperation& operation, const OperationState& state) {
  const OperationMemo& memo = state.memo;
  std::string why = "because it is deleted";
  if (memo.cancel_reason == "CancelRequested") why = "as asked for" + ByWhom(operation);
  if (memo.cancel_reason == "DeadlineExceeded") why = "because spec.activeDeadline passed";
  if (memo.cancel_sent_at) {
    return "it is being cancelled outside " + why + "; the external system took the cancel" +
           At(memo.cancel_sent_at) + ", and is polled until it says how it ended";
  }
  std::string text = "it is to be cancelled outside " + why;
  if (!memo.message.empty()) text += "; " + Cause(memo.message);
  return text + ". The cancel is sent" + At(state.row.next_attempt_at);
}

std::string ExplainFetching(const AsyncOperation& operation, const OperationState& state) {
  std::string text = "it succeeded outside; its result is read" + At(state.row.next_attempt_at);
  const std::string failure = LastFailure(state.memo);
  return failure.empty() ? text : text + " (" + failure + ")" + RetryNow(operation);
}

// How a deletion by force is asked for, and what it means.
std::string ForceOut(const AsyncOperation& operation) {
  const std::vector<std::string>& held = operation.metadata.finalizers;
  for (const std::string& finalizer : held) {
    if (finalizer != kTrackingFinalizer || !operation.spec.resource_ref) continue;
    return ". It belongs to AsyncResource " + operation.spec.resource_ref->name +
           ": delete that, with annotation " + std::string(kForceDelete) +
           "=true to leave behind what is outside";
  }
  return ". To delete it now and leave behind what is outside: " +
         AnnotateCommand(operation, std::string(kForceDelete) + "=true");
}

std::string Obstacle(const AsyncOperation& operation, const OperationState& state,
                     const std::optional<Blocked>& blocked) {
  const std::string& name = state.row.state;
  if (name == state::kOutcomeUnknown)
    return "it is unknown whether the operation runs outside: resolve it first, as condition Ready "
           "says";
  if (blocked)
    return Cause(blocked->message) + ", so that nothing can be asked or cancelled outside";
  if (name == state::kRecovering || name == state::kIntent)
    return "it is being found out whether the operation runs outside";
  std::string text = "the operation still runs outside, and is followed to its end";
  if (name == state::kCanceling) text = "the cancel has not ended the operation outside yet";
  const std::optional<Time> deadline = DeadlineOf(operation, state.memo.start_time);
  return deadline ? text + ", until " + FormatTime(*deadline) + " at most" : text;
}

}  // namespace

std::string AnnotateCommand(const AsyncOperation& operation, std::string_view annotation) {
  return "kubectl -n " + operation.metadata.namespace_name +
         " annotate --overwrite asyncoperation/" + operation.metadata.name + " " +
         std::string(annotation);
}

std::string HowToResolve(const AsyncOperation& operation, const OperationState& state) {
  const storage::OperationRow& row = state.row;
  const std::string told = IsCalledBack(row) ? ". A callback says that it was started" : "";
  return BoundMessage(
      Cause(state.memo.message) + told + ". Look outside for correlation ID " + row.correlation_id +
      ", sent " + FormatTime(row.sent_at.value_or(row.intent_at)) +
      ". Then: " + AnnotateCommand(operation, kResolve) +
      "=Adopt:OPERATION-ID (it is there: the ID or the URL to poll), =Retry (it is not there: "
      "submit it again) or =Fail");
}

std::string Explain(const AsyncOperation& operation, const OperationState* state,
                    const std::optional<Blocked>& blocked) {
  if (blocked) return BoundMessage(ExplainBlocked(operation, state, *blocked));
  if (state == nullptr) return "";
  const std::string& name = state->row.state;
  std::string text;
  if (name == state::kBackoff) text = ExplainBackoff(operation, *state);
  if (name == state::kRecovering) text = ExplainRecovering(operation, *state);
  if (name == state::kSubmitted || name == state::kRunning)
    text = ExplainRunning(operation, *state);
  if (name == state::kCanceling) text = ExplainCanceling(operation, *state);
  if (name == state::kFetching) text = ExplainFetching(operation, *state);
  if (name == state::kOutcomeUnknown) return HowToResolve(operation, *state);
  return BoundMessage(text);
}

std::optional<Blocked> DeletionBlockOf(const AsyncOperation& operation, const OperationState* state,
                                       const std::optional<Blocked>& blocked, Time now) {
  const std::optional<Time>& deleted = operation.metadata.deletion_timestamp;
  if (!deleted || state == nullptr || state::IsFinal(state->row.state)) return std::nullopt;
  const bool parked = state->row.state == state::kOutcomeUnknown;
  if (!parked && now < *deleted + kDeletionPatience) return std::nullopt;
  return Blocked{parked    ? std::string(state::kOutcomeUnknown)
                 : blocked ? blocked->reason
                           : "StillRunning",
                 BoundMessage(Obstacle(operation, *state, blocked) + ForceOut(operation))};
}

std::optional<EventDraft> DeletionBlockEvent(const AsyncOperation& operation,
                                             const OperationState* state,
                                             const std::optional<Blocked>& blocked, Time now) {
  const std::optional<Blocked> block = DeletionBlockOf(operation, state, blocked, now);
  if (!block || FindCondition(operation.status.conditions, kDeletionBlockedCondition) != nullptr)
    return std::nullopt;
  return EventDraft{
      .warning = true, .reason = std::string(kDeletionBlockedCondition), .message = block->message};
}

}  // namespace asyncops::reconciler
