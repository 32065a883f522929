#include "storage/store.h"

#include <optional>
#include <utility>

#include "base/mutex.h"

namespace asyncops::storage {
namespace {

// A status that one thread hands to another.
class Handover {
 public:
  void Set(const Status& status) {
    const MutexLock lock(mutex_);
    status_ = status;
    set_.NotifyOne();
  }
  Status Wait() {
    const MutexLock lock(mutex_);
    while (!status_) set_.Wait(mutex_);
    return *status_;
  }

 private:
  Mutex mutex_;
  CondVar set_;
  std::optional<Status> status_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace

void ContinueAfter(const ListEnd& end, ListQuery* query) {
  query->at = end.revision;
  query->after_namespace = end.last_namespace;
  query->after_name = end.last_name;
  query->found = end.found;
}

Result<ListPage> Store::List(const ListQuery& query) const {
  ListPage page;
  Result<ListEnd> end = ListRows(query, [&page, &query](const ListRow& row) {
    page.rows.push_back(
        {.key = {query.resource, std::string(row.namespace_name), std::string(row.name)},
         .uid = std::string(row.uid),
         .revision = row.revision,
         .json = std::string(row.json),
         .summary = std::string(row.summary),
         .labels = EncodedPairs::OfText(row.labels),
         .fields = EncodedPairs::OfText(row.fields)});
    return true;
  });
  if (!end.ok()) return end.status();
  page.revision = end->revision;
  page.more = end->more;
  return page;
}

Status WriteAndWait(Store& store, WriteFunction write) {
  Handover end;
  store.Write(std::move(write), [&end](const Status& status) { end.Set(status); });
  return end.Wait();
}

}  // namespace asyncops::storage
