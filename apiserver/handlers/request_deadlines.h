// By when each request that is still waiting is answered.
#ifndef ASYNCOPS_APISERVER_HANDLERS_REQUEST_DEADLINES_H_
#define ASYNCOPS_APISERVER_HANDLERS_REQUEST_DEADLINES_H_

#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"

namespace asyncops::apiserver {

// What has a deadline.
class Expirable {
 public:
  virtual ~Expirable() = default;
  // The time is over. Called once at most, without a lock held, on the thread of RequestDeadlines.
  virtual void Expire() = 0;
};

// Has one thread, which sleeps until the next deadline. Safe for use from several threads.
class RequestDeadlines {
 public:
  // The clock outlives it.
  explicit RequestDeadlines(const Clock& clock);
  // Expires nothing any more.
  ~RequestDeadlines();
  RequestDeadlines(const RequestDeadlines&) = delete;
  RequestDeadlines& operator=(const RequestDeadlines&) = delete;

  // Keeps nothing alive: what is gone by then is left alone.
  void Add(SteadyTime deadline, const std::shared_ptr<Expirable>& request);
  // Forgets it; the deadline is the one of Add. No harm where it is not there (any more).
  void Remove(SteadyTime deadline, const Expirable* request);
  // Expires what is over by now, on this thread; for tests, whose clock nobody hears.
  void ExpireOverdue();

 private:
  using Key = std::pair<SteadyTime, const Expirable*>;

  void Run();

  const Clock& clock_;
  Mutex mutex_;
  CondVar changed_;
  std::map<Key, std::weak_ptr<Expirable>> waiting_ ASYNCOPS_GUARDED_BY(mutex_);
  SteadyTime sleeps_until_ ASYNCOPS_GUARDED_BY(mutex_) = SteadyTime::min();
  bool stopping_ ASYNCOPS_GUARDED_BY(mutex_) = false;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_REQUEST_DEADLINES_H_
