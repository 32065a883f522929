#include "reconciler/resource_decide.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "base/rfc3339.h"
#include "reconciler/annotations.h"
#include "reconciler/operation_states.h"
#include "reconciler/retry.h"

namespace asyncops::reconciler {
namespace {

using Kind = ResourceDecision::Kind;
using Operations = std::vector<OwnedOperation>;

// The value by which we ask a failed delete for another try; the number is that of the try.
constexpr std::string_view kDeleteRetry = "delete-retry-";
// Times in status are cut to this: the true end may be as much later.
constexpr Duration kStatusTick = std::chrono::seconds(1);

bool Succeeded(const OwnedOperation& owned) {
  return owned.operation.status.phase == phase::kSucceeded;
}

bool IsDelete(const OwnedOperation& owned) { return owned.operation.spec.type == kDelete; }

const OwnedOperation* FindActive(const Operations& operations) {
  for (const OwnedOperation& owned : operations) {
    if (!IsEnded(owned.operation)) return &owned;
  }
  return nullptr;
}

const OwnedOperation* LastSuccess(const Operations& operations) {
  const OwnedOperation* last = nullptr;
  for (const OwnedOperation& owned : operations) {
    if (Succeeded(owned) && !IsDelete(owned)) last = &owned;
  }
  return last;
}

std::string_view AnnotationOf(const ObjectMeta& meta, std::string_view name) {
  const auto it = meta.annotations.find(name);
  return it == meta.annotations.end() ? std::string_view() : it->second;
}

// A retry that the resource's user asked for and this operation has not heard of.
std::string_view RetryFor(const AsyncResource& resource, const OwnedOperation& owned) {
  const std::string_view asked = AnnotationOf(resource.metadata, kRetryRequestedAt);
  return asked == AnnotationOf(owned.operation.metadata, kRetryRequestedAt) ? std::string_view()
                                                                            : asked;
}

ResourceDecision Follow(const OwnedOperation* subject) {
  ResourceDecision decision;
  decision.subject = subject;
  return decision;
}

ResourceDecision Start(std::string_view type, const OwnedOperation* subject) {
  ResourceDecision decision;
  decision.kind = Kind::kStart;
  decision.type = type;
  decision.subject = subject;
  return decision;
}

ResourceDecision Ask(Kind kind, const OwnedOperation* subject, std::string_view request) {
  ResourceDecision decision;
  decision.kind = kind;
  decision.subject = subject;
  decision.request = request;
  return decision;
}

ResourceDecision Release(const OwnedOperation* subject, std::string reason, std::string message) {
  ResourceDecision decision;
  decision.kind = Kind::kRelease;
  decision.subject = subject;
  if (!reason.empty())
    decision.event =
        EventDraft{.warning = false, .reason = std::move(reason), .message = std::move(message)};
  return decision;
}

// Its operations may have been deleted by hand; then status is what is left to go by.
bool StatusSaysItExists(const AsyncResourceStatus& status) {
  const bool outputs = status.outputs.is_object() && !status.outputs.as_object().empty();
  return outputs || status.phase == "Ready" || status.phase == "Updating" ||
         status.phase == "Deleting";
}

bool MayExist(const AsyncResource& resource, const Operations& operations) {
  for (const OwnedOperation& owned : operations) {
    if (!IsDelete(owned) && owned.may_exist) return true;
  }
  return operations.empty() && StatusSaysItExists(resource.status);
}

int DeleteTries(const OwnedOperation& owned) {
  const std::string_view asked = AnnotationOf(owned.operation.metadata, kRetryRequestedAt);
  int tries = 0;
  if (asked.starts_with(kDeleteRetry)) {
    const std::string_view number = asked.substr(kDeleteRetry.size());
    std::from_chars(number.data(), number.data() + number.size(), tries);
  }
  return tries;
}

// The delete failed: it is tried again for ever, ever more slowly, and at once when asked.
ResourceDecision RetryDelete(const AsyncResource& resource, const OwnedOperation& owned, Time now,
                             double fraction) {
  const int next = DeleteTries(owned) + 1;
  const std::string request = std::string(kDeleteRetry) + std::to_string(next);
  const AsyncOperationStatus& status = owned.operation.status;
  const Time ended = status.completion_time.value_or(now);
  const Time due =
      ended + kStatusTick + RetryDelay(resource.spec.retry.value_or(RetryPolicy()), next, fraction);
  const std::string_view asked = AnnotationOf(resource.metadata, kRetryRequestedAt);
  const std::optional<Time> asked_at = ParseTime(asked);
  const bool now_please = asked_at && *asked_at > ended;
  ResourceDecision decision =
      due <= now || now_please ? Ask(Kind::kRetry, &owned, request) : Follow(&owned);
  const Condition* ready = FindCondition(status.conditions, "Ready");
  decision.deletion_blocked =
      "the delete failed" + (ready == nullptr ? std::string() : ": " + ready->message) +
      "; correct spec.delete, which makes a new one, or set spec.deletionPolicy to Orphan to leave "
      "the thing outside behind";
  if (due > now) decision.again = due;
  return decision;
}

ResourceDecision DecideDeletion(const AsyncResource& resource, const Operations& operations,
                                Time now, double fraction) {
  const OwnedOperation* active = FindActive(operations);
  const OwnedOperation* last = operations.empty() ? nullptr : &operations.back();
  if (resource.spec.deletion_policy == "Orphan" && MayExist(resource, operations))
    return Release(last, "Orphaned", "left behind outside: spec.deletionPolicy is Orphan");
  if (active != nullptr && !IsDelete(*active)) {
    const bool asked = !AnnotationOf(active->operation.metadata, kCancelRequestedAt).empty();
    ResourceDecision decision =
        asked ? Follow(active) : Ask(Kind::kCancel, active, "resource-deleted");
    if (active->operation.status.state == state::kOutcomeUnknown) {
      decision.deletion_blocked = "operation " + active->operation.metadata.name +
                                  " is in OutcomeUnknown: resolve it, or set "
                                  "spec.deletionPolicy to Orphan";
    }
    return decision;
  }
  if (active != nullptr) return Follow(active);
  const bool failed = last != nullptr && IsDelete(*last) && !Succeeded(*last);
  // What failed would fail again as it was declared; what was declared since has its own try.
  if (failed && resource.metadata.generation <= last->generation)
    return RetryDelete(resource, *last, now, fraction);
  if (last != nullptr && IsDelete(*last) && !failed) return Release(last, "", "");
  if (!MayExist(resource, operations)) return Release(last, "", "");
  if (!resource.spec.delete_step)
    return Release(last, "Orphaned", "left behind outside: there is no spec.delete");
  return Start(kDelete, last);
}

// Its last operation ended, and it is not to be deleted.
ResourceDecision DecideEnded(const AsyncResource& resource, const Operations& operations) {
  const OwnedOperation& last = operations.back();
  const OwnedOperation* success = LastSuccess(operations);
  const bool newer = resource.metadata.generation > last.generation;
  if (!Succeeded(last)) {
    if (newer && success == nullptr) return Start(kCreate, &last);
    if (newer && resource.spec.update) return Start(kUpdate, &last);
    const std::string_view retry = RetryFor(resource, last);
    return retry.empty() ? Follow(&last) : Ask(Kind::kRetry, &last, retry);
  }
  const bool differs = !(resource.spec.parameters == last.operation.spec.parameters);
  if (newer && differs && resource.spec.update) return Start(kUpdate, &last);
  return Follow(&last);
}

}  // namespace

ResourceDecision DecideResource(const AsyncResource& resource, const Operations& operations,
                                Time now, double fraction) {
  if (resource.metadata.deletion_timestamp)
    return DecideDeletion(resource, operations, now, fraction);
  if (const OwnedOperation* active = FindActive(operations)) {
    const std::string_view retry = RetryFor(resource, *active);
    return retry.empty() ? Follow(active) : Ask(Kind::kRetry, active, retry);
  }
  if (!operations.empty()) return DecideEnded(resource, operations);
  const AsyncResourceStatus& status = resource.status;
  if (!StatusSaysItExists(status)) return Start(kCreate, nullptr);
  const bool newer = resource.metadata.generation > status.observed_generation;
  return newer && resource.spec.update ? Start(kUpdate, nullptr) : Follow(nullptr);
}

Json LastOutputs(const AsyncResource& resource, const Operations& operations) {
  const OwnedOperation* last = LastSuccess(operations);
  return last == nullptr ? resource.status.outputs : last->operation.status.outputs;
}

}  // namespace asyncops::reconciler
