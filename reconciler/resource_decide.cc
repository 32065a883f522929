#include "reconciler/resource_decide.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "reconciler/annotations.h"
#include "reconciler/explain.h"
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

// What the operation has heard of: of a delete that we tried again it stands behind our own value.
std::string_view Heard(const OwnedOperation& owned) {
  const std::string_view heard = AnnotationOf(owned.operation.metadata, kRetryRequestedAt);
  if (!heard.starts_with(kDeleteRetry)) return heard;
  const std::size_t space = heard.find(' ');
  return space == std::string_view::npos ? std::string_view() : heard.substr(space + 1);
}

// A retry that the resource's user asked for and this operation has not heard of.
std::string_view RetryFor(const AsyncResource& resource, const OwnedOperation& owned) {
  const std::string_view asked = AnnotationOf(resource.metadata, kRetryRequestedAt);
  return asked == Heard(owned) ? std::string_view() : asked;
}

// Our value for the nth try of a delete, with what the user asked for last.
std::string DeleteRetry(const AsyncResource& resource, int tries) {
  const std::string_view asked = AnnotationOf(resource.metadata, kRetryRequestedAt);
  std::string value = std::string(kDeleteRetry) + std::to_string(tries);
  if (!asked.empty()) value.append(" ").append(asked);
  return value;
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

ResourceDecision Release(const OwnedOperation* subject) {
  ResourceDecision decision;
  decision.kind = Kind::kRelease;
  decision.subject = subject;
  return decision;
}

// Something is left behind outside, and whatever still runs for it is given up.
ResourceDecision Abandon(const OwnedOperation* subject, bool forced, std::string message) {
  ResourceDecision decision;
  decision.kind = Kind::kAbandon;
  decision.subject = subject;
  decision.event =
      EventDraft{.warning = forced, .reason = "Orphaned", .message = std::move(message)};
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

std::string WaysOut(const AsyncResource& resource) {
  const std::string name = "asyncresource/" + resource.metadata.name;
  const std::string kubectl = "kubectl -n " + resource.metadata.namespace_name;
  return ". To leave behind what is outside: " + kubectl + " annotate " + name + " " +
         std::string(kForceDelete) + "=true, or set spec.deletionPolicy to Orphan";
}

// The delete failed: it is tried again for ever, ever more slowly, and at once when asked.
ResourceDecision RetryDelete(const AsyncResource& resource, const OwnedOperation& owned, Time now,
                             double fraction) {
  const int next = DeleteTries(owned) + 1;
  const std::string request = DeleteRetry(resource, next);
  const AsyncOperationStatus& status = owned.operation.status;
  // A clock that went back meanwhile must not put the next try off.
  const Time ended = std::min(status.completion_time.value_or(now), now);
  const Time due =
      ended + kStatusTick + RetryDelay(resource.spec.retry.value_or(RetryPolicy()), next, fraction);
  const bool now_please = !RetryFor(resource, owned).empty();
  ResourceDecision decision =
      due <= now || now_please ? Ask(Kind::kRetry, &owned, request) : Follow(&owned);
  const Condition* ready = FindCondition(status.conditions, "Ready");
  decision.deletion_blocked = "the delete failed" +
                              (ready == nullptr ? std::string() : ": " + ready->message) +
                              "; correct spec.delete, which makes a new one" + WaysOut(resource);
  if (due > now) decision.again = due;
  return decision;
}

// What it is that the delete of it, or what ran before, waits for; "" where it simply goes on.
std::string Obstacle(const AsyncResource& resource, const OwnedOperation& active, Time now) {
  const AsyncOperation& operation = active.operation;
  const std::string name = "AsyncOperation " + operation.metadata.name;
  if (operation.status.state == state::kOutcomeUnknown)
    return name + " is in OutcomeUnknown: resolve it" + WaysOut(resource);
  if (now < *resource.metadata.deletion_timestamp + kDeletionPatience) return "";
  const Condition* ready = FindCondition(operation.status.conditions, "Ready");
  std::string text = "the deletion waits for " + name + WaysOut(resource);
  if (ready != nullptr) text += ". Of the operation is said: " + ready->message;
  return BoundMessage(text);
}

// An operation is under way while the resource is under deletion.
ResourceDecision FollowInDeletion(const AsyncResource& resource, const OwnedOperation& active,
                                  Time now) {
  const bool deletes = IsDelete(active);
  const bool asked = !AnnotationOf(active.operation.metadata, kCancelRequestedAt).empty();
  ResourceDecision decision = Follow(&active);
  if (!deletes && !asked) {
    decision = Ask(Kind::kCancel, &active, kResourceDeleted);
  } else if (const std::string_view retry = RetryFor(resource, active); !retry.empty()) {
    const int tries = DeleteTries(active);
    decision =
        Ask(Kind::kRetry, &active, tries == 0 ? std::string(retry) : DeleteRetry(resource, tries));
  }
  decision.deletion_blocked = Obstacle(resource, active, now);
  const Time told = *resource.metadata.deletion_timestamp + kDeletionPatience;
  if (decision.deletion_blocked.empty() && now < told) decision.again = told;
  return decision;
}

bool IsForced(const AsyncResource& resource) {
  return AnnotationOf(resource.metadata, kForceDelete) == "true";
}

ResourceDecision DecideDeletion(const AsyncResource& resource, const Operations& operations,
                                Time now, double fraction) {
  const OwnedOperation* active = FindActive(operations);
  const OwnedOperation* last = operations.empty() ? nullptr : &operations.back();
  if (IsForced(resource) && (active != nullptr || MayExist(resource, operations))) {
    return Abandon(last, true,
                   "deleted by force: what there may be outside is left behind (" +
                       std::string(kForceDelete) + ")");
  }
  if (resource.spec.deletion_policy == "Orphan" && MayExist(resource, operations))
    return Abandon(last, false, "left behind outside: spec.deletionPolicy is Orphan");
  if (active != nullptr) return FollowInDeletion(resource, *active, now);
  const bool failed = last != nullptr && IsDelete(*last) && !Succeeded(*last);
  // What failed would fail again as it was declared; what was declared since has its own try.
  if (failed && resource.metadata.generation <= last->generation)
    return RetryDelete(resource, *last, now, fraction);
  if (last != nullptr && IsDelete(*last) && !failed) return Release(last);
  if (!MayExist(resource, operations)) return Release(last);
  if (!resource.spec.delete_step)
    return Abandon(last, false, "left behind outside: there is no spec.delete");
  return Start(kDelete, last);
}

// Another one beside what may still run would make a second thing: first a person says how that
// went, as for any operation of unknown outcome.
ResourceDecision HoldFor(const OwnedOperation& last) {
  ResourceDecision decision = Follow(&last);
  decision.held = "a newer generation waits: AsyncOperation " + last.operation.metadata.name +
                  " ended without an answer, and may still run outside. Annotate this "
                  "AsyncResource with " +
                  std::string(kRetryRequestedAt) + "=\"$(date +%s)\", and resolve the operation";
  return decision;
}

// Its last operation ended, and it is not to be deleted.
ResourceDecision DecideEnded(const AsyncResource& resource, const Operations& operations) {
  const OwnedOperation& last = operations.back();
  const OwnedOperation* success = LastSuccess(operations);
  const bool newer = resource.metadata.generation > last.generation;
  if (!Succeeded(last)) {
    const bool starts = newer && (success == nullptr || resource.spec.update);
    const std::string_view retry = RetryFor(resource, last);
    if (starts && last.may_run && retry.empty()) return HoldFor(last);
    if (starts && !last.may_run) return Start(success == nullptr ? kCreate : kUpdate, &last);
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
