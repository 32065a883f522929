// The threads that work on keys, and the queue that they share.
#ifndef ASYNCOPS_RECONCILER_WORKER_POOL_H_
#define ASYNCOPS_RECONCILER_WORKER_POOL_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "reconciler/reconcile_metrics.h"
#include "reconciler/work_queue.h"

namespace asyncops::reconciler {

// A key is worked on by one thread at any time; a slow one holds that thread and no other key.
// Threads come as they are needed, and go when they had nothing to do for a while: each holds
// memory of its own. Safe for use from several threads.
class WorkerPool {
 public:
  // Takes one step of what the key names, on a thread of the pool: when to look again (a time that
  // may have passed), or nothing. A failure is ours (the store, kube-apiserver): it is looked at
  // again after 2 s, doubling to a minute while it lasts (ServiceUnavailable: to 15 s), or as soon
  // as something adds the key.
  using Work = std::function<Result<std::optional<Time>>(const WorkItem&)>;

  static constexpr Duration kKeptIdle = std::chrono::seconds(30);

  // At most as many threads, of which one is always there; a thread that had nothing to do for
  // `kept_idle` goes. All outlive the pool.
  WorkerPool(int workers, Work work, const Clock& clock, ReconcileMetrics& metrics,
             Duration kept_idle = kKeptIdle);
  // Stops and joins.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void Add(const WorkKey& key, bool nudged, std::int64_t changed = 0) ASYNCOPS_EXCLUDES(mutex_);
  void AddAt(const WorkKey& key, Time due, WorkLevel level) ASYNCOPS_EXCLUDES(mutex_);

  // Takes no key any more; those worked on come to the end of their step. Returns at once.
  void RequestStop() ASYNCOPS_EXCLUDES(mutex_);
  // Waits until nothing is worked on any more, at most this long; false where something still is.
  bool AwaitStop(Duration timeout) ASYNCOPS_EXCLUDES(mutex_);
  // Waits until the threads have ended; RequestStop comes first.
  void Join();

  // Keys due, waiting or worked on.
  std::size_t depth() const ASYNCOPS_EXCLUDES(mutex_);
  // Keys that are due and wait for a thread.
  std::size_t due() const ASYNCOPS_EXCLUDES(mutex_);
  std::int64_t workers() const { return workers_; }
  // Threads that there are now.
  std::int64_t threads() const ASYNCOPS_EXCLUDES(mutex_);
  std::int64_t reconciles() const { return reconciles_; }
  std::int64_t errors() const { return errors_; }

 private:
  // A thread of the pool that has nothing to do.
  struct Waiter {
    CondVar woken;
    bool is_woken = false;
    bool watches = false;  // it is to wait for what comes next, and to leave what is due to others
  };

  // One more thread; false where there are as many as may be, or it stops.
  bool Start(bool watches) ASYNCOPS_REQUIRES(mutex_);
  void Run(const std::stop_token& stop, bool watches) ASYNCOPS_EXCLUDES(mutex_);
  // The calling thread's end.
  void End() ASYNCOPS_REQUIRES(mutex_);
  // The next key; nothing where it is to stop, or to go.
  std::optional<WorkItem> Take(const std::stop_token& stop, Waiter* self) ASYNCOPS_EXCLUDES(mutex_);
  // Until when somebody has to look after the queue again.
  Time WatchUntil(Time now) const ASYNCOPS_REQUIRES(mutex_);
  // Watches, or waits for a word where another thread watches; false where none came for so long
  // that it may go.
  bool Rest(Waiter* self, Time now) ASYNCOPS_REQUIRES(mutex_);
  bool AwaitWord(Waiter* self) ASYNCOPS_REQUIRES(mutex_);
  void WatchTime(Waiter* self, Time now, Time until) ASYNCOPS_REQUIRES(mutex_);
  // Has somebody watch, where nobody does. Called where work is taken.
  void Watch(Time now) ASYNCOPS_REQUIRES(mutex_);
  // The same where keys were added, which are taken at once where they are due.
  void Help(Time now) ASYNCOPS_REQUIRES(mutex_);
  // Wakes who came to rest last, or starts a thread; false where neither can be.
  bool WakeOne(bool watches) ASYNCOPS_REQUIRES(mutex_);
  // False where nobody rests without watching.
  bool WakeIdle(bool watches) ASYNCOPS_REQUIRES(mutex_);
  static void Wake(Waiter* waiter, bool watches);
  void WorkOn(const WorkItem& item) ASYNCOPS_EXCLUDES(mutex_);
  // Counts the key's failure, and logs it, or one for many; when to look again.
  Time AfterFailure(const WorkKey& key, const Status& failure) ASYNCOPS_EXCLUDES(mutex_);

  const Work work_;
  const Clock& clock_;
  ReconcileMetrics& metrics_;
  const std::int64_t workers_;
  const Duration kept_idle_;
  std::atomic<std::int64_t> reconciles_ = 0;
  std::atomic<std::int64_t> errors_ = 0;

  mutable Mutex mutex_;
  CondVar ended_;  // for AwaitStop
  WorkQueue queue_ ASYNCOPS_GUARDED_BY(mutex_);
  // Since when keys that were added wait for a thread.
  std::map<WorkKey, SteadyTime> added_ ASYNCOPS_GUARDED_BY(mutex_);
  // Failures in a row; of keys that failed last.
  std::map<WorkKey, int> failures_ ASYNCOPS_GUARDED_BY(mutex_);
  SteadyTime next_log_ ASYNCOPS_GUARDED_BY(mutex_){};
  std::int64_t unlogged_ ASYNCOPS_GUARDED_BY(mutex_) = 0;  // failures since the last that was
  // One waits for the next key's time; the others for a word. Who came last goes first: so few
  // threads do the work of a quiet time, and what they use is at hand.
  Waiter* timer_ ASYNCOPS_GUARDED_BY(mutex_) = nullptr;
  Time timer_due_ ASYNCOPS_GUARDED_BY(mutex_){};
  std::vector<Waiter*> idle_ ASYNCOPS_GUARDED_BY(mutex_);
  std::int64_t running_ ASYNCOPS_GUARDED_BY(mutex_) = 0;

  std::stop_source stop_;
  // Last: they use the others.
  std::vector<std::jthread> threads_ ASYNCOPS_GUARDED_BY(mutex_);
  std::vector<std::jthread> ended_threads_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_WORKER_POOL_H_
