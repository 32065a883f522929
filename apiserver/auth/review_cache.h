// What reviews came to, for a while; and who waits for one that is under way.
#ifndef ASYNCOPS_APISERVER_AUTH_REVIEW_CACHE_H_
#define ASYNCOPS_APISERVER_AUTH_REVIEW_CACHE_H_

#include <functional>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"

namespace asyncops::apiserver {

// How long an answer holds, whichever it is.
inline constexpr std::chrono::seconds kReviewTtl{10};

// By key, at most `capacity` answers; the one that was not asked for longest gives way. Safe for
// use from several threads.
template <class Value>
class ReviewCache {
 public:
  using Waiter = std::function<void(Value)>;

  explicit ReviewCache(std::size_t capacity) : capacity_(capacity) {}

  // Nothing where there is none that still holds.
  std::optional<Value> Find(const std::string& key, SteadyTime now) {
    const MutexLock lock(mutex_);
    const auto found = index_.find(key);
    if (found == index_.end()) return std::nullopt;
    if (found->second->until <= now) {
      entries_.erase(found->second);
      index_.erase(found);
      return std::nullopt;
    }
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->value;
  }

  // The waiter is called by the next Answer for the key. True where it is the first: then its
  // caller asks, and sees to that Answer.
  bool Wait(const std::string& key, Waiter waiter) {
    const MutexLock lock(mutex_);
    std::vector<Waiter>& waiters = waiters_[key];
    waiters.push_back(std::move(waiter));
    return waiters.size() == 1;
  }

  // Keeps the value until then (SteadyTime::min() to keep nothing) and calls who waits for it.
  void Answer(const std::string& key, const Value& value, SteadyTime until) {
    std::vector<Waiter> waiters;
    {
      const MutexLock lock(mutex_);
      if (until > SteadyTime::min()) Keep(key, value, until);
      const auto found = waiters_.find(key);
      if (found != waiters_.end()) {
        waiters = std::move(found->second);
        waiters_.erase(found);
      }
    }
    for (const Waiter& waiter : waiters) waiter(value);
  }

  std::size_t size() const {
    const MutexLock lock(mutex_);
    return entries_.size();
  }

 private:
  struct Entry {
    std::string key;
    Value value;
    SteadyTime until;
  };

  void Keep(const std::string& key, const Value& value, SteadyTime until)
      ASYNCOPS_REQUIRES(mutex_) {
    const auto found = index_.find(key);
    if (found != index_.end()) {
      entries_.erase(found->second);
      index_.erase(found);
    }
    entries_.push_front({key, value, until});
    index_[key] = entries_.begin();
    if (entries_.size() <= capacity_) return;
    index_.erase(entries_.back().key);
    entries_.pop_back();
  }

  const std::size_t capacity_;

  mutable Mutex mutex_;
  std::list<Entry> entries_ ASYNCOPS_GUARDED_BY(mutex_);  // the last used in front
  std::unordered_map<std::string, typename std::list<Entry>::iterator> index_
      ASYNCOPS_GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::vector<Waiter>> waiters_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_REVIEW_CACHE_H_
