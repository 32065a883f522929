#include "reconciler/shard.h"

#include <algorithm>
#include <chrono>

#include "base/log.h"

namespace asyncops::reconciler {
namespace {

// The wall clock may jump: what is due is looked at this often anyway.
constexpr Duration kLongestWait = std::chrono::seconds(5);
// After a failure of our own, such as a full disk.
constexpr Duration kAfterFailure = std::chrono::seconds(2);

}  // namespace

Shard::Shard(const ReconcilerParts& parts, Ownership owner, ReconcileMetrics& metrics)
    : clock_(parts.clock),
      metrics_(metrics),
      operations_(parts, owner),
      resources_(parts),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

Shard::~Shard() {
  RequestStop();
  Join();
}

void Shard::Join() {
  if (thread_.joinable()) thread_.join();
}

void Shard::Add(const WorkKey& key, bool nudged) {
  metrics_.CountAdd();
  const SteadyTime now = clock_.SteadyNow();
  const MutexLock lock(mutex_);
  added_.try_emplace(key, now);
  queue_.Add(key, nudged);
  changed_.NotifyAll();
}

void Shard::AddAt(const WorkKey& key, Time due) {
  metrics_.CountAdd();
  const MutexLock lock(mutex_);
  queue_.AddAt(key, due);
  changed_.NotifyAll();
}

void Shard::RequestStop() {
  thread_.request_stop();
  const MutexLock lock(mutex_);
  changed_.NotifyAll();
}

bool Shard::AwaitStop(Duration timeout) {
  const SteadyTime end = clock_.SteadyNow() + timeout;
  const MutexLock lock(mutex_);
  while (!finished_) {
    const auto left = end - clock_.SteadyNow();
    if (left <= std::chrono::nanoseconds::zero()) return false;
    changed_.WaitFor(mutex_, left);
  }
  return true;
}

std::size_t Shard::depth() const {
  const MutexLock lock(mutex_);
  return queue_.size();
}

std::size_t Shard::due() const {
  const MutexLock lock(mutex_);
  return queue_.due();
}

void Shard::Run(const std::stop_token& stop) {
  while (const std::optional<WorkItem> item = Take(stop)) Work(*item);
  const MutexLock lock(mutex_);
  finished_ = true;
  changed_.NotifyAll();
}

std::optional<WorkItem> Shard::Take(const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    const Time now = clock_.Now();
    if (std::optional<WorkItem> item = queue_.Pop(now)) {
      // A key that came by its time has waited for nobody.
      const auto added = added_.extract(item->key);
      const auto wait = added ? clock_.SteadyNow() - added.mapped() : std::chrono::nanoseconds(0);
      metrics_.ObserveWait(std::chrono::duration_cast<Duration>(wait));
      return item;
    }
    const std::optional<Time> due = queue_.NextDue();
    const Duration wait = due ? std::min(*due - now, kLongestWait) : kLongestWait;
    changed_.WaitFor(mutex_, std::max(wait, Duration(1)));
  }
  return std::nullopt;
}

void Shard::Work(const WorkItem& item) {
  const ObjectName name{.namespace_name = item.key.namespace_name, .name = item.key.name};
  const SteadyTime begun = clock_.SteadyNow();
  const Result<std::optional<Time>> next = item.key.kind == WorkKey::Kind::kResource
                                               ? resources_.Reconcile(name)
                                               : operations_.Reconcile(name, item.nudged);
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
    ++errors_;
    metrics_.CountRetry();
    again = clock_.Now() + kAfterFailure;
    Log(LogLevel::kError, "reconcile failed",
        {{"kind", item.key.kind == WorkKey::Kind::kResource ? "AsyncResource" : "AsyncOperation"},
         {"namespace", name.namespace_name},
         {"name", name.name},
         {"error", next.status().ToString()}});
  }
  const MutexLock lock(mutex_);
  if (again) queue_.AddAt(item.key, *again);
  queue_.Done(item.key);
}

}  // namespace asyncops::reconciler
