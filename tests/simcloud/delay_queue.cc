#include "tests/simcloud/delay_queue.h"

#include <utility>

namespace asyncops::simcloud {

DelayQueue::DelayQueue(const Clock& clock) : clock_(clock), thread_([this] { Run(); }) {}

DelayQueue::~DelayQueue() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.NotifyAll();
}

bool DelayQueue::Post(Duration delay, Task task) {
  {
    const MutexLock lock(mutex_);
    if (tasks_.size() >= kMaxTasks) return false;
    tasks_.emplace(clock_.SteadyNow() + delay, std::move(task));
  }
  changed_.NotifyAll();
  return true;
}

void DelayQueue::Run() {
  while (Task task = Next()) task();
}

DelayQueue::Task DelayQueue::Next() {
  const MutexLock lock(mutex_);
  while (!stopping_) {
    if (tasks_.empty()) {
      changed_.Wait(mutex_);
      continue;
    }
    const auto first = tasks_.begin();
    const SteadyTime now = clock_.SteadyNow();
    if (first->first <= now) {
      Task task = std::move(first->second);
      tasks_.erase(first);
      return task;
    }
    changed_.WaitFor(mutex_, first->first - now);
  }
  return nullptr;
}

}  // namespace asyncops::simcloud
