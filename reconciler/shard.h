// The reconcilers of the keys of one shard.
#ifndef ASYNCOPS_RECONCILER_SHARD_H_
#define ASYNCOPS_RECONCILER_SHARD_H_

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "reconciler/operation_reconciler.h"
#include "reconciler/resource_reconciler.h"
#include "reconciler/work_queue.h"

namespace asyncops::reconciler {

// Safe for use from several threads, each with another key.
class Shard {
 public:
  // All outlive the shard.
  Shard(const ReconcilerParts& parts, Ownership owner)
      : operations_(parts, owner), resources_(parts, owner) {}
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  // One step of an operation or a resource; returns as their reconcilers do.
  Result<std::optional<Time>> Reconcile(const WorkItem& item) {
    if (item.key.kind != WorkKey::Kind::kResource) return operations_.Reconcile(item);
    return resources_.Reconcile({item.key.namespace_name, item.key.name});
  }

  // Operations in OutcomeUnknown.
  std::int64_t parked() const { return operations_.parked(); }

 private:
  OperationReconciler operations_;
  ResourceReconciler resources_;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_SHARD_H_
