#include "apiserver/handlers/request_deadlines.h"

#include <vector>

namespace asyncops::apiserver {

RequestDeadlines::RequestDeadlines(const Clock& clock)
    : clock_(clock), thread_([this] { Run(); }) {}

RequestDeadlines::~RequestDeadlines() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.NotifyAll();
}

void RequestDeadlines::Add(SteadyTime deadline, const std::shared_ptr<Expirable>& request) {
  bool earlier = false;
  {
    const MutexLock lock(mutex_);
    waiting_.insert_or_assign(Key(deadline, request.get()), request);
    earlier = deadline < sleeps_until_;
  }
  // Requests of one kind come in the order of their deadlines: the thread is rarely woken.
  if (earlier) changed_.NotifyOne();
}

void RequestDeadlines::Remove(SteadyTime deadline, const Expirable* request) {
  const MutexLock lock(mutex_);
  waiting_.erase(Key(deadline, request));
}

void RequestDeadlines::ExpireOverdue() {
  std::vector<std::weak_ptr<Expirable>> over;
  {
    const SteadyTime now = clock_.SteadyNow();
    const MutexLock lock(mutex_);
    while (!waiting_.empty() && waiting_.begin()->first.first <= now) {
      over.push_back(std::move(waiting_.begin()->second));
      waiting_.erase(waiting_.begin());
    }
  }
  for (const std::weak_ptr<Expirable>& request : over) {
    if (const std::shared_ptr<Expirable> held = request.lock()) held->Expire();
  }
}

void RequestDeadlines::Run() {
  while (true) {
    ExpireOverdue();
    const MutexLock lock(mutex_);
    if (stopping_) return;
    if (waiting_.empty()) {
      sleeps_until_ = SteadyTime::max();
      changed_.Wait(mutex_);
    } else {
      sleeps_until_ = waiting_.begin()->first.first;
      const auto left = sleeps_until_ - clock_.SteadyNow();
      if (left.count() > 0) changed_.WaitFor(mutex_, left);
    }
    sleeps_until_ = SteadyTime::min();
  }
}

}  // namespace asyncops::apiserver
