#include "storage/sqlite_store.h"

#include <utility>

#include "base/limits.h"
#include "storage/sqlite/change_ring.h"
#include "storage/sqlite/database_file.h"
#include "storage/sqlite/file_lock.h"
#include "storage/sqlite/reader_pool.h"
#include "storage/sqlite/resources.h"
#include "storage/sqlite/subscriptions.h"
#include "storage/sqlite/writer.h"

namespace asyncops::storage {
namespace {

class SqliteEngineReader final : public EngineReader {
 public:
  explicit SqliteEngineReader(ReaderPool& readers) : readers_(readers) {}

  Result<OperationRow> LatestOperation(std::string_view uid) const override {
    return readers_.Take()->operations().Latest(uid);
  }
  Result<std::vector<OperationRow>> FindByOperationId(std::string_view namespace_name,
                                                      std::string_view operation_id,
                                                      int limit) const override {
    return readers_.Take()->operations().FindByOperationId(namespace_name, operation_id, limit);
  }
  Result<std::vector<Attempt>> History(std::string_view uid, std::int64_t after,
                                       int limit) const override {
    return readers_.Take()->operations().History(uid, after, limit);
  }
  Result<std::vector<OutboxMessage>> Outbox(int limit) const override {
    return readers_.Take()->mailbox().Outbox(limit);
  }
  Result<std::vector<InboxMessage>> Inbox(std::string_view uid, int submission,
                                          int limit) const override {
    return readers_.Take()->mailbox().Inbox(uid, submission, limit);
  }

 private:
  ReaderPool& readers_;
};

// What has to be there before the store is: opened in this order, closed in the other.
struct Opened {
  std::unique_ptr<FileLock> lock;
  std::unique_ptr<Resources> resources;
  std::unique_ptr<Database> database;
  std::unique_ptr<ReaderPool> readers;
  Revision revision = 0;
};

class SqliteStore final : public Store {
 public:
  SqliteStore(Opened opened, const Clock& clock)
      : opened_(std::move(opened)),
        engine_(*opened_.readers),
        ring_(opened_.revision, kWatchRingChanges),
        writer_(std::make_unique<Writer>(WriterParts{*opened_.database, *opened_.resources, ring_,
                                                     subscriptions_, clock, *opened_.readers},
                                         opened_.revision)) {}

  ~SqliteStore() override {
    writer_.reset();
    opened_.readers.reset();
    const Fault fault = opened_.database->fault();
    if (fault == Fault::kDamaged || fault == Fault::kBroken) return;
    // A file that is not marked as whole is recovered from its WAL at the next start: nothing is
    // lost.
    if (!CloseDatabaseFile(*opened_.database).ok()) opened_.database->ClearFault();
  }

  Result<Record> Get(const ObjectKey& key) const override {
    return opened_.readers->Take()->objects().Get(key);
  }

  Result<ListEnd> ListRows(const ListQuery& query, const RowFunction& row) const override {
    return opened_.readers->Take()->objects().List(query, row);
  }

  Result<ChangeBatch> Changes(std::string_view resource, std::string_view namespace_name,
                              Revision after, int limit) const override {
    if (auto batch = ring_.Read(resource, namespace_name, after, limit)) return std::move(*batch);
    return opened_.readers->Take()->objects().Changes(resource, namespace_name, after, limit);
  }

  Revision revision() const override { return ring_.revision(); }

  std::unique_ptr<Subscription> Subscribe(std::string resource,
                                          std::function<void()> notify) override {
    return subscriptions_.Add(std::move(resource), std::move(notify));
  }

  void Write(WriteFunction write, WriteDone done) override {
    writer_->Submit(std::move(write), std::move(done));
  }

  Status Health() const override {
    for (const Fault fault : {writer_->fault(), opened_.readers->fault()})
      if (fault != Fault::kNone) return FaultStatus(fault);
    return Status::Ok();
  }

  const EngineReader& engine() const override { return engine_; }

 private:
  Opened opened_;
  SqliteEngineReader engine_;
  ChangeRing ring_;
  Subscriptions subscriptions_;
  std::unique_ptr<Writer> writer_;
};

Result<Opened> OpenParts(const SqliteStoreOptions& options) {
  Opened opened;
  auto lock = FileLock::Take(options.path + "-lock");
  if (!lock.ok()) return lock.status();
  opened.lock = std::move(*lock);
  auto database = OpenDatabaseFile(options.path, options.vfs);
  if (!database.ok()) return database.status();
  opened.database = std::move(*database);
  opened.resources = std::make_unique<Resources>();
  ASYNCOPS_RETURN_IF_ERROR(opened.resources->Load(*opened.database));
  auto readers = ReaderPool::Open(options.path, options.vfs, *opened.resources, kStoreReaders);
  if (!readers.ok()) return readers.status();
  opened.readers = std::move(*readers);
  const Result<Revision> revision = opened.readers->Take()->objects().NewestRevision();
  if (!revision.ok()) return revision.status();
  opened.revision = *revision;
  return opened;
}

}  // namespace

Result<std::unique_ptr<Store>> OpenSqliteStore(const SqliteStoreOptions& options,
                                               const Clock& clock) {
  Result<Opened> opened = OpenParts(options);
  if (!opened.ok()) return opened.status().WithContext("cannot open the store " + options.path);
  return std::unique_ptr<Store>(std::make_unique<SqliteStore>(std::move(*opened), clock));
}

}  // namespace asyncops::storage
