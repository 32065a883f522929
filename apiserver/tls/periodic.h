// Something that is looked at now and then, on a thread of its own.
#ifndef ASYNCOPS_APISERVER_TLS_PERIODIC_H_
#define ASYNCOPS_APISERVER_TLS_PERIODIC_H_

#include <chrono>
#include <functional>
#include <thread>

#include "base/mutex.h"

namespace asyncops::tls {

class Periodic {
 public:
  // Calls `look` at once and then again each time when as long has passed as it said.
  explicit Periodic(std::function<std::chrono::milliseconds()> look);
  // Waits for a call under way; there is none afterwards.
  ~Periodic() ASYNCOPS_EXCLUDES(mutex_);
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

 private:
  void Run(const std::stop_token& stop) ASYNCOPS_EXCLUDES(mutex_);

  const std::function<std::chrono::milliseconds()> look_;
  Mutex mutex_;
  CondVar wake_;
  std::jthread thread_;
};

}  // namespace asyncops::tls

#endif  // ASYNCOPS_APISERVER_TLS_PERIODIC_H_
