#include "reconciler/object_watch.h"

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/mutex.h"

namespace asyncops::reconciler {
namespace {

constexpr int kPage = 200;
// Notifications are hints: look anyway now and then.
constexpr std::chrono::seconds kLookAnyway{30};
constexpr std::chrono::seconds kAfterFailure{1};

storage::Record RecordOf(const std::string& resource, const storage::ListRow& row) {
  return {.key = {resource, std::string(row.namespace_name), std::string(row.name)},
          .uid = std::string(row.uid),
          .revision = row.revision,
          .json = std::string(row.json),
          .summary = {},
          .labels = storage::EncodedPairs::OfText(row.labels),
          .fields = storage::EncodedPairs::OfText(row.fields)};
}

class ObjectWatch final : public storage::Subscription {
 public:
  ObjectWatch(storage::Store& store, std::string resource, ObjectChanged changed,
              FieldSelector first)
      : store_(store),
        resource_(std::move(resource)),
        changed_(std::move(changed)),
        first_(std::move(first)) {
    subscription_ = store_.Subscribe(resource_, [this] { Notify(); });
    thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
  }

  ~ObjectWatch() override {
    subscription_.reset();
    thread_.request_stop();
    Notify();
    thread_.join();
  }

 private:
  void Notify() ASYNCOPS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    notified_ = true;
    wake_.NotifyAll();
  }

  void Wait(const std::stop_token& stop, std::chrono::seconds most) ASYNCOPS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (!notified_ && !stop.stop_requested()) wake_.WaitFor(mutex_, most);
    notified_ = false;
  }

  void Run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const Result<storage::Revision> listed =
          ForEachObject(store_, resource_, "", first_,
                        [this](const storage::Record& record) { changed_(record, false); });
      // What was missed may be a change of any.
      if (listed.ok()) first_ = FieldSelector();
      const Status ended = listed.ok() ? Follow(stop, *listed) : listed.status();
      if (ended.ok() || ended.reason() == Reason::kExpired) continue;
      Log(LogLevel::kWarning, "watching objects failed",
          {{"resource", resource_}, {"error", ended.ToString()}});
      Wait(stop, kAfterFailure);
    }
  }

  // OK where it was stopped.
  Status Follow(const std::stop_token& stop, storage::Revision after) {
    while (!stop.stop_requested()) {
      const Result<storage::ChangeBatch> batch = store_.Changes(resource_, "", after, kPage);
      if (!batch.ok()) return batch.status();
      for (const std::shared_ptr<const storage::Change>& change : batch->changes)
        changed_(change->record, change->type == storage::ChangeType::kDeleted);
      after = batch->through;
      if (batch->changes.empty()) Wait(stop, kLookAnyway);
    }
    return Status::Ok();
  }

  storage::Store& store_;
  const std::string resource_;
  const ObjectChanged changed_;
  FieldSelector first_;  // of the thread
  std::unique_ptr<storage::Subscription> subscription_;
  Mutex mutex_;
  CondVar wake_;
  bool notified_ ASYNCOPS_GUARDED_BY(mutex_) = false;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace

std::unique_ptr<storage::Subscription> WatchObjects(storage::Store& store, std::string resource,
                                                    ObjectChanged changed, FieldSelector first) {
  return std::make_unique<ObjectWatch>(store, std::move(resource), std::move(changed),
                                       std::move(first));
}

Result<storage::Revision> ForEachObject(const storage::Store& store, const std::string& resource,
                                        const std::string& namespace_name,
                                        const FieldSelector& fields,
                                        const std::function<void(const storage::Record&)>& seen) {
  storage::ListQuery query;
  query.resource = resource;
  query.namespace_name = namespace_name;
  query.fields = fields;
  query.limit = kPage;
  query.parts.values = true;
  std::vector<storage::Record> rows;
  const auto keep = [&rows, &resource](const storage::ListRow& row) {
    rows.push_back(RecordOf(resource, row));
    return true;
  };
  while (true) {
    const Result<storage::ListEnd> end = store.ListRows(query, keep);
    if (!end.ok()) return end.status();
    for (const storage::Record& record : std::exchange(rows, {})) seen(record);
    if (!end->more) return end->revision;
    ContinueAfter(*end, &query);
  }
}

}  // namespace asyncops::reconciler
