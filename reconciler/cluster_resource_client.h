// ResourceClient over kube-apiserver: for a cluster.
#ifndef ASYNCOPS_RECONCILER_CLUSTER_RESOURCE_CLIENT_H_
#define ASYNCOPS_RECONCILER_CLUSTER_RESOURCE_CLIENT_H_

#include <memory>

#include "base/clock.h"
#include "base/ids.h"
#include "kube/api_client.h"
#include "kube/informer.h"
#include "reconciler/resource_client.h"
#include "storage/store.h"

namespace asyncops::reconciler {

struct ClusterResourceParts {
  kube::ApiClient& client;
  kube::Informer& resources;    // of asyncresources.asyncops.dev/v1alpha1
  kube::Informer& systems;      // of externalsystems.asyncops.dev/v1alpha1
  const storage::Store& store;  // says who is the owner of the operations
  const Clock& clock;
  IdGenerator& ids;
};

// All outlive the client, and the client its subscriptions. It runs a thread that reads Secrets
// again; its destructor waits for a call of that to end (5 s at most, or cut by ApiClient::Cancel).
//
// Before the first list of an informer is complete its kind is ServiceUnavailable, never NotFound;
// a kind that kube-apiserver does not serve, too. While kube-apiserver is away reads give what was
// known last, and writes are ServiceUnavailable at once. An object that another version of its CRD
// wrote, and that cannot be read, is BadRequest and names the field.
std::unique_ptr<ResourceClient> MakeClusterResourceClient(const ClusterResourceParts& parts);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_CLUSTER_RESOURCE_CLIENT_H_
