// The one thread that writes.
#ifndef ASYNCOPS_STORAGE_SQLITE_WRITER_H_
#define ASYNCOPS_STORAGE_SQLITE_WRITER_H_

#include <atomic>
#include <chrono>
#include <deque>
#include <optional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "storage/sqlite/change_ring.h"
#include "storage/sqlite/compactor.h"
#include "storage/sqlite/database.h"
#include "storage/sqlite/reader_pool.h"
#include "storage/sqlite/resources.h"
#include "storage/sqlite/subscriptions.h"
#include "storage/sqlite/transaction.h"
#include "storage/store.h"

namespace asyncops::storage {

// What the writer works on; all of it outlives the writer, and the connection is the writer's
// alone.
struct WriterParts {
  Database& database;
  Resources& resources;
  ChangeRing& ring;
  Subscriptions& subscriptions;
  const Clock& clock;
  ReaderPool& readers;  // whose memory is given back in idle times
};

// Runs functions in the order of their submission, as many as wait in one commit, and compacts
// between them. The destructor runs what was submitted and joins the thread.
class Writer {
 public:
  // `revision` is the newest that was ever given.
  Writer(const WriterParts& parts, Revision revision);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // As Store::Write. Safe on any thread; a refusal calls `done` before it returns.
  void Submit(WriteFunction write, WriteDone done);

  // What ended all writing (kDamaged or kBroken), or kNone.
  Fault fault() const { return fault_.load(); }

 private:
  struct Task {
    WriteFunction write;
    WriteDone done;
  };
  struct Finished {
    WriteDone done;
    Status status;
  };
  enum class Wake { kWork, kIdle, kStop };

  void Loop();
  Wake WaitForWork();
  std::optional<Task> Take();
  void RunGroup();
  std::vector<Finished> RunTasks();
  void EndGroup(std::vector<Finished>* finished);
  // What is done while nobody waits: compaction, giving space and memory back, emptying the WAL.
  void RunIdle();
  Status ReturnSpace();
  // Gives back what writes, and reads that are over, needed in memory.
  void ReturnMemory();
  // Moves the WAL into the file where it has grown.
  Status Checkpoint();
  // Ends all writing where the latest failure was final, or forgets it.
  void JudgeFault();

  // The writer thread's own.
  Database& database_;
  ChangeRing& ring_;
  Subscriptions& subscriptions_;
  SqliteTransaction transaction_;
  Compactor compactor_;
  ReaderPool& readers_;
  bool wal_used_ = true;
  bool memory_used_ = true;
  bool rested_ = false;  // it was idle since the latest write
  std::optional<std::chrono::seconds> idle_after_;

  std::atomic<Fault> fault_ = Fault::kNone;

  Mutex mutex_;
  CondVar submitted_;
  std::deque<Task> queue_ ASYNCOPS_GUARDED_BY(mutex_);
  bool stopping_ ASYNCOPS_GUARDED_BY(mutex_) = false;

  std::jthread thread_;  // last: it uses all the others
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_WRITER_H_
