#include "storage/sqlite/writer.h"

#include <algorithm>
#include <utility>

#include "base/heap.h"
#include "base/limits.h"

namespace asyncops::storage {
namespace {

// After the latest write: soon enough to find the WAL small, late enough not to meet the next
// burst.
constexpr std::chrono::seconds kIdleAfter{1};
// The first time, when it is worth while to give memory back.
constexpr std::chrono::seconds kMemoryAfter{5};
// How often it is looked whether time alone made something removable, or reads ended.
constexpr std::chrono::seconds kIdleAgain{30};
// Free pages that are kept for the next writes: 8 MiB.
constexpr std::int64_t kSparePages = 1024;

// A checkpoint each 32 MiB of WAL rewrites hot index pages seldom, and leaves little to recover.
constexpr int kCheckpointPages = 4096;
// A WAL of this size could not be emptied, since there was always some reader: wait for the
// readers.
constexpr int kTruncatePages = 2 * kCheckpointPages;

Status Stopping() {
  return Status(Reason::kServiceUnavailable, "the store is stopping").WithRetryAfter(1);
}

Status TooFarBehind() {
  return Status(Reason::kServiceUnavailable, "the store is too far behind with its writes")
      .WithRetryAfter(1);
}

bool IsFinal(Fault fault) { return fault == Fault::kDamaged || fault == Fault::kBroken; }

}  // namespace

Writer::Writer(const WriterParts& parts, Revision revision)
    : database_(parts.database),
      ring_(parts.ring),
      subscriptions_(parts.subscriptions),
      transaction_(parts.database, parts.resources, revision),
      compactor_(parts.database, parts.clock),
      readers_(parts.readers),
      idle_after_(kIdleAfter),
      thread_([this] { Loop(); }) {}

Writer::~Writer() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    submitted_.NotifyAll();
  }
  thread_.join();
}

void Writer::Submit(WriteFunction write, WriteDone done) {
  Status refusal;
  if (const Fault fault = fault_.load(); fault != Fault::kNone) refusal = FaultStatus(fault);
  if (refusal.ok()) {
    const MutexLock lock(mutex_);
    if (stopping_) {
      refusal = Stopping();
    } else if (queue_.size() >= kMaxQueuedWrites) {
      refusal = TooFarBehind();
    } else {
      queue_.push_back({std::move(write), std::move(done)});
      if (queue_.size() == 1) submitted_.NotifyOne();
      return;
    }
  }
  done(refusal);
}

void Writer::Loop() {
  while (true) {
    switch (WaitForWork()) {
      case Wake::kWork: RunGroup(); break;
      case Wake::kIdle: RunIdle(); break;
      case Wake::kStop: return;
    }
  }
}

Writer::Wake Writer::WaitForWork() {
  const MutexLock lock(mutex_);
  while (queue_.empty()) {
    if (stopping_) return Wake::kStop;
    if (!idle_after_) {
      submitted_.Wait(mutex_);
    } else if (!submitted_.WaitFor(mutex_, *idle_after_) && queue_.empty() && !stopping_) {
      return Wake::kIdle;
    }
  }
  return Wake::kWork;
}

std::optional<Writer::Task> Writer::Take() {
  const MutexLock lock(mutex_);
  if (queue_.empty()) return std::nullopt;
  Task task = std::move(queue_.front());
  queue_.pop_front();
  return task;
}

void Writer::RunGroup() {
  std::vector<Finished> finished = RunTasks();
  EndGroup(&finished);
  for (const Finished& task : finished) task.done(task.status);
  // Later than the answers: they need not wait for it.
  if (!Checkpoint().ok()) JudgeFault();
  wal_used_ = memory_used_ = true;
  rested_ = false;
  idle_after_ = kIdleAfter;
}

std::vector<Writer::Finished> Writer::RunTasks() {
  std::vector<Finished> finished;
  finished.reserve(kMaxGroupWrites);
  const Fault final_fault = fault_.load();
  const Status begun =
      final_fault == Fault::kNone ? transaction_.Begin() : FaultStatus(final_fault);
  while (static_cast<int>(finished.size()) < kMaxGroupWrites) {
    std::optional<Task> task = Take();
    if (!task) break;
    Status status = begun.ok() ? transaction_.Run(task->write) : begun;
    finished.push_back({std::move(task->done), std::move(status)});
    if (begun.ok() && !transaction_.broken().ok()) break;
  }
  return finished;
}

void Writer::EndGroup(std::vector<Finished>* finished) {
  if (fault_.load() != Fault::kNone) return;
  if (transaction_.broken().ok()) {
    // Twice the rows that came keeps up with them, whatever the load.
    const int rows = std::max(2 * static_cast<int>(finished->size()), kCompactionStepRows / 4);
    if (!transaction_.Check(compactor_.Step(ring_.revision(), rows)).ok()) compactor_.Reload();
  }
  if (const Status committed = transaction_.Commit(); !committed.ok()) {
    for (Finished& task : *finished)
      if (task.status.ok()) task.status = committed;
    compactor_.Reload();
    JudgeFault();
    return;
  }
  ring_.Publish(transaction_.changes());
  subscriptions_.Notify(transaction_.changes());
  transaction_.changes().clear();
}

void Writer::RunIdle() {
  if (fault_.load() != Fault::kNone) {
    idle_after_.reset();
    return;
  }
  if (compactor_.waiting() || compactor_.behind()) {
    std::vector<Finished> none;
    if (transaction_.Begin().ok()) EndGroup(&none);
  }
  if (compactor_.behind()) {
    idle_after_ = std::chrono::seconds(0);
    wal_used_ = true;
    return;
  }
  // What fails for want of space is tried again at the next idle time.
  if (!ReturnSpace().ok()) JudgeFault();
  const bool rested = std::exchange(rested_, true);
  if (rested) ReturnMemory();
  idle_after_ = rested ? kIdleAgain : kMemoryAfter;
}

Status Writer::Checkpoint() {
  if (fault_.load() != Fault::kNone || database_.wal_pages() < kCheckpointPages)
    return Status::Ok();
  return database_.Execute(database_.wal_pages() < kTruncatePages
                               ? "PRAGMA wal_checkpoint(PASSIVE)"
                               : "PRAGMA wal_checkpoint(TRUNCATE)");
}

void Writer::JudgeFault() {
  if (IsFinal(database_.fault())) {
    fault_ = database_.fault();
  } else {
    database_.ClearFault();
  }
}

void Writer::ReturnMemory() {
  if (std::exchange(memory_used_, false)) database_.ReleaseMemory();
  // Who watches has read it by now, or reads it from disk.
  ring_.Forget();
  readers_.ReleaseUnused();
  // That of others, too: calls go on while nobody writes.
  ReturnFreeMemory();
}

Status Writer::ReturnSpace() {
  if (!wal_used_) return Status::Ok();
  const Result<std::int64_t> free = database_.QueryInt("PRAGMA freelist_count");
  if (!free.ok()) return free.status();
  if (*free > kSparePages) {
    const std::string vacuum =
        "PRAGMA incremental_vacuum(" + std::to_string(*free - kSparePages) + ")";
    ASYNCOPS_RETURN_IF_ERROR(database_.Execute(vacuum.c_str()));
  }
  ASYNCOPS_RETURN_IF_ERROR(database_.Execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  wal_used_ = false;
  return Status::Ok();
}

}  // namespace asyncops::storage
