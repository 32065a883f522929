// The thread that reads Secrets of a cluster again.
#ifndef ASYNCOPS_RECONCILER_CLUSTER_SECRET_READER_H_
#define ASYNCOPS_RECONCILER_CLUSTER_SECRET_READER_H_

#include <stop_token>
#include <thread>

#include "base/mutex.h"
#include "reconciler/cluster_secrets.h"

namespace asyncops::reconciler {

class ClusterSecretReader {
 public:
  // Starts its thread. The secrets outlive it.
  explicit ClusterSecretReader(ClusterSecrets& secrets);
  // Ends the thread, after the read that is under way.
  ~ClusterSecretReader();
  ClusterSecretReader(const ClusterSecretReader&) = delete;
  ClusterSecretReader& operator=(const ClusterSecretReader&) = delete;

 private:
  void Run(const std::stop_token& stop) ASYNCOPS_EXCLUDES(mutex_);

  ClusterSecrets& secrets_;
  Mutex mutex_;
  CondVar wake_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_CLUSTER_SECRET_READER_H_
