// Keeps the ExternalSystems of a cluster for as long as something needs them.
#ifndef ASYNCOPS_RECONCILER_SYSTEM_GUARD_H_
#define ASYNCOPS_RECONCILER_SYSTEM_GUARD_H_

#include <chrono>
#include <string_view>

#include "base/json.h"
#include "base/status.h"
#include "kube/informer.h"
#include "reconciler/cluster_calls.h"
#include "storage/store.h"

namespace asyncops::reconciler {

// On an ExternalSystem while an AsyncResource or an unfinished AsyncOperation may still call it.
inline constexpr std::string_view kSystemFinalizer = "asyncops.dev/in-use";

// Who deletes a namespace deletes everything in it at once, the systems among it, while the
// deletions outside are still to come: without its system none of them could be made, and the
// namespace would never end. So each system gets a finalizer as soon as it is seen, and loses it
// once it is being deleted and nobody refers to it any more. For one thread.
class SystemGuard {
 public:
  // All outlive it.
  SystemGuard(kube::ApiClient& client, const kube::Informer& resources,
              const kube::Informer& systems, const storage::Store& store, const Clock& clock);

  // Adds and drops what is to be; returns how long to wait before the next look. What fails is
  // logged, and done at a later look.
  std::chrono::milliseconds Look();

 private:
  Result<bool> IsInUse(std::string_view namespace_name, std::string_view name) const;
  // What is to become of this one.
  Status Keep(const Json& system);

  const kube::Informer& resources_;
  const kube::Informer& systems_;
  const storage::Store& store_;
  ClusterCalls calls_;
  bool failing_ = false;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_SYSTEM_GUARD_H_
