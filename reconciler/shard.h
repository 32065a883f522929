// One queue and the thread that works it off.
#ifndef ASYNCOPS_RECONCILER_SHARD_H_
#define ASYNCOPS_RECONCILER_SHARD_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <thread>

#include "base/clock.h"
#include "base/mutex.h"
#include "reconciler/operation_reconciler.h"
#include "reconciler/reconcile_metrics.h"
#include "reconciler/resource_reconciler.h"
#include "reconciler/work_queue.h"

namespace asyncops::reconciler {

// Safe for use from several threads.
class Shard {
 public:
  // Starts the thread. All outlive the shard.
  Shard(const ReconcilerParts& parts, Ownership owner, ReconcileMetrics& metrics);
  // Stops and joins.
  ~Shard();
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  void Add(const WorkKey& key, bool nudged) ASYNCOPS_EXCLUDES(mutex_);
  void AddAt(const WorkKey& key, Time due) ASYNCOPS_EXCLUDES(mutex_);

  // Takes no key any more; the one worked on comes to the end of its step. Returns at once.
  void RequestStop() ASYNCOPS_EXCLUDES(mutex_);
  // Waits until the thread works on nothing any more, at most this long; false where it still does.
  bool AwaitStop(Duration timeout) ASYNCOPS_EXCLUDES(mutex_);

  // Waits until the thread has ended; RequestStop comes first.
  void Join();

  std::size_t depth() const ASYNCOPS_EXCLUDES(mutex_);
  // Keys that are due and wait for the thread.
  std::size_t due() const ASYNCOPS_EXCLUDES(mutex_);
  std::int64_t reconciles() const { return reconciles_; }
  std::int64_t errors() const { return errors_; }
  std::int64_t parked() const { return operations_.parked(); }

 private:
  void Run(const std::stop_token& stop);
  // The next key; nothing where it is to stop.
  std::optional<WorkItem> Take(const std::stop_token& stop) ASYNCOPS_EXCLUDES(mutex_);
  void Work(const WorkItem& item) ASYNCOPS_EXCLUDES(mutex_);

  const Clock& clock_;
  ReconcileMetrics& metrics_;
  OperationReconciler operations_;
  ResourceReconciler resources_;
  std::atomic<std::int64_t> reconciles_ = 0;
  std::atomic<std::int64_t> errors_ = 0;

  mutable Mutex mutex_;
  CondVar changed_;
  WorkQueue queue_ ASYNCOPS_GUARDED_BY(mutex_);
  // Since when keys that were added wait for the thread.
  std::map<WorkKey, SteadyTime> added_ ASYNCOPS_GUARDED_BY(mutex_);
  bool finished_ ASYNCOPS_GUARDED_BY(mutex_) = false;

  std::jthread thread_;  // last: it uses the others
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_SHARD_H_
