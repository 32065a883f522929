// Two AsyncOperations that claim one operation of the external system.
#ifndef ASYNCOPS_RECONCILER_SAME_OPERATION_H_
#define ASYNCOPS_RECONCILER_SAME_OPERATION_H_

#include <optional>
#include <string>

#include "api/operations/v1alpha1/async_operation.h"
#include "base/status.h"
#include "storage/store.h"

namespace asyncops::reconciler {

struct OtherOperation {
  std::string name;   // of the AsyncOperation
  bool live = false;  // it has not ended

  bool operator==(const OtherOperation&) const = default;
};

// Another AsyncOperation of the same ExternalSystem that follows this ID, or ended well under it; a
// live one where there is one. Those of the same resource do not count: one thing may keep its ID.
// Looked up by indexes, however many operations there are.
Result<std::optional<OtherOperation>> FindSameOperation(const storage::Store& store,
                                                        const AsyncOperation& operation,
                                                        const std::string& operation_id);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_SAME_OPERATION_H_
