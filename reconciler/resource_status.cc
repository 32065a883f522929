#include "reconciler/resource_status.h"

#include "reconciler/operation_conditions.h"

namespace asyncops::reconciler {
namespace {

std::string PhaseFor(const AsyncResource& resource, const AsyncOperation& operation) {
  if (resource.metadata.deletion_timestamp) return "Deleting";
  if (operation.status.phase == phase::kSucceeded) return "Ready";
  if (IsEnded(operation)) return "Failed";
  return operation.spec.type == kUpdate ? "Updating" : "Creating";
}

// A delete says of the thing's readiness that it goes, and nothing of how it was made.
void ProjectDeletion(const AsyncResource& resource, const OwnedOperation& subject,
                     const std::string& blocked, Time now, Conditions* conditions) {
  const Condition* ready = FindCondition(subject.operation.status.conditions, kReadyCondition);
  const bool about_it = subject.operation.spec.type == kDelete || !IsEnded(subject.operation);
  const std::int64_t generation = resource.metadata.generation;
  SetCondition(conditions,
               {.type = std::string(kReadyCondition),
                .status = std::string(kConditionFalse),
                .observed_generation = generation,
                .last_transition_time = now,
                .reason = "Deleting",
                .message = about_it && ready != nullptr ? ready->message : std::string()},
               now);
  if (blocked.empty()) return RemoveCondition(conditions, kDeletionBlockedCondition);
  const std::string reason =
      ready == nullptr || ready->reason.empty() ? "DeleteFailed" : ready->reason;
  SetCondition(conditions,
               {.type = std::string(kDeletionBlockedCondition),
                .status = std::string(kConditionTrue),
                .observed_generation = generation,
                .last_transition_time = now,
                .reason = reason,
                .message = blocked},
               now);
}

void CopyConditions(const OwnedOperation& subject, std::int64_t generation, Time now,
                    Conditions* conditions) {
  for (Condition condition : subject.operation.status.conditions) {
    // It tells what holds up the operation's own deletion.
    if (condition.type == kDeletionBlockedCondition) continue;
    condition.observed_generation = generation;
    SetCondition(conditions, std::move(condition), now);
  }
  for (const std::string_view type : {kThrottledCondition, kSharedCondition}) {
    if (FindCondition(subject.operation.status.conditions, type) == nullptr)
      RemoveCondition(conditions, type);
  }
}

// The failure stands, and so does its reason.
void SayHeld(const std::string& held, Time now, Conditions* conditions) {
  const Condition* ready = FindCondition(*conditions, kReadyCondition);
  if (ready == nullptr) return;
  Condition said = *ready;
  said.message = held;
  SetCondition(conditions, std::move(said), now);
}

}  // namespace

void ProjectResource(const AsyncResource& resource, const ResourceDecision& decision, Time now,
                     AsyncResourceStatus* status) {
  const OwnedOperation* subject = decision.subject;
  if (subject == nullptr) {
    if (status->phase == "Ready") status->observed_generation = resource.metadata.generation;
    return;
  }
  const AsyncOperation& operation = subject->operation;
  const bool ended = IsEnded(operation);
  const bool deleting = resource.metadata.deletion_timestamp.has_value();
  status->phase = PhaseFor(resource, operation);
  // Where nothing is left to do, the newest generation is the one that was seen; it may differ from
  // the operation's in what makes no difference outside.
  const bool settled = ended && operation.status.phase == phase::kSucceeded;
  const std::int64_t generation =
      settled || deleting ? resource.metadata.generation : subject->generation;
  status->observed_generation = generation;
  status->retry_count = operation.status.retry_count;
  status->next_attempt_time = operation.status.next_attempt_time;
  status->progress = operation.status.progress;
  if (!operation.status.operation_id.empty())
    status->last_async_operation_id = operation.status.operation_id;
  if (!operation.status.external_system_url.empty())
    status->external_system_url = operation.status.external_system_url;
  status->failure_details = operation.status.failure_details;
  if (settled && operation.spec.type != kDelete && !operation.status.outputs.is_null())
    status->outputs = operation.status.outputs;
  status->current_operation_ref.reset();
  if (!ended) status->current_operation_ref = LocalObjectRef{.name = operation.metadata.name};
  if (deleting) {
    ProjectDeletion(resource, *subject, decision.deletion_blocked, now, &status->conditions);
  } else {
    CopyConditions(*subject, generation, now, &status->conditions);
    if (!decision.held.empty()) SayHeld(decision.held, now, &status->conditions);
  }
}

}  // namespace asyncops::reconciler
