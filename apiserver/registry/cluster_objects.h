// Objects that requests lean on and that are another API server's: behind a kube-apiserver,
// namespaces, AsyncResources and ExternalSystems.
#ifndef ASYNCOPS_APISERVER_REGISTRY_CLUSTER_OBJECTS_H_
#define ASYNCOPS_APISERVER_REGISTRY_CLUSTER_OBJECTS_H_

#include <functional>
#include <string>

#include "api/scheme.h"
#include "base/json.h"
#include "base/status.h"

namespace asyncops::apiserver {

// Safe for use from several threads.
class ClusterObjects {
 public:
  virtual ~ClusterObjects() = default;
  // As it was last heard of. NotFound; ServiceUnavailable before anything was heard. Quick.
  virtual Result<Json> Get(const ResourceInfo& resource, const std::string& namespace_name,
                           const std::string& name) const = 0;
  // The namespace; one that was not heard of yet is asked for. Calls `done` exactly once, at once
  // or later, on any thread.
  virtual void GetNamespace(const std::string& name,
                            std::function<void(Result<Json>)> done) const = 0;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_REGISTRY_CLUSTER_OBJECTS_H_
