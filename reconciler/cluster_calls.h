// The reconciler's calls to kube-apiserver.
#ifndef ASYNCOPS_RECONCILER_CLUSTER_CALLS_H_
#define ASYNCOPS_RECONCILER_CLUSTER_CALLS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "base/mutex.h"
#include "base/status.h"
#include "kube/api_client.h"
#include "reconciler/resource_client.h"

namespace asyncops::reconciler {

// The path of an object, or of the collection where `name` is empty: of the core group where
// `group` is "", else of its v1alpha1. Both names are those of objects: see IsObjectName.
std::string ClusterPath(std::string_view group, std::string_view plural,
                        std::string_view namespace_name, std::string_view name);
// Whether this can be an object's name (a DNS subdomain), and so stand in a path.
bool IsObjectName(std::string_view name);

// Whether kube-apiserver says that this very object is not there, rather than that it does not know
// the resource: only the first is a reason to act upon.
bool IsObjectMissing(const Status& status, std::string_view name);

// Versions of one object: whether `version` is later than `than`. What is no number is.
bool IsLaterVersion(std::string_view version, std::string_view than);

// Calls as the engine's own, and keeps the workers from waiting for a kube-apiserver that is away:
// after a call that found it so, or two in a row that took too long, the next are refused as
// ServiceUnavailable for a while (1 s, doubling to 8 s), then one at a time tries. Says in the log
// when it goes and comes back. Safe for use from several threads.
class ClusterCalls {
 public:
  // Both outlive it.
  ClusterCalls(kube::ApiClient& client, const Clock& clock) : client_(client), clock_(clock) {}

  // GET; POST with fieldManager; a JSON merge patch with fieldManager.
  Result<Json> Get(const std::string& path);
  Result<Json> Create(const std::string& path, const Json& object);
  Result<Json> Patch(const std::string& path, const Json& patch);

 private:
  Result<Json> Call(const kube::ApiRequest& request) ASYNCOPS_EXCLUDES(mutex_);
  // OK where the call may be made.
  Status Enter() ASYNCOPS_EXCLUDES(mutex_);
  void Leave(const Status& status) ASYNCOPS_EXCLUDES(mutex_);

  kube::ApiClient& client_;
  const Clock& clock_;
  Mutex mutex_;
  Status away_ ASYNCOPS_GUARDED_BY(mutex_);        // why it is taken to be away; OK where it is not
  SteadyTime next_ ASYNCOPS_GUARDED_BY(mutex_){};  // when to try it
  int failures_ ASYNCOPS_GUARDED_BY(mutex_) = 0;   // tries since it went
  int timeouts_ ASYNCOPS_GUARDED_BY(mutex_) = 0;   // in a row
  bool trying_ ASYNCOPS_GUARDED_BY(mutex_) = false;  // somebody does
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_CLUSTER_CALLS_H_
