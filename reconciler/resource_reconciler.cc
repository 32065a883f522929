#include "reconciler/resource_reconciler.h"

#include <algorithm>
#include <utility>

#include "api/schema/binding.h"
#include "reconciler/annotations.h"
#include "reconciler/earlier_secrets.h"
#include "reconciler/events.h"
#include "reconciler/operation_conditions.h"
#include "reconciler/owner_epoch.h"
#include "reconciler/resource_status.h"

namespace asyncops::reconciler {
namespace {

using Kind = ResourceDecision::Kind;

ObjectName NameOf(const ObjectMeta& meta) {
  return {.namespace_name = meta.namespace_name, .name = meta.name};
}

bool Holds(const ObjectMeta& meta, std::string_view finalizer) {
  return std::find(meta.finalizers.begin(), meta.finalizers.end(), finalizer) !=
         meta.finalizers.end();
}

void AddResourceFinalizer(std::vector<std::string>* finalizers) {
  const std::string wanted(kResourceFinalizer);
  if (std::find(finalizers->begin(), finalizers->end(), wanted) == finalizers->end())
    finalizers->push_back(wanted);
}

void DropResourceFinalizer(std::vector<std::string>* finalizers) {
  std::erase(*finalizers, kResourceFinalizer);
}

// Whether the resource that made it is still its owner.
bool NamesItsResource(const AsyncOperation& operation) {
  const ObjectMeta& meta = operation.metadata;
  const std::string& uid = meta.labels.at(std::string(kResourceUidLabel));
  return std::any_of(meta.owner_references.begin(), meta.owner_references.end(),
                     [&uid](const OwnerReference& owner) { return owner.uid == uid; });
}

// Gone meanwhile is as good as done.
Status Unless(Status status, Reason reason) {
  return status.reason() == reason ? Status::Ok() : status;
}

core::ObjectReference ReferenceTo(const AsyncResource& resource) {
  core::ObjectReference reference;
  reference.api_version = "asyncops.dev/v1alpha1";
  reference.kind = "AsyncResource";
  reference.namespace_name = resource.metadata.namespace_name;
  reference.name = resource.metadata.name;
  reference.uid = resource.metadata.uid;
  return reference;
}

}  // namespace

ResourceReconciler::Next ResourceReconciler::Reconcile(const ObjectName& name) {
  // What goes through the resources' own API is not fenced by a transaction of ours.
  ASYNCOPS_RETURN_IF_ERROR(CheckOwnership(parts_.store, owner_.epoch));
  const Result<AsyncResource> resource = parts_.resources.GetResource(name);
  if (!resource.ok()) {
    if (resource.status().reason() != Reason::kNotFound) return resource.status();
    return ReconcileGone(name, "");
  }
  const Result<std::vector<OwnedOperation>> operations =
      ListOwned(parts_.store, name, resource->metadata.uid);
  if (!operations.ok()) return operations.status();
  // An earlier resource of this name may have left some.
  if (operations->empty()) {
    const Next gone = ReconcileGone(name, resource->metadata.uid);
    if (!gone.ok()) return gone;
  }
  const ObjectMeta& meta = resource->metadata;
  if (meta.deletion_timestamp && !Holds(meta, kResourceFinalizer)) {
    // Our part of the deletion is over; it waits for others. What it owns may be gone already,
    // which must not look as if nothing had been deleted yet.
    const Status released = ReleaseOperations(*resource, *operations);
    if (!released.ok() && released.reason() != Reason::kNotFound) return released;
    return std::optional<Time>();
  }
  const Time now = parts_.clock.Now();
  const ResourceDecision decision =
      DecideResource(*resource, *operations, now, parts_.ids.Fraction());
  Status done = Execute(*resource, decision, *operations);
  const bool leaves = decision.kind == Kind::kRelease || decision.kind == Kind::kAbandon;
  if (done.ok() && !leaves) done = Show(*resource, decision, now);
  if (done.ok()) done = ReleaseOperations(*resource, *operations);
  // What went or moved on meanwhile makes a change that brings us back.
  if (done.reason() == Reason::kNotFound) return std::optional<Time>();
  if (done.reason() == Reason::kConflict) return std::optional<Time>(Time::min());
  if (!done.ok()) return done;
  return decision.again;
}

// The operations of a resource that is no more go with it, as the garbage collector of a cluster
// has it; what still runs comes to its end first.
ResourceReconciler::Next ResourceReconciler::ReconcileGone(const ObjectName& name,
                                                           const std::string& present_uid) {
  const Result<std::vector<AsyncOperation>> left = ListNamesakes(parts_.store, name);
  if (!left.ok()) return left.status();
  for (const AsyncOperation& operation : *left) {
    if (operation.metadata.labels.at(std::string(kResourceUidLabel)) == present_uid) continue;
    // Those that were orphaned stay.
    if (!operation.metadata.deletion_timestamp && NamesItsResource(operation))
      ASYNCOPS_RETURN_IF_ERROR(Unless(writer_.RequestDeletion(operation), Reason::kNotFound));
    ASYNCOPS_RETURN_IF_ERROR(DropTracking(operation));
  }
  return std::optional<Time>();
}

Result<bool> ResourceReconciler::CreateOperation(const AsyncOperation& made) {
  const FaultScope scope(parts_.faults, FaultPoint::Kind::kWrite, "CreateOperation");
  return writer_.Create(made, {});
}

Status ResourceReconciler::DropTracking(const AsyncOperation& operation) {
  const FaultScope scope(parts_.faults, FaultPoint::Kind::kWrite, "DropTracking");
  return Unless(writer_.DropFinalizer(operation, kTrackingFinalizer), Reason::kNotFound);
}

Status ResourceReconciler::Start(const AsyncResource& resource, const ResourceDecision& decision,
                                 const std::vector<OwnedOperation>& operations) {
  const ObjectName name = NameOf(resource.metadata);
  // Before the operation exists: nothing can be made outside that nobody would delete.
  if (!resource.metadata.deletion_timestamp) {
    const FaultScope scope(parts_.faults, FaultPoint::Kind::kWrite, "AddFinalizer");
    ASYNCOPS_RETURN_IF_ERROR(
        parts_.resources.UpdateFinalizers(name, resource.metadata.uid, AddResourceFinalizer));
  }
  AsyncOperation made = MakeOperation(resource, decision.type, LastOutputs(resource, operations),
                                      parts_.clock.Now(), parts_.ids);
  NoteEarlierSecrets(resource, operations, &made);
  const Result<bool> created = CreateOperation(made);
  if (!created.ok()) return created.status();
  if (!*created) {
    // Ours would have been listed: somebody else's object has this name.
    return Tell(resource,
                {.warning = true,
                 .reason = "OperationNameTaken",
                 .message = "AsyncOperation " + made.metadata.name +
                            " exists and is not this resource's: delete it"},
                made.metadata.name);
  }
  ASYNCOPS_RETURN_IF_ERROR(TellSkipped(resource, decision, made.metadata.name));
  const OwnedOperation owned{.operation = made,
                             .generation = resource.metadata.generation,
                             .may_exist = false,
                             .may_run = false};
  ResourceDecision started;
  started.subject = &owned;
  return Show(resource, started, parts_.clock.Now());
}

Status ResourceReconciler::TellSkipped(const AsyncResource& resource,
                                       const ResourceDecision& decision, const std::string& made) {
  if (decision.subject == nullptr || resource.metadata.deletion_timestamp) return Status::Ok();
  const std::int64_t seen =
      std::max(decision.subject->generation, resource.status.observed_generation);
  const std::int64_t newest = resource.metadata.generation;
  if (newest <= seen + 1) return Status::Ok();
  std::string skipped = "generation " + std::to_string(seen + 1);
  if (newest > seen + 2)
    skipped = "generations " + std::to_string(seen + 1) + " to " + std::to_string(newest - 1);
  return Tell(
      resource,
      {.warning = false,
       .reason = "GenerationSkipped",
       .message = skipped + " came while another operation was under way, and was replaced by " +
                  std::to_string(newest) + " before anything was done for it: " + made +
                  " carries out the newest"},
      made);
}

Status ResourceReconciler::Abandon(const AsyncResource& resource, const ResourceDecision& decision,
                                   const std::vector<OwnedOperation>& operations) {
  const std::string_view user = AnnotationOf(resource.metadata, kRequestedBy);
  for (const OwnedOperation& owned : operations) {
    if (IsEnded(owned.operation)) continue;
    ASYNCOPS_RETURN_IF_ERROR(
        Unless(writer_.Annotate(NameOf(owned.operation.metadata), kForceDelete, "true", user),
               Reason::kNotFound));
  }
  return Release(resource, decision);
}

Status ResourceReconciler::Release(const AsyncResource& resource,
                                   const ResourceDecision& decision) {
  if (!Holds(resource.metadata, kResourceFinalizer)) return Status::Ok();
  if (decision.event) ASYNCOPS_RETURN_IF_ERROR(Tell(resource, *decision.event, "release"));
  const FaultScope scope(parts_.faults, FaultPoint::Kind::kWrite, "DropFinalizer");
  return parts_.resources.UpdateFinalizers(NameOf(resource.metadata), resource.metadata.uid,
                                           DropResourceFinalizer);
}

Status ResourceReconciler::Execute(const AsyncResource& resource, const ResourceDecision& decision,
                                   const std::vector<OwnedOperation>& operations) {
  const std::string_view user = AnnotationOf(resource.metadata, kRequestedBy);
  switch (decision.kind) {
    case Kind::kNothing: break;
    case Kind::kStart: return Start(resource, decision, operations);
    case Kind::kRetry:
      return writer_.Annotate(NameOf(decision.subject->operation.metadata), kRetryRequestedAt,
                              decision.request, user);
    case Kind::kCancel:
      return writer_.Annotate(NameOf(decision.subject->operation.metadata), kCancelRequestedAt,
                              decision.request, "");
    case Kind::kRelease: return Release(resource, decision);
    case Kind::kAbandon: return Abandon(resource, decision, operations);
  }
  const OwnedOperation* subject = decision.subject;
  if (subject == nullptr || IsEnded(subject->operation) ||
      subject->operation.spec.suspend == resource.spec.suspend)
    return Status::Ok();
  return writer_.Suspend(subject->operation, resource.spec.suspend, user);
}

Status ResourceReconciler::Show(const AsyncResource& resource, const ResourceDecision& decision,
                                Time now) {
  // Of an operation that was started just now Start has told.
  if (decision.kind == Kind::kStart) return Status::Ok();
  const bool was_blocked =
      FindCondition(resource.status.conditions, kDeletionBlockedCondition) != nullptr;
  if (!decision.deletion_blocked.empty() && !was_blocked) {
    ASYNCOPS_RETURN_IF_ERROR(Tell(resource,
                                  {.warning = true,
                                   .reason = std::string(kDeletionBlockedCondition),
                                   .message = decision.deletion_blocked},
                                  resource.metadata.resource_version));
  }
  const auto change = [&resource, &decision, now](AsyncResourceStatus* status) {
    ProjectResource(resource, decision, now, status);
  };
  return parts_.resources.UpdateResourceStatus(NameOf(resource.metadata), resource.metadata.uid,
                                               change);
}

Status ResourceReconciler::ReleaseOperations(const AsyncResource& resource,
                                             const std::vector<OwnedOperation>& operations) {
  for (const OwnedOperation& owned : operations) {
    const ObjectMeta& meta = owned.operation.metadata;
    const bool unsent = meta.deletion_timestamp && !Holds(meta, kOperationFinalizer);
    // Of a resource that stays it would be made again, beside what is left behind.
    const bool given_up = meta.deletion_timestamp && resource.metadata.deletion_timestamp &&
                          AnnotationOf(meta, kForceDelete) == "true";
    const bool done = IsEnded(owned.operation) || unsent || given_up;
    if (!Holds(meta, kTrackingFinalizer) || !done) continue;
    ASYNCOPS_RETURN_IF_ERROR(DropTracking(owned.operation));
  }
  return Status::Ok();
}

Status ResourceReconciler::Tell(const AsyncResource& resource, const EventDraft& draft,
                                std::string_view sequence) {
  const storage::OutboxMessage message =
      MakeEventMessage(ReferenceTo(resource), draft, sequence, parts_.clock.Now());
  if (told_.Has(message.dedup_name)) return Status::Ok();
  const Status sent = storage::WriteAndWait(
      parts_.store, [message, epoch = owner_.epoch](storage::Transaction& transaction) -> Status {
        ASYNCOPS_RETURN_IF_ERROR(CheckOwnership(transaction, epoch));
        return transaction.mailbox().Send(message);
      });
  if (sent.ok()) told_.Add(message.dedup_name);
  return sent;
}

}  // namespace asyncops::reconciler
