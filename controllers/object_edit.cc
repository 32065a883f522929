#include "controllers/object_edit.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "api/fieldmanager/updater.h"
#include "base/json_raw.h"
#include "base/log.h"
#include "base/rfc3339.h"
#include "storage/object_version.h"

namespace asyncops::controllers {
namespace {

// Each round means that somebody else wrote the object; nobody does so for ever.
constexpr int kMaxRounds = 100;

// One object of a batch; shared with the writer's thread.
struct Edited {
  storage::ObjectKey key;
  storage::Revision revision = 0;
  Edit edit = Edit::kKeep;
  storage::ObjectVersion version;
  bool overtaken = false;
};
using Batch = std::vector<Edited>;

void LogDamage(const storage::ObjectKey& key) {
  Log(LogLevel::kError, "a stored object does not parse",
      {{"resource", key.resource}, {"namespace", key.namespace_name}, {"name", key.name}});
}

Status Write(Batch* batch, storage::Transaction& transaction) {
  for (Edited& one : *batch) {
    const Result<storage::Revision> written =
        one.edit == Edit::kRemove ? transaction.Delete(one.key, one.revision, one.version.encoded)
                                  : transaction.Update(one.key, one.revision, one.version);
    one.overtaken = written.status().reason() == Reason::kConflict;
    const bool gone = written.status().reason() == Reason::kNotFound;
    if (!written.ok() && !one.overtaken && !gone) return written.status();
  }
  return Status::Ok();
}

void Track(const ResourceInfo& resource, Time now, const Json& old_object, Json* new_object) {
  fieldmanager::TrackWholeUpdate(*resource.schema,
                                 {.name = std::string(kControllerManager),
                                  .api_version = resource.GroupVersion(),
                                  .subresource = "",
                                  .time = FormatTime(now)},
                                 &old_object, new_object);
}

Status Prepare(const storage::Store& store, Time now, const storage::ObjectKey& key,
               const EditFunction& edit, Batch* batch) {
  const ResourceInfo* resource = ResourceOf(key);
  const Result<storage::Record> record = store.Get(key);
  if (record.status().reason() == Reason::kNotFound || resource == nullptr) return Status::Ok();
  if (!record.ok()) return record.status();
  Result<Json> object = ParseJson(record->json);
  if (!object.ok()) {
    // Waiting for it to mend would keep everything else from being done.
    LogDamage(key);
    return Status::Ok();
  }
  Edited one{.key = key, .revision = record->revision, .edit = Edit::kKeep, .version = {}};
  const Json before = *object;
  one.edit = edit(key, &*object);
  if (one.edit == Edit::kKeep) return Status::Ok();
  if (one.edit == Edit::kUpdate) Track(*resource, now, before, &*object);
  one.version = storage::MakeObjectVersion(*resource, *object);
  batch->push_back(std::move(one));
  return Status::Ok();
}

Status EditBatch(storage::Store& store, Time now, std::vector<storage::ObjectKey> keys,
                 const EditFunction& edit) {
  for (int i = 0; i < kMaxRounds && !keys.empty(); ++i) {
    const auto batch = std::make_shared<Batch>();
    for (const storage::ObjectKey& key : keys)
      ASYNCOPS_RETURN_IF_ERROR(Prepare(store, now, key, edit, batch.get()));
    if (batch->empty()) return Status::Ok();
    ASYNCOPS_RETURN_IF_ERROR(storage::WriteAndWait(
        store,
        [batch](storage::Transaction& transaction) { return Write(batch.get(), transaction); }));
    keys.clear();
    for (const Edited& one : *batch)
      if (one.overtaken) keys.push_back(one.key);
  }
  if (keys.empty()) return Status::Ok();
  return {Reason::kConflict, keys.front().resource + " \"" + keys.front().name +
                                 "\" is written by somebody else all the time"};
}

}  // namespace

Edit EditOf(DeletionStep step) {
  switch (step) {
    case DeletionStep::kNone: return Edit::kKeep;
    case DeletionStep::kUpdate: return Edit::kUpdate;
    case DeletionStep::kRemove: return Edit::kRemove;
  }
  return Edit::kKeep;
}

Status EditObjects(storage::Store& store, Time now, const std::vector<storage::ObjectKey>& keys,
                   const EditFunction& edit) {
  for (auto next = keys.begin(); next != keys.end();) {
    const auto end = next + std::min<std::ptrdiff_t>(kEditBatch, keys.end() - next);
    ASYNCOPS_RETURN_IF_ERROR(EditBatch(store, now, {next, end}, edit));
    next = end;
  }
  return Status::Ok();
}

Status EditObject(storage::Store& store, Time now, const storage::ObjectKey& key,
                  const EditFunction& edit) {
  return EditBatch(store, now, {key}, edit);
}

Json MetadataOf(const storage::Record& record) {
  Result<Json> metadata = ParseJson(RawMember(record.json, "metadata"));
  if (!metadata.ok()) {
    LogDamage(record.key);
    return Json::Of({{"metadata", JsonObject()}});
  }
  return Json::Of({{"metadata", std::move(*metadata)}});
}

Result<std::optional<Json>> ReadMetadata(const storage::Store& store,
                                         const storage::ObjectKey& key) {
  const Result<storage::Record> record = store.Get(key);
  if (record.status().reason() == Reason::kNotFound) return std::optional<Json>();
  if (!record.ok()) return record.status();
  return std::optional<Json>(MetadataOf(*record));
}

const ResourceInfo* ResourceOf(const storage::ObjectKey& key) {
  const std::size_t dot = key.resource.find('.');
  if (dot == std::string::npos) return FindResource("", key.resource);
  const std::string_view name = key.resource;
  return FindResource(name.substr(dot + 1), name.substr(0, dot));
}

Status ForEachPage(const storage::Store& store, storage::ListQuery query,
                   const PageFunction& page) {
  while (true) {
    const Result<storage::ListPage> listed = store.List(query);
    if (!listed.ok()) return listed.status();
    if (listed->rows.empty()) return Status::Ok();
    const Result<bool> go_on = page(listed->rows);
    if (!go_on.ok()) return go_on.status();
    if (!*go_on || !listed->more) return Status::Ok();
    // Rows that come behind this one while we work are wanted too, so each page is of the newest
    // state.
    query.after_namespace = listed->rows.back().key.namespace_name;
    query.after_name = listed->rows.back().key.name;
  }
}

}  // namespace asyncops::controllers
