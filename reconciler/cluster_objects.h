// The objects of one resource of asyncops.dev in a cluster, as the informer, our own reads and our
// own writes know them: whichever is the newest.
#ifndef ASYNCOPS_RECONCILER_CLUSTER_OBJECTS_H_
#define ASYNCOPS_RECONCILER_CLUSTER_OBJECTS_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/mutex.h"
#include "base/status.h"
#include "kube/informer.h"
#include "reconciler/cluster_calls.h"
#include "reconciler/resource_client.h"
#include "storage/store.h"

namespace asyncops::reconciler {

using SharedJson = std::shared_ptr<const Json>;

// Safe for use from several threads. An informer lags behind, by a moment as a rule and by more
// when a watch breaks: what this process has read or written since is not forgotten meanwhile.
class ClusterObjects {
 public:
  // "asyncresources". Both references outlive it.
  ClusterObjects(std::string plural, kube::Informer& informer, ClusterCalls& calls);

  // The newest that is known. What is not in the cache is asked for. NotFound only where
  // kube-apiserver says so of this object; before the informer's first list is complete, and where
  // the resource is not served, ServiceUnavailable.
  Result<SharedJson> Get(const ObjectName& name) ASYNCOPS_EXCLUDES(mutex_);
  // The same, always asked for.
  Result<SharedJson> GetLive(const ObjectName& name) ASYNCOPS_EXCLUDES(mutex_);
  // All of a namespace that are known, by name, each as Get has it.
  Result<std::vector<SharedJson>> List(const std::string& namespace_name) ASYNCOPS_EXCLUDES(mutex_);
  // Merges `patch` into `present`, or into its status: Conflict where it is not the newest.
  Status Patch(const Json& present, std::string_view subresource, Json patch)
      ASYNCOPS_EXCLUDES(mutex_);

  // As ResourceClient::Watch.
  std::unique_ptr<storage::Subscription> Watch(std::function<void(const ObjectName&)> changed);

 private:
  Status Missing(const ObjectName& name) const;
  Status NotListed() const;
  // What kube-apiserver's refusal means for this object.
  Status Failed(const ObjectName& name, const Status& status) const;
  SharedJson Note(const ObjectName& name, Json object) ASYNCOPS_EXCLUDES(mutex_);

  const std::string plural_;
  kube::Informer& informer_;
  ClusterCalls& calls_;
  Mutex mutex_;
  // What is newer than the informer's.
  std::map<ObjectName, SharedJson> newer_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_CLUSTER_OBJECTS_H_
