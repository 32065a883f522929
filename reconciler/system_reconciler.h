// Keeps the status of ExternalSystems, and tells their operations when they change.
#ifndef ASYNCOPS_RECONCILER_SYSTEM_RECONCILER_H_
#define ASYNCOPS_RECONCILER_SYSTEM_RECONCILER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "reconciler/operation_reconciler.h"
#include "reconciler/resource_client.h"
#include "reconciler/system_use.h"
#include "reconciler/told_events.h"

namespace asyncops::reconciler {

// Safe for use from several threads, each with another system.
class SystemReconciler {
 public:
  // Called where operations of a system are to be looked at: it changed, appeared or went.
  using Changed = std::function<void(const ObjectName& system)>;

  // All outlive it.
  SystemReconciler(const ReconcilerParts& parts, std::int64_t epoch, SystemUse& use,
                   Changed changed)
      : parts_(parts), epoch_(epoch), use_(use), changed_(std::move(changed)) {}

  // Brings the status up to the gate and the spec, where that is new, with Events of what is worth
  // one. Our finalizer is put on the system, and taken off one under deletion that nobody uses any
  // more; until then its status says who does. When to look again: while calls are under way, while
  // a deletion waits, and hourly where it names Secrets, so that these stay known.
  // ServiceUnavailable, and nothing written, once a later owner has come.
  Result<std::optional<Time>> Reconcile(const ObjectName& name);

 private:
  // Nothing where the system was let go, or goes without us; else what it waits for, "" for none.
  // Conflict where it is to be looked at anew.
  Result<std::optional<std::string>> Hold(const ExternalSystem& system, const Status& check);
  Status Tell(const ExternalSystem& system, const ExternalSystemStatus& status);

  const ReconcilerParts parts_;
  const std::int64_t epoch_;
  SystemUse& use_;
  const Changed changed_;
  ToldEvents told_;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_SYSTEM_RECONCILER_H_
