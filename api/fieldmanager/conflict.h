// Conflicts of an apply, as kube-apiserver words them and kubectl reads them.
#ifndef ASYNCOPS_API_FIELDMANAGER_CONFLICT_H_
#define ASYNCOPS_API_FIELDMANAGER_CONFLICT_H_

#include <vector>

#include "api/fieldmanager/updater.h"
#include "base/status.h"

namespace asyncops::fieldmanager {

// 409 with a cause per field: `Apply failed with 1 conflict: conflict with "m" using GV at TIME:
// .spec.x`; several are listed by owner, a line each. `conflicts` is not empty.
Status ConflictStatus(const std::vector<FieldConflict>& conflicts);

}  // namespace asyncops::fieldmanager

#endif  // ASYNCOPS_API_FIELDMANAGER_CONFLICT_H_
