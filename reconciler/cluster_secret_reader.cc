#include "reconciler/cluster_secret_reader.h"

namespace asyncops::reconciler {

ClusterSecretReader::ClusterSecretReader(ClusterSecrets& secrets) : secrets_(secrets) {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

ClusterSecretReader::~ClusterSecretReader() {
  thread_.request_stop();
  {
    const MutexLock lock(mutex_);
    wake_.NotifyAll();
  }
  thread_.join();
}

void ClusterSecretReader::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Duration wait = secrets_.ReadNext();
    const MutexLock lock(mutex_);
    if (!stop.stop_requested()) wake_.WaitFor(mutex_, wait);
  }
}

}  // namespace asyncops::reconciler
