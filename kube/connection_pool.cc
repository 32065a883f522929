#include "kube/connection_pool.h"

#include <utility>

namespace asyncops::kube {
namespace {

// Servers close connections that are idle; most wait for longer than this.
constexpr std::chrono::seconds kMaxIdle{30};
// Of one origin, as many as the engine has workers; more at once are opened and closed again.
constexpr std::size_t kMaxIdlePerKey = 64;
constexpr std::size_t kMaxKeys = 64;
// A context holds the system's CAs, some 200 KiB.
constexpr std::size_t kMaxContexts = 32;

}  // namespace

void ConnectionPool::TakeExpired(std::deque<Idle>* out) {
  const SteadyTime now = clock_.SteadyNow();
  for (auto at = idle_.begin(); at != idle_.end();) {
    std::deque<Idle>& list = at->second;
    while (!list.empty() && now - list.front().since > kMaxIdle) {
      out->push_back(std::move(list.front()));
      list.pop_front();
    }
    at = list.empty() ? idle_.erase(at) : std::next(at);
  }
}

std::unique_ptr<Connection> ConnectionPool::Take(const std::string& key, Duration max_idle) {
  std::deque<Idle> expired;
  while (true) {
    Idle latest;
    {
      const MutexLock lock(mutex_);
      TakeExpired(&expired);
      const auto found = idle_.find(key);
      if (found == idle_.end()) return nullptr;
      latest = std::move(found->second.back());
      found->second.pop_back();
      if (found->second.empty()) idle_.erase(found);
    }
    const bool fresh = clock_.SteadyNow() - latest.since <= max_idle;
    if (fresh && latest.connection->IsQuiet()) return std::move(latest.connection);
    expired.push_back(std::move(latest));
  }
}

void ConnectionPool::Put(const std::string& key, std::unique_ptr<Connection> connection) {
  std::deque<Idle> expired;
  const MutexLock lock(mutex_);
  TakeExpired(&expired);
  if (idle_.size() >= kMaxKeys && !idle_.contains(key)) return;
  std::deque<Idle>& list = idle_[key];
  list.push_back({std::move(connection), clock_.SteadyNow()});
  if (list.size() <= kMaxIdlePerKey) return;
  expired.push_back(std::move(list.front()));
  list.pop_front();
}

Result<std::shared_ptr<const TlsContext>> ConnectionPool::ContextOf(const std::string& settings_key,
                                                                    const TlsSettings& settings) {
  {
    const MutexLock lock(mutex_);
    if (const auto found = contexts_.find(settings_key); found != contexts_.end())
      return found->second;
  }
  Result<std::shared_ptr<const TlsContext>> made = TlsContext::Make(settings);
  if (!made.ok()) return made;
  const MutexLock lock(mutex_);
  if (contexts_.size() >= kMaxContexts) contexts_.clear();
  contexts_[settings_key] = *made;
  return made;
}

}  // namespace asyncops::kube
