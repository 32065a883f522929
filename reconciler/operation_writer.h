// Reads and writes operations: object, row, history and Events together, in one transaction.
#ifndef ASYNCOPS_RECONCILER_OPERATION_WRITER_H_
#define ASYNCOPS_RECONCILER_OPERATION_WRITER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/operations/v1alpha1/async_operation.h"
#include "base/clock.h"
#include "base/json.h"
#include "reconciler/decide.h"
#include "reconciler/operation_object.h"
#include "reconciler/resource_client.h"
#include "reconciler/transition.h"
#include "storage/store.h"

namespace asyncops::reconciler {

// An operation as it was read.
struct StoredOperation {
  AsyncOperation operation;
  std::optional<OperationState> state;  // nothing before its first intent
  KnownObject object = {};              // what `operation` was read from
};

// NotFound where there is no such object.
Result<StoredOperation> LoadOperation(const storage::Store& store, const ObjectName& name);

// Safe for use from several threads; blocks until the write is durable.
class OperationWriter {
 public:
  // All outlive it. Once an owner with a later epoch has come, nothing is written any more:
  // ServiceUnavailable.
  OperationWriter(storage::Store& store, const Clock& clock, std::int64_t epoch)
      : store_(store), clock_(clock), epoch_(epoch) {}

  // Writes the step; the state as it stands then. Conflict where the row went on without us, or has
  // a later owner: nothing is written, look again. A change of the object by somebody else
  // meanwhile is no conflict: the step is put on top of it. NotFound where the object is gone.
  Result<OperationState> Commit(const AsyncOperation& operation, Transition transition);
  // The same of an operation that was just read, which is not read again. Afterwards its operation
  // and object are as they were written; where others wrote meanwhile its object is not known.
  Result<OperationState> Commit(StoredOperation* stored, Transition transition);

  // Makes the object's status say what is known (and why it does not go on), with these Events
  // where that is new. Writes nothing where the status says so already.
  Status Show(const AsyncOperation& operation, const OperationState* state,
              const std::optional<Blocked>& blocked, const std::vector<EventDraft>& events);

  // Drops the annotation by which something was asked that cannot be done, with this Event.
  Status RefuseAnnotation(const AsyncOperation& operation, std::string_view annotation,
                          const EventDraft& event);

  // Deletes the object and its rows, with these Events; where others hold finalizers on it, only
  // asks for its deletion: call it again when they are gone.
  Status Remove(const AsyncOperation& operation, const std::vector<EventDraft>& events);

  // Creates the operation as it is; false where its name is taken.
  Result<bool> Create(const AsyncOperation& operation, const std::vector<EventDraft>& events);

  // Sets the annotation, where it differs, as asked for by `user` ("" for nobody that is known).
  // NotFound where the object is gone.
  Status Annotate(const ObjectName& name, std::string_view annotation, std::string_view value,
                  std::string_view user);

  // Drops the finalizer, where it is there.
  Status DropFinalizer(const AsyncOperation& operation, std::string_view finalizer);

  // Sets spec.suspend, where it differs, as asked for by `user`.
  Status Suspend(const AsyncOperation& operation, bool suspend, std::string_view user);

  // Asks for the object's deletion as `kubectl delete` does.
  Status RequestDeletion(const AsyncOperation& operation);

 private:
  Result<OperationState> CommitOn(const AsyncOperation& operation, Transition transition,
                                  KnownObject* known, AsyncOperationStatus* shown);
  // Lets a write through while we are the owner.
  storage::WriteFunction Fence(storage::WriteFunction write = nullptr) const;

  storage::Store& store_;
  const Clock& clock_;
  const std::int64_t epoch_;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_OPERATION_WRITER_H_
