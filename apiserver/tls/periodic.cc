#include "apiserver/tls/periodic.h"

#include <utility>

namespace asyncops::tls {

Periodic::Periodic(std::function<std::chrono::milliseconds()> look) : look_(std::move(look)) {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

Periodic::~Periodic() {
  thread_.request_stop();
  {
    const MutexLock lock(mutex_);
    wake_.NotifyAll();
  }
  thread_.join();
}

void Periodic::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const std::chrono::milliseconds pause = look_();
    const MutexLock lock(mutex_);
    // A wake for no reason only brings the next look forward.
    if (!stop.stop_requested()) wake_.WaitFor(mutex_, pause);
  }
}

}  // namespace asyncops::tls
