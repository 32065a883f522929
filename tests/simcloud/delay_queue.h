// Work that is to be done later, on a thread of its own, so that a delay never holds up a
// connection.
#ifndef ASYNCOPS_TESTS_SIMCLOUD_DELAY_QUEUE_H_
#define ASYNCOPS_TESTS_SIMCLOUD_DELAY_QUEUE_H_

#include <cstddef>
#include <functional>
#include <map>
#include <thread>

#include "base/clock.h"
#include "base/mutex.h"

namespace asyncops::simcloud {

// Safe for use from several threads.
class DelayQueue {
 public:
  using Task = std::function<void()>;

  // The clock must outlive this.
  explicit DelayQueue(const Clock& clock);
  // Drops what is not due yet and joins the thread.
  ~DelayQueue();
  DelayQueue(const DelayQueue&) = delete;
  DelayQueue& operator=(const DelayQueue&) = delete;

  // Runs the task on the queue's thread once `delay` has passed. False, and the task is dropped,
  // where kMaxTasks wait already.
  bool Post(Duration delay, Task task) ASYNCOPS_EXCLUDES(mutex_);

  // Each waiting task may hold a connection: below the usual limit of open files.
  static constexpr std::size_t kMaxTasks = 1000;

 private:
  void Run() ASYNCOPS_EXCLUDES(mutex_);
  // Waits for the first task that is due and takes it; an empty one when it is time to stop.
  Task Next() ASYNCOPS_EXCLUDES(mutex_);

  const Clock& clock_;
  Mutex mutex_;
  CondVar changed_;
  std::multimap<SteadyTime, Task> tasks_ ASYNCOPS_GUARDED_BY(mutex_);
  bool stopping_ ASYNCOPS_GUARDED_BY(mutex_) = false;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace asyncops::simcloud

#endif  // ASYNCOPS_TESTS_SIMCLOUD_DELAY_QUEUE_H_
