#include "reconciler/worker_pool.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/thread.h"

namespace asyncops::reconciler {
namespace {

// Should a notification be lost, what is due is looked at this often anyway.
constexpr Duration kLongestWait = std::chrono::seconds(5);
// With thousands of polls a second each would wake a thread of its own. So times are those of a
// grid, later than was asked for by at most this and at most a part of the wait; who wakes takes
// all keys of its moment, and gets help where they are many or one of them holds it up for this
// long.
constexpr Duration kTick = std::chrono::milliseconds(5);
constexpr int kTicksOfWait = 64;
constexpr std::size_t kKeysOfOne = 8;
// After a failure of our own, such as a full disk.
constexpr Duration kAfterFailure = std::chrono::seconds(2);
constexpr int kMostDoublings = 5;
constexpr Duration kLongestPause = std::chrono::minutes(1);
// kube-apiserver is back all of a sudden, and refusals while it is away cost little: status catches
// up within this time.
constexpr Duration kLongestAway = std::chrono::seconds(15);
// Where kube-apiserver is away all keys may fail.
constexpr std::chrono::seconds kLogSpacing{1};

// The queue's time of a wall-clock time, or the next one of the grid.
Time GridTimeOf(Time due, const Clock& clock) {
  const Time at = QueueTimeOf(due, clock);
  if (at == Time::min()) return at;
  const Duration wait = at - QueueNow(clock);
  const Duration grain = std::clamp(wait / kTicksOfWait, Duration(1), kTick);
  return Time(at.time_since_epoch() + (grain - at.time_since_epoch() % grain) % grain);
}

}  // namespace

WorkerPool::WorkerPool(int workers, Work work, const Clock& clock, ReconcileMetrics& metrics,
                       Duration kept_idle)
    : work_(std::move(work)),
      clock_(clock),
      metrics_(metrics),
      workers_(std::max(workers, 1)),
      kept_idle_(kept_idle) {
  const MutexLock lock(mutex_);
  Start(false);
}

WorkerPool::~WorkerPool() {
  RequestStop();
  Join();
}

void WorkerPool::Join() {
  std::vector<std::jthread> threads;
  {
    const MutexLock lock(mutex_);
    while (running_ > 0) ended_.Wait(mutex_);
    threads.swap(ended_threads_);
  }
  for (std::jthread& thread : threads) thread.join();
}

bool WorkerPool::Start(bool watches) {
  if (running_ == workers_ || stop_.stop_requested()) return false;
  // These have nothing left to do that needs the lock.
  ended_threads_.clear();
  std::optional<std::jthread> thread =
      StartThread([this, watches] { Run(stop_.get_token(), watches); });
  if (!thread) return false;
  threads_.push_back(*std::move(thread));
  ++running_;
  return true;
}

void WorkerPool::End() {
  const auto self = std::ranges::find(threads_, std::this_thread::get_id(), &std::jthread::get_id);
  ended_threads_.push_back(std::move(*self));
  threads_.erase(self);
  --running_;
  ended_.NotifyAll();
}

void WorkerPool::Add(const WorkKey& key, bool nudged, std::int64_t changed) {
  metrics_.CountAdd();
  const SteadyTime now = clock_.SteadyNow();
  const MutexLock lock(mutex_);
  added_.try_emplace(key, now);
  queue_.Add(key, nudged, changed);
  Help(QueueNow(clock_));
}

void WorkerPool::AddAt(const WorkKey& key, Time due, WorkLevel level) {
  metrics_.CountAdd();
  const Time at = GridTimeOf(due, clock_);
  const MutexLock lock(mutex_);
  queue_.AddAt(key, at, level);
  Help(QueueNow(clock_));
}

void WorkerPool::RequestStop() {
  stop_.request_stop();
  const MutexLock lock(mutex_);
  if (timer_ != nullptr) Wake(std::exchange(timer_, nullptr), false);
  while (WakeIdle(false)) {
  }
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

std::int64_t WorkerPool::threads() const {
  const MutexLock lock(mutex_);
  return running_;
}

void WorkerPool::Run(const std::stop_token& stop, bool watches) {
  Waiter self{.woken = {}, .is_woken = false, .watches = watches};
  while (const std::optional<WorkItem> item = Take(stop, &self)) WorkOn(*item);
  const MutexLock lock(mutex_);
  End();
}

std::optional<WorkItem> WorkerPool::Take(const std::stop_token& stop, Waiter* self) {
  const MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    const Time now = QueueNow(clock_);
    std::optional<WorkItem> item;
    if (!std::exchange(self->watches, false)) item = queue_.Pop(now);
    if (!item) {
      if (!Rest(self, now)) return std::nullopt;
      continue;
    }
    Watch(now);
    // A key that came by its time has waited for nobody.
    const auto added = added_.extract(item->key);
    const auto wait = added ? clock_.SteadyNow() - added.mapped() : std::chrono::nanoseconds(0);
    metrics_.ObserveWait(std::chrono::duration_cast<Duration>(wait));
    return item;
  }
  return std::nullopt;
}

Time WorkerPool::WatchUntil(Time now) const {
  const Time next = queue_.NextDue().value_or(Time::max());
  return next <= now ? now + kTick : std::min(next, now + kLongestWait);
}

bool WorkerPool::Rest(Waiter* self, Time now) {
  const Time until = WatchUntil(now);
  self->is_woken = false;
  if (timer_ != nullptr && timer_due_ <= until) return AwaitWord(self);
  WatchTime(self, now, until);
  return true;
}

bool WorkerPool::AwaitWord(Waiter* self) {
  idle_.push_back(self);
  while (!self->is_woken) {
    if (self->woken.WaitFor(mutex_, kept_idle_) || self->is_woken) continue;
    std::erase(idle_, self);
    return false;
  }
  return true;
}

void WorkerPool::WatchTime(Waiter* self, Time now, Time until) {
  // Who waits for a later time has nothing to wait for any more.
  if (timer_ != nullptr) idle_.push_back(timer_);
  timer_ = self;
  timer_due_ = until;
  self->woken.WaitFor(mutex_, until - now);
  if (self->is_woken) return;
  // Another one may have waited for an earlier time since.
  if (timer_ == self) timer_ = nullptr;
  std::erase(idle_, self);
  queue_.MakeDue(QueueNow(clock_));
  for (std::size_t keys = queue_.due(); keys > kKeysOfOne && WakeOne(false); keys -= kKeysOfOne) {
  }
}

void WorkerPool::Watch(Time now) {
  if (timer_ != nullptr && timer_due_ <= WatchUntil(now)) return;
  if (timer_ == nullptr) {
    WakeOne(true);
  } else {
    Wake(std::exchange(timer_, nullptr), true);
  }
}

void WorkerPool::Help(Time now) {
  if (queue_.NextDue().value_or(Time::max()) > now) return Watch(now);
  if (WakeIdle(false)) return;
  if (timer_ != nullptr) return Wake(std::exchange(timer_, nullptr), false);
  Start(false);
}

bool WorkerPool::WakeOne(bool watches) { return WakeIdle(watches) || Start(watches); }

bool WorkerPool::WakeIdle(bool watches) {
  if (idle_.empty()) return false;
  Waiter* const last = idle_.back();
  idle_.pop_back();
  Wake(last, watches);
  return true;
}

void WorkerPool::Wake(Waiter* waiter, bool watches) {
  waiter->is_woken = true;
  waiter->watches = watches;
  waiter->woken.NotifyOne();
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
  const Time at = again ? GridTimeOf(*again, clock_) : Time();
  const MutexLock lock(mutex_);
  if (next.ok()) failures_.erase(item.key);
  if (again) queue_.AddAt(item.key, at);
  queue_.Done(item.key);
}

}  // namespace asyncops::reconciler
