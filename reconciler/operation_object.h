// An AsyncOperation's stored JSON, and edits of it that keep what we do not know.
#ifndef ASYNCOPS_RECONCILER_OPERATION_OBJECT_H_
#define ASYNCOPS_RECONCILER_OPERATION_OBJECT_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/core/v1/event.h"
#include "api/operations/v1alpha1/async_operation.h"
#include "api/scheme.h"
#include "base/clock.h"
#include "base/json.h"
#include "reconciler/resource_client.h"
#include "storage/store.h"

namespace asyncops::reconciler {

// Whose the reconciler's own writes are in managedFields.
inline constexpr std::string_view kReconcilerManager = "asyncops-reconciler";
// Tracks what a write of the reconciler made of `old_object` (null: nothing) in `new_object`.
void TrackOwnWrite(const ResourceInfo& resource, Time now, const Json* old_object,
                   Json* new_object);

// The resource asyncoperations.
const ResourceInfo& OperationResource();
storage::ObjectKey OperationKey(const ObjectName& name);

void SetStatus(const AsyncOperationStatus& status, Json* object);
void AddFinalizer(std::string_view finalizer, Json* object);
void RemoveFinalizer(std::string_view finalizer, Json* object);
bool HasFinalizers(const Json& object);
void SetAnnotation(std::string_view name, std::string_view value, Json* object);
void DropAnnotation(std::string_view name, Json* object);

// Whom its Events speak of: the operation, and the AsyncResource that it is for, if any.
std::vector<core::ObjectReference> EventSubjects(const AsyncOperation& operation);

// An operation's object as it stands in the store, as far as somebody knows.
struct KnownObject {
  storage::Revision revision = 0;  // 0: nothing is known
  Json object;
};

// Reads the object with this uid, lets `edit` change it, and writes it where it differs, with
// `more` in the same transaction; again from the start where somebody else wrote it meanwhile.
// `edit` may run several times; `more` runs on the writer's thread (see storage::WriteFunction).
// `always` writes `more` even where the object stays equal. The change is the reconciler's in
// managedFields, as of `now`. NotFound where it is gone. With `known` the first round begins from
// that instead of a read, and `newest`, which is the same decoded; afterwards it is what was
// written, or nothing where that was not what it was made from.
Status EditOperation(storage::Store& store, Time now, const ObjectName& name,
                     const std::string& uid,
                     const std::function<void(const AsyncOperation&, Json*)>& edit,
                     const storage::WriteFunction& more, bool always, KnownObject* known = nullptr,
                     const AsyncOperation* newest = nullptr);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_OPERATION_OBJECT_H_
