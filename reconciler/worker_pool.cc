#include "reconciler/worker_pool.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"

namespace asyncops::reconciler {
namespace {

// Should a notification be lost, what is due is looked at this often anyway.
constexpr Duration kLongestWait = std::chrono::seconds(5);
// After a failure of our own, such as a full disk.
constexpr Duration kAfterFailure = std::chrono::seconds(2);
constexpr int kMostDoublings = 5;
constexpr Duration kLongestPause = std::chrono::minutes(1);
// kube-apiserver is back all of a sudden, and refusals while it is away cost little: status catches
// up within this time.
constexpr Duration kLongestAway = std::chrono::seconds(15);
// Where kube-apiserver is away all keys may fail.
constexpr std::chrono::seconds kLogSpacing{1};

}  // namespace

WorkerPool::WorkerPool(int workers, Work work, const Clock& clock, ReconcileMetrics& metrics)
    : work_(std::move(work)),
      clock_(clock),
      metrics_(metrics),
      workers_(std::max(workers, 1)),
      running_(workers_) {
  threads_.reserve(static_cast<std::size_t>(workers_));
  for (std::int64_t i = 0; i < workers_; ++i)
    threads_.emplace_back([this] { Run(stop_.get_token()); });
}

WorkerPool::~WorkerPool() {
  RequestStop();
  Join();
}

void WorkerPool::Join() {
  for (std::jthread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void WorkerPool::Add(const WorkKey& key, bool nudged, std::int64_t changed) {
  metrics_.CountAdd();
  const SteadyTime now = clock_.SteadyNow();
  const MutexLock lock(mutex_);
  added_.try_emplace(key, now);
  queue_.Add(key, nudged, changed);
  changed_.NotifyOne();
}

void WorkerPool::AddAt(const WorkKey& key, Time due, WorkLevel level) {
  metrics_.CountAdd();
  const Time at = QueueTimeOf(due, clock_);
  const MutexLock lock(mutex_);
  queue_.AddAt(key, at, level);
  changed_.NotifyOne();
}

void WorkerPool::RequestStop() {
  stop_.request_stop();
  const MutexLock lock(mutex_);
  changed_.NotifyAll();
}

bool WorkerPool::AwaitStop(Duration timeout) {
  const SteadyTime end = clock_.SteadyNow() + timeout;
  const MutexLock lock(mutex_);
  while (running_ > 0) {
    const auto left = end - clock_.SteadyNow();
    if (left <= std::chrono::nanoseconds::zero()) return false;
    ended_.WaitFor(mutex_, left);
  }
  return true;
}

std::size_t WorkerPool::depth() const {
  const MutexLock lock(mutex_);
  return queue_.size();
}

std::size_t WorkerPool::due() const {
  const MutexLock lock(mutex_);
  return queue_.due();
}

void WorkerPool::Run(const std::stop_token& stop) {
  while (const std::optional<WorkItem> item = Take(stop)) WorkOn(*item);
  const MutexLock lock(mutex_);
  --running_;
  ended_.NotifyAll();
}

std::optional<WorkItem> WorkerPool::Take(const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    const Time now = QueueNow(clock_);
    if (std::optional<WorkItem> item = queue_.Pop(now)) {
      // Somebody has to look after what comes next, while this one works.
      if (!timed_for_ || queue_.due() > 0) changed_.NotifyOne();
      // A key that came by its time has waited for nobody.
      const auto added = added_.extract(item->key);
      const auto wait = added ? clock_.SteadyNow() - added.mapped() : std::chrono::nanoseconds(0);
      metrics_.ObserveWait(std::chrono::duration_cast<Duration>(wait));
      return item;
    }
    const Time due = std::min(queue_.NextDue().value_or(Time::max()), now + kLongestWait);
    // Whoever wakes looks again: the time of a key that came since may be the nearest.
    if (timed_for_ && *timed_for_ <= due) {
      changed_.Wait(mutex_);
      continue;
    }
    timed_for_ = due;
    changed_.WaitFor(mutex_, std::max(due - now, Duration(1)));
    if (timed_for_ == due) timed_for_.reset();
  }
  return std::nullopt;
}

Time WorkerPool::AfterFailure(const WorkKey& key, const Status& failure) {
  ++errors_;
  metrics_.CountRetry();
  Duration pause{};
  std::int64_t others = 0;
  bool logged = false;
  {
    const MutexLock lock(mutex_);
    const int doublings = std::min(failures_[key]++, kMostDoublings);
    const bool away = failure.reason() == Reason::kServiceUnavailable;
    pause = std::min(away ? kLongestAway : kLongestPause, kAfterFailure * (1 << doublings));
    logged = clock_.SteadyNow() >= next_log_;
    if (logged) {
      next_log_ = clock_.SteadyNow() + kLogSpacing;
      others = std::exchange(unlogged_, 0);
    } else {
      ++unlogged_;
    }
  }
  if (logged) {
    Log(LogLevel::kError, "reconcile failed",
        {{"kind", KindName(key.kind)},
         {"namespace", key.namespace_name},
         {"name", key.name},
         {"error", failure.ToString()},
         {"othersBefore", others}});
  }
  return clock_.Now() + pause;
}

void WorkerPool::WorkOn(const WorkItem& item) {
  const SteadyTime begun = clock_.SteadyNow();
  const Result<std::optional<Time>> next = work_(item);
  ++reconciles_;
  const ReconcileResult result = !next.ok() ? ReconcileResult::kError
                                 : *next    ? ReconcileResult::kRequeueAfter
                                            : ReconcileResult::kSuccess;
  metrics_.ObserveReconcile(item.key.kind, result,
                            std::chrono::duration_cast<Duration>(clock_.SteadyNow() - begun));
  std::optional<Time> again;
  if (next.ok()) {
    again = *next;
  } else {
    again = AfterFailure(item.key, next.status());
  }
  const Time at = again ? QueueTimeOf(*again, clock_) : Time();
  const MutexLock lock(mutex_);
  if (next.ok()) failures_.erase(item.key);
  if (again) queue_.AddAt(item.key, at);
  queue_.Done(item.key);
}

}  // namespace asyncops::reconciler
