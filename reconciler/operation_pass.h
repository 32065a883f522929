// One pass over one operation: what the files of OperationReconciler share.
#ifndef ASYNCOPS_RECONCILER_OPERATION_PASS_H_
#define ASYNCOPS_RECONCILER_OPERATION_PASS_H_

#include <memory>
#include <optional>

#include "reconciler/annotations.h"
#include "reconciler/operation_reconciler.h"

namespace asyncops::reconciler {

struct OperationReconciler::Pass {
  ObjectName name;
  StoredOperation stored;
  Memory& memory;
  Time now{};
  double fraction = 0.5;
  Ownership owner;
  Blocked problem;  // why there is no protocol
  bool hopeless = false;
  bool nudged = false;
  std::optional<Polled> polled = {};
  std::unique_ptr<const Protocol> made_protocol = {};
  Permit leave = {};    // for its next call
  double pressure = 1;  // on the origin called last
  Protocol::Policy no_policy = {};

  const AsyncOperation& operation() const { return stored.operation; }
  const OperationState* state() const { return stored.state ? &*stored.state : nullptr; }
  const Protocol::Policy& policy() const {
    return memory.declared ? memory.declared->protocol->policy() : no_policy;
  }
  // Of an operation that has a protocol; made when it is first needed.
  const Protocol& protocol() {
    if (made_protocol == nullptr) made_protocol = memory.declared->protocol->For(operation());
    return *made_protocol;
  }
  // One that says nothing where there is none.
  const ExternalSystem& system() const {
    static const ExternalSystem kNone;
    return memory.declared ? *memory.declared->system : kNone;
  }
  // Whether it is asked at all if there is a cancel.
  bool MayCancel() const {
    const bool late =
        state()->memo.start_time && now >= *state()->memo.start_time + policy().active_deadline;
    return late || operation().metadata.deletion_timestamp ||
           !AnnotationOf(operation().metadata, kCancelRequestedAt).empty();
  }
  StepContext context() const {
    return {.operation = operation(),
            .policy = policy(),
            .now = now,
            .fraction = fraction,
            .pressure = pressure,
            .epoch = owner.epoch,
            .shard = owner.shard};
  }
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_OPERATION_PASS_H_
