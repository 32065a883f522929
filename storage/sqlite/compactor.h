// Removes states that nobody may ask for any more.
#ifndef ASYNCOPS_STORAGE_SQLITE_COMPACTOR_H_
#define ASYNCOPS_STORAGE_SQLITE_COMPACTOR_H_

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "storage/record.h"
#include "storage/sqlite/database.h"

namespace asyncops::storage {

// For the writer's thread. It notes about once a second which revision was the newest, so that it
// knows what has been superseded for kChangeLogRetention; then it walks the log from where it
// stopped and deletes what each row replaced. The connection and the clock outlive it.
class Compactor {
 public:
  Compactor(Database& database, const Clock& clock);

  // One step inside the present transaction: looks at `rows` rows of the log at most. `committed`
  // is the newest revision that is durable.
  Status Step(Revision committed, int rows);

  // The transaction of the latest step was rolled back: what it noted is not in the file.
  void Reload() { loaded_ = false; }

  // Whether the latest step left something that can be removed now.
  bool behind() const { return compacted_ < target_; }
  // Whether something may become removable by time alone.
  bool waiting() const { return !loaded_ || compacted_ < committed_; }

 private:
  Status Note(Revision committed, Time now);
  Status FindTarget(Time now);
  // Removes what the rows of the log after compacted_ replaced, and tombstones.
  Status RemoveReplaced(int rows);
  Status Remove(Revision revision);
  Status Remember();

  const Clock& clock_;
  Statement note_;
  Statement newest_note_;
  Statement find_target_;
  Statement forget_notes_;
  Statement read_compacted_;
  Statement set_compacted_;
  Statement log_;
  Statement delete_version_;
  Statement delete_past_;

  bool loaded_ = false;
  Revision compacted_ = 0;  // as the file says
  Revision target_ = 0;     // may be removed
  Revision committed_ = 0;
  Revision noted_ = 0;
  Time noted_at_{};
  Time looked_at_{};
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_COMPACTOR_H_
