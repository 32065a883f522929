// Drives AsyncResources: makes the operation that a generation needs, and shows how it stands.
#ifndef ASYNCOPS_RECONCILER_RESOURCE_RECONCILER_H_
#define ASYNCOPS_RECONCILER_RESOURCE_RECONCILER_H_

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "reconciler/operation_reconciler.h"
#include "reconciler/operation_writer.h"
#include "reconciler/resource_client.h"
#include "reconciler/resource_decide.h"
#include "reconciler/told_events.h"

namespace asyncops::reconciler {

// Safe for use from several threads, each with another resource.
class ResourceReconciler {
 public:
  explicit ResourceReconciler(const ReconcilerParts& parts, Ownership owner = {})
      : parts_(parts), owner_(owner), writer_(parts.store, parts.clock, owner.epoch) {}

  // Takes one step of the resource; calls nothing outside. Returns when to look again: nothing
  // where only a change of it or of its operations brings it on. A failure is ours: look again
  // after a pause.
  Result<std::optional<Time>> Reconcile(const ObjectName& name);

 private:
  using Next = Result<std::optional<Time>>;

  Next ReconcileGone(const ObjectName& name, const std::string& present_uid);
  Status Start(const AsyncResource& resource, const ResourceDecision& decision,
               const std::vector<OwnedOperation>& operations);
  // False where its name is taken.
  Result<bool> CreateOperation(const AsyncOperation& made);
  Status DropTracking(const AsyncOperation& operation);
  // Tells of generations that were overtaken before anything was done for them.
  Status TellSkipped(const AsyncResource& resource, const ResourceDecision& decision,
                     const std::string& made);
  // Gives up what still runs for it, then Release.
  Status Abandon(const AsyncResource& resource, const ResourceDecision& decision,
                 const std::vector<OwnedOperation>& operations);
  // Drops the finalizer.
  Status Release(const AsyncResource& resource, const ResourceDecision& decision);
  Status Execute(const AsyncResource& resource, const ResourceDecision& decision,
                 const std::vector<OwnedOperation>& operations);
  Status Show(const AsyncResource& resource, const ResourceDecision& decision, Time now);
  // The operations need not wait for us any more: what they told is in the status.
  Status ReleaseOperations(const AsyncResource& resource,
                           const std::vector<OwnedOperation>& operations);
  Status Tell(const AsyncResource& resource, const EventDraft& draft, std::string_view sequence);

  const ReconcilerParts parts_;
  const Ownership owner_;
  OperationWriter writer_;
  ToldEvents told_;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_RESOURCE_RECONCILER_H_
