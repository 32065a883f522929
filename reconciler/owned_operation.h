// The operations that an AsyncResource made: their names, their specs, and which there are.
#ifndef ASYNCOPS_RECONCILER_OWNED_OPERATION_H_
#define ASYNCOPS_RECONCILER_OWNED_OPERATION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/asyncops/v1alpha1/async_resource.h"
#include "api/operations/v1alpha1/async_operation.h"
#include "base/clock.h"
#include "base/ids.h"
#include "reconciler/resource_client.h"
#include "storage/store.h"

namespace asyncops::reconciler {

inline constexpr std::string_view kCreate = "Create";
inline constexpr std::string_view kUpdate = "Update";
inline constexpr std::string_view kDelete = "Delete";

struct OwnedOperation {
  AsyncOperation operation;
  std::int64_t generation = 0;  // of the resource, that it was made for
  // It may have made something that is there now: it succeeded, or nobody knows.
  bool may_exist = false;
  // Its time was over, and nobody ever said how it went outside: it may run there now.
  bool may_run = false;
};

bool IsEnded(const AsyncOperation& operation);

// RESOURCE-create-7k2xp, at most 63 characters. The end is a hash of the resource's uid, the type
// and the generation, not random: whoever decides that this generation needs this operation, before
// or after a crash, arrives at the same name, and the store takes a name once. So there cannot be
// two.
std::string OperationName(const AsyncResource& resource, std::string_view type);

// The operation of this type for the resource's present generation. `outputs` are those of its last
// success. The resource has the step.
AsyncOperation MakeOperation(const AsyncResource& resource, std::string_view type, Json outputs,
                             Time now, IdGenerator& ids);

// All operations of the resource, oldest first.
Result<std::vector<OwnedOperation>> ListOwned(const storage::Store& store, const ObjectName& name,
                                              const std::string& resource_uid);

// All operations made by resources of this name, whichever uid they had.
Result<std::vector<AsyncOperation>> ListNamesakes(const storage::Store& store,
                                                  const ObjectName& name);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_OWNED_OPERATION_H_
