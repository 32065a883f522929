#include "reconciler/operation_object.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <utility>

#include "api/fieldmanager/updater.h"
#include "api/schema/binding.h"
#include "base/rfc3339.h"
#include "storage/object_version.h"

namespace asyncops::reconciler {
namespace {

// Each round means that somebody else wrote the object; nobody does so for ever.
constexpr int kMaxRounds = 100;

core::ObjectReference Reference(std::string api_version, std::string kind,
                                const std::string& namespace_name, std::string name,
                                std::string uid) {
  core::ObjectReference reference;
  reference.api_version = std::move(api_version);
  reference.kind = std::move(kind);
  reference.namespace_name = namespace_name;
  reference.name = std::move(name);
  reference.uid = std::move(uid);
  return reference;
}

// What one round writes; shared with the writer's thread.
struct Round {
  storage::ObjectKey key;
  storage::Revision revision = 0;
  bool changed = false;
  storage::ObjectVersion version;
  storage::WriteFunction more;
  bool overtaken = false;
  storage::Revision written = 0;  // the newest revision afterwards
};

Status WriteRound(const std::shared_ptr<Round>& round, storage::Transaction& transaction) {
  round->written = round->revision;
  if (round->changed) {
    const Result<storage::Revision> updated =
        transaction.Update(round->key, round->revision, round->version);
    if (!updated.ok()) {
      round->overtaken = updated.status().reason() == Reason::kConflict;
      return updated.status();
    }
    round->written = *updated;
  }
  return round->more ? round->more(transaction) : Status::Ok();
}

}  // namespace

void TrackOwnWrite(const ResourceInfo& resource, Time now, const Json* old_object,
                   Json* new_object) {
  fieldmanager::TrackWholeUpdate(*resource.schema,
                                 {.name = std::string(kReconcilerManager),
                                  .api_version = resource.GroupVersion(),
                                  .subresource = "",
                                  .time = FormatTime(now)},
                                 old_object, new_object);
}

const ResourceInfo& OperationResource() {
  static const ResourceInfo* const kResource = FindResource(kOperationsGroup, kAsyncOperations);
  assert(kResource != nullptr);
  return *kResource;
}

storage::ObjectKey OperationKey(const ObjectName& name) {
  return storage::KeyOf(OperationResource(), name.namespace_name, name.name);
}

void SetStatus(const AsyncOperationStatus& status, Json* object) {
  object->Set("status", AsyncOperationStatus::Binding().Encode(status));
}

void AddFinalizer(std::string_view finalizer, Json* object) {
  JsonObject& metadata = object->ObjectAt("metadata");
  Json& finalizers = metadata["finalizers"];
  if (!finalizers.is_array()) finalizers = JsonArray();
  for (const Json& item : finalizers.as_array()) {
    if (item.is_string() && item.as_string() == finalizer) return;
  }
  finalizers.as_array().push_back(Json(finalizer));
}

void RemoveFinalizer(std::string_view finalizer, Json* object) {
  Json* finalizers = object->ObjectAt("metadata").Find("finalizers");
  if (finalizers == nullptr || !finalizers->is_array()) return;
  std::erase_if(finalizers->as_array(), [finalizer](const Json& item) {
    return item.is_string() && item.as_string() == finalizer;
  });
  if (finalizers->as_array().empty()) object->ObjectAt("metadata").Erase("finalizers");
}

bool HasFinalizers(const Json& object) {
  const Json* finalizers = object.FindPath({"metadata", "finalizers"});
  return finalizers != nullptr && finalizers->is_array() && !finalizers->as_array().empty();
}

void SetAnnotation(std::string_view name, std::string_view value, Json* object) {
  Json& annotations = object->ObjectAt("metadata")["annotations"];
  annotations.Set(name, Json(value));
}

void DropAnnotation(std::string_view name, Json* object) {
  JsonObject& metadata = object->ObjectAt("metadata");
  Json* annotations = metadata.Find("annotations");
  if (annotations == nullptr || !annotations->is_object()) return;
  annotations->as_object().Erase(name);
  if (annotations->as_object().empty()) metadata.Erase("annotations");
}

std::vector<core::ObjectReference> EventSubjects(const AsyncOperation& operation) {
  const ObjectMeta& meta = operation.metadata;
  std::vector<core::ObjectReference> subjects;
  subjects.push_back(Reference(OperationResource().GroupVersion(), "AsyncOperation",
                               meta.namespace_name, meta.name, meta.uid));
  const std::optional<ResourceRef>& resource = operation.spec.resource_ref;
  if (resource && resource->kind == "AsyncResource" && !resource->uid.empty()) {
    subjects.push_back(Reference(resource->api_version, resource->kind, meta.namespace_name,
                                 resource->name, resource->uid));
  }
  return subjects;
}

namespace {

Result<KnownObject> ReadKnown(const storage::Store& store, const storage::ObjectKey& key,
                              const std::string& uid) {
  const Result<storage::Record> record = store.Get(key);
  if (!record.ok()) return record.status();
  if (record->uid != uid) return NotFound(kOperationsGroup, kAsyncOperations, key.name);
  Result<Json> object = ParseJson(record->json);
  if (!object.ok()) return object.status();
  return KnownObject{.revision = record->revision, .object = *std::move(object)};
}

}  // namespace

Status EditOperation(storage::Store& store, Time now, const ObjectName& name,
                     const std::string& uid,
                     const std::function<void(const AsyncOperation&, Json*)>& edit,
                     const storage::WriteFunction& more, bool always, KnownObject* known,
                     const AsyncOperation* newest) {
  KnownObject base;
  if (known != nullptr) base = std::exchange(*known, KnownObject());
  const bool begins = base.revision != 0;
  for (int i = 0; i < kMaxRounds; ++i) {
    const auto round = std::make_shared<Round>();
    round->key = OperationKey(name);
    if (base.revision == 0) {
      Result<KnownObject> read = ReadKnown(store, round->key, uid);
      if (!read.ok()) return read.status();
      base = *std::move(read);
    }
    AsyncOperation decoded;
    if (i > 0 || !begins || newest == nullptr) {
      ASYNCOPS_RETURN_IF_ERROR(AsyncOperation::Binding().Decode(base.object, &decoded));
      newest = &decoded;
    }
    Json edited = base.object;
    edit(*newest, &edited);
    round->changed = !(edited == base.object);
    if (!round->changed && !always) return Status::Ok();
    round->revision = base.revision;
    if (round->changed) {
      TrackOwnWrite(OperationResource(), now, &base.object, &edited);
      round->version = storage::MakeObjectVersion(OperationResource(), edited);
    }
    round->more = more;
    const Status written = storage::WriteAndWait(store, [round](storage::Transaction& transaction) {
      return WriteRound(round, transaction);
    });
    if (written.ok() && known != nullptr && begins && i == 0)
      *known = {.revision = round->written, .object = std::move(edited)};
    if (written.ok() || !round->overtaken) return written;
    base.revision = 0;
  }
  return Conflict(kOperationsGroup, kAsyncOperations, name.name, kObjectModified);
}

}  // namespace asyncops::reconciler
