// Writes keys into a Secret of a cluster.
#ifndef ASYNCOPS_RECONCILER_CLUSTER_SECRET_WRITER_H_
#define ASYNCOPS_RECONCILER_CLUSTER_SECRET_WRITER_H_

#include <cstdint>

#include "reconciler/cluster_calls.h"
#include "reconciler/cluster_secrets.h"
#include "reconciler/resource_client.h"
#include "storage/store.h"

namespace asyncops::reconciler {

// What it writes with, and for which owner of the operations in the store.
struct ClusterSecretWriterParts {
  ClusterCalls& calls;
  ClusterSecrets& secrets;  // told of what was written
  const storage::Store& store;
  std::int64_t epoch = 0;
};

// ResourceClient::ApplySecret over kube-apiserver. Besides what that says: Forbidden where our role
// lacks the right to, and what kube-apiserver says where it is away or refuses.
Status ApplyClusterSecret(const ClusterSecretWriterParts& parts, const ObjectName& name,
                          const OwnerReference& owner, const SecretData& values);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_CLUSTER_SECRET_WRITER_H_
