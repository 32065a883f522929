// The contract of storage: versioned objects behind one monotonic revision, a log of their changes,
// and the engine's rows, all written by transactions that are durable when they are acknowledged.
// Every implementation passes tests/contract/storage.
#ifndef ASYNCOPS_STORAGE_STORE_H_
#define ASYNCOPS_STORAGE_STORE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta/field_selector.h"
#include "api/meta/label_selector.h"
#include "base/limits.h"
#include "storage/change.h"
#include "storage/found_names.h"
#include "storage/mailbox.h"
#include "storage/operation_row.h"
#include "storage/record.h"

namespace asyncops::storage {

// What the rows of a list carry besides their key and revision. What nobody asks for is not read.
struct RowParts {
  bool json = true;     // json and uid
  bool values = false;  // labels and fields
  // Where not "": the summary, if the store has one of that state and it begins so; json and uid
  // otherwise.
  std::string summary_prefix = {};
};

struct ListQuery {
  std::string resource;
  std::string namespace_name;  // "" for all namespaces
  LabelSelector labels;
  FieldSelector fields;  // may also name metadata.name and metadata.namespace
  // The state at this revision; 0 for the newest. Kept for kChangeLogRetention at least.
  Revision at = 0;
  // Rows after this one in the order of (namespace, name); nothing for the first page.
  std::string after_namespace;
  std::string after_name;
  int limit = kMaxRowsPerRead;  // 1 to kMaxRowsPerRead
  RowParts parts;
  // What the call for the rows before these found beyond them (ListEnd), of the same query at the
  // same revision: it spares a second search. Null where there is none.
  std::shared_ptr<const FoundNames> found = nullptr;
};

// A row as it stands in the store: views that end with the call that shows it. "" is what is not
// asked for. Labels and fields are texts of EncodedPairs.
struct ListRow {
  std::string_view namespace_name = {};
  std::string_view name = {};
  Revision revision = 0;
  std::string_view uid = {};
  std::string_view json = {};
  std::string_view summary = {};
  std::string_view labels = {};
  std::string_view fields = {};
};

// Takes a row; whether it wants the next one, too. It runs within a read of the store: it must be
// quick, must not block, and must not call the store.
using RowFunction = std::function<bool(const ListRow&)>;

// Where a list that was shown stands.
struct ListEnd {
  Revision revision = 0;            // of the snapshot: the same for all pages of one `at`
  bool more = false;                // whether rows follow the last one
  std::string last_namespace = {};  // of the last row that was shown
  std::string last_name = {};
  std::shared_ptr<const FoundNames> found = nullptr;  // for the next call
};

// Makes the query ask for what follows.
void ContinueAfter(const ListEnd& end, ListQuery* query);

struct ListPage {
  Revision revision = 0;     // of the snapshot: the same for all pages of one `at`
  std::vector<Record> rows;  // by (namespace, name); filled up to the limit where there are as many
  bool more = false;         // whether rows follow the last one
};

// The write side, inside one transaction on the writer's thread: everything in it becomes durable
// together or not at all. Reads see the transaction's own writes. Not shared between threads, not
// kept after it.
class Transaction {
 public:
  virtual ~Transaction() = default;
  // Its json and uid. NotFound where there is no such object.
  virtual Result<Record> Get(const ObjectKey& key) = 0;
  // The new revision. AlreadyExists where the key is taken.
  virtual Result<Revision> Create(const ObjectKey& key, const ObjectVersion& version) = 0;
  // The new revision. NotFound; Conflict where `expected` is not 0 and not the present revision.
  virtual Result<Revision> Update(const ObjectKey& key, Revision expected,
                                  const ObjectVersion& version) = 0;
  // The deletion's revision. `last_state` is what watchers get. NotFound, Conflict as in Update.
  virtual Result<Revision> Delete(const ObjectKey& key, Revision expected,
                                  const EncodedObject& last_state) = 0;
  virtual OperationRows& operations() = 0;
  virtual Mailbox& mailbox() = 0;
};

// Reads of the engine's rows. Safe for use from several threads.
class EngineReader {
 public:
  virtual ~EngineReader() = default;
  // The row of the latest submission; NotFound where there is none.
  virtual Result<OperationRow> LatestOperation(std::string_view uid) const = 0;
  // As OperationRows::FindByOperationId.
  virtual Result<std::vector<OperationRow>> FindByOperationId(std::string_view namespace_name,
                                                              std::string_view operation_id,
                                                              int limit) const = 0;
  // The history of one operation after this sequence, oldest first, at most `limit`
  // (kMaxHistoryRows).
  virtual Result<std::vector<Attempt>> History(std::string_view uid, std::int64_t after,
                                               int limit) const = 0;
  // Undelivered messages, oldest first.
  virtual Result<std::vector<OutboxMessage>> Outbox(int limit) const = 0;
  // Messages with a body that came for this submission, oldest first, at most `limit`.
  virtual Result<std::vector<InboxMessage>> Inbox(std::string_view uid, int submission,
                                                  int limit) const = 0;
};

// Ends the notifications when it is destroyed; after that the callback is not running (on another
// thread) and will not run. It ends before its store.
class Subscription {
 public:
  virtual ~Subscription() = default;
};

using WriteFunction = std::function<Status(Transaction&)>;
using WriteDone = std::function<void(const Status&)>;

// Safe for use from several threads. Reads see everything that was acknowledged before they began.
class Store {
 public:
  virtual ~Store() = default;

  // Its json and uid. NotFound where there is no such object. The Status of the store names the key
  // only; callers that answer clients word it (asyncops::NotFound).
  virtual Result<Record> Get(const ObjectKey& key) const = 0;

  // Shows the rows of one page, by (namespace, name), until the limit or until `row` wants no more.
  // Expired where the state at `at` is compacted away; BadRequest where `at` is in the future. A
  // failure may come after some rows.
  virtual Result<ListEnd> ListRows(const ListQuery& query, const RowFunction& row) const = 0;
  // The same page as values.
  Result<ListPage> List(const ListQuery& query) const;

  // Changes of one resource with revision > after, at most `limit`, in one namespace ("" for all).
  // An empty batch says that nothing came since. Expired where `after` is older than what is kept.
  virtual Result<ChangeBatch> Changes(std::string_view resource, std::string_view namespace_name,
                                      Revision after, int limit) const = 0;

  // The newest committed revision; 1 where nothing was ever written.
  virtual Revision revision() const = 0;

  // Calls `notify` after each commit that changed the resource ("" for any). It runs on the
  // writer's thread: it must be quick, must not block, and must not call the store. It is a hint:
  // read Changes.
  virtual std::unique_ptr<Subscription> Subscribe(std::string resource,
                                                  std::function<void()> notify) = 0;

  // Runs `write` in a transaction on the writer's thread, together with others (group commit); then
  // calls `done` on that thread. OK: it is durable. Otherwise nothing of it is stored: the failure
  // that `write` returned, or ServiceUnavailable where the store cannot write (disk full, stopping)
  // or is too far behind. `write` must be quick, must not block and must not throw. Both run
  // exactly once (`write` not at all where the store refuses first; `done` may then run on the
  // caller's thread, before Write returns).
  virtual void Write(WriteFunction write, WriteDone done) = 0;

  // OK while the store can do its work. ServiceUnavailable once it cannot until the server is
  // restarted (the file is damaged, the disk failed): every later write is refused. A full disk is
  // not among these.
  virtual Status Health() const = 0;

  virtual const EngineReader& engine() const = 0;
};

// Write, waiting for the end of it. Not for the writer's own thread.
Status WriteAndWait(Store& store, WriteFunction write);

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_STORE_H_
