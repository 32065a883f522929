// Connections that wait for their next request, and TLS contexts that serve many of them.
#ifndef ASYNCOPS_KUBE_CONNECTION_POOL_H_
#define ASYNCOPS_KUBE_CONNECTION_POOL_H_

#include <deque>
#include <map>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "kube/connection.h"

namespace asyncops::kube {

// Safe for use from several threads.
class ConnectionPool {
 public:
  explicit ConnectionPool(const Clock& clock) : clock_(clock) {}

  // A connection of this key that has waited for at most `max_idle` and is quiet, or null.
  std::unique_ptr<Connection> Take(const std::string& key, Duration max_idle);
  // Keeps it, within bounds; the oldest gives way.
  void Put(const std::string& key, std::unique_ptr<Connection> connection);

  // The context of these settings, made at the first call.
  Result<std::shared_ptr<const TlsContext>> ContextOf(const std::string& settings_key,
                                                      const TlsSettings& settings);

 private:
  struct Idle {
    std::unique_ptr<Connection> connection;
    SteadyTime since;
  };
  // Moves what has waited too long to `out`, to be closed without the lock.
  void TakeExpired(std::deque<Idle>* out) ASYNCOPS_REQUIRES(mutex_);

  const Clock& clock_;

  Mutex mutex_;
  std::map<std::string, std::deque<Idle>> idle_ ASYNCOPS_GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<const TlsContext>> contexts_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_CONNECTION_POOL_H_
