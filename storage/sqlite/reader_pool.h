// The connections that reads share.
#ifndef ASYNCOPS_STORAGE_SQLITE_READER_POOL_H_
#define ASYNCOPS_STORAGE_SQLITE_READER_POOL_H_

#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "storage/sqlite/database.h"
#include "storage/sqlite/mailbox_table.h"
#include "storage/sqlite/matched_cache.h"
#include "storage/sqlite/object_reader.h"
#include "storage/sqlite/operation_table.h"
#include "storage/sqlite/resources.h"

namespace asyncops::storage {

// One connection with its statements. For one thread at a time.
class Reader {
 public:
  Reader(std::unique_ptr<Database> database, const Resources& resources, MatchedCache& cache);
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Database& database() { return *database_; }
  ObjectReader& objects() { return objects_; }
  OperationTable& operations() { return operations_; }
  MailboxTable& mailbox() { return mailbox_; }

 private:
  friend class ReaderPool;
  // Whether it was taken since the pool looked last, or before, so that it may have pages.
  enum class Use { kNone, kBefore, kSince };

  Use use_ = Use::kNone;  // the pool's
  const std::unique_ptr<Database> database_;
  ObjectReader objects_;
  OperationTable operations_;
  MailboxTable mailbox_;
};

// Safe for use from several threads. All leases end before it does.
class ReaderPool {
 public:
  // A reader of one's own until it goes.
  class Lease {
   public:
    Lease(ReaderPool& pool, std::unique_ptr<Reader> reader);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Reader* operator->() { return reader_.get(); }

   private:
    ReaderPool& pool_;
    std::unique_ptr<Reader> reader_;
  };

  // Opens `count` connections.
  static Result<std::unique_ptr<ReaderPool>> Open(const std::string& path, const std::string& vfs,
                                                  const Resources& resources, int count);
  ReaderPool();
  ReaderPool(const ReaderPool&) = delete;
  ReaderPool& operator=(const ReaderPool&) = delete;

  // Waits for a free one: reads are short.
  Lease Take();
  // Drops the pages of readers that nobody took since the last call; whether there were some.
  bool ReleaseUnused();
  // Whether some read found the file damaged or its disk broken; kNone while all is well.
  Fault fault() const;

 private:
  void Return(std::unique_ptr<Reader> reader);

  MatchedCache matched_;  // of all readers

  mutable Mutex mutex_;
  CondVar returned_;
  std::vector<std::unique_ptr<Reader>> free_ ASYNCOPS_GUARDED_BY(mutex_);
  Fault fault_ ASYNCOPS_GUARDED_BY(mutex_) = Fault::kNone;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_READER_POOL_H_
