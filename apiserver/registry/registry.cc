#include "apiserver/registry/registry.h"

#include <memory>
#include <utility>

#include "api/meta/deletion.h"
#include "apiserver/registry/cluster_objects.h"
#include "apiserver/registry/pipeline.h"
#include "storage/object_version.h"

namespace asyncops::apiserver {
namespace {

// The store names keys; clients are told resources.
Status Reword(const Status& status, const ResourceInfo& resource, const std::string& name) {
  switch (status.reason()) {
    case Reason::kNotFound: return NotFound(resource.group, resource.plural, name);
    case Reason::kAlreadyExists: return AlreadyExists(resource.group, resource.plural, name);
    case Reason::kConflict: return Conflict(resource.group, resource.plural, name, kObjectModified);
    default: return status;
  }
}

// Whether the last finalizer of an object under deletion is gone.
bool IsFinished(const Json& object) { return IsUnderDeletion(object) && !IsHeld(object); }

}  // namespace

Registry::Registry(storage::Store& store, const Clock& clock, IdGenerator& ids,
                   const ClusterObjects* cluster)
    : store_(store), clock_(clock), ids_(ids), cluster_(cluster) {}

Result<storage::Record> Registry::Get(const ResourceInfo& resource,
                                      const std::string& namespace_name,
                                      const std::string& name) const {
  Result<storage::Record> record = store_.Get(storage::KeyOf(resource, namespace_name, name));
  if (!record.ok()) return Reword(record.status(), resource, name);
  return record;
}

Result<Json> Registry::GetDeclared(const ResourceInfo& resource, const std::string& namespace_name,
                                   const std::string& name) const {
  if (cluster_ != nullptr) return cluster_->Get(resource, namespace_name, name);
  const Result<storage::Record> record = Get(resource, namespace_name, name);
  if (!record.ok()) return record.status();
  return ParseJson(record->json);
}

Registry::Modification Registry::ModificationOf(PreparedObject prepared, const Json& old) {
  Modification modification;
  modification.kind = Modification::Kind::kUpdate;
  if (prepared.object == old) modification.kind = Modification::Kind::kNone;
  if (IsFinished(prepared.object)) modification.kind = Modification::Kind::kDelete;
  modification.object = std::move(prepared.object);
  modification.version = std::move(prepared.version);
  modification.warnings = std::move(prepared.warnings);
  return modification;
}

void Registry::Modify(const ResourceInfo& resource, const storage::ObjectKey& key, bool dry_run,
                      ModifyFunction modify, WriteCallback done) {
  const Result<storage::Record> record = Get(resource, key.namespace_name, key.name);
  if (!record.ok()) return done(record.status());
  Result<Json> present = ParseJson(record->json);
  if (!present.ok()) return done(InternalError("a stored object does not parse"));
  Result<Modification> computed = modify(*present);
  if (!computed.ok()) return done(computed.status());

  // Shared by the transaction and the callback.
  struct Pending {
    Modification modification;
    storage::Revision base = 0;
    WriteResult result;
    Status refusal;  // of `modify` inside the transaction; worded for clients already
  };
  auto pending = std::make_shared<Pending>();
  pending->modification = std::move(*computed);
  pending->base = record->revision;
  pending->result.uid = record->uid;
  if (dry_run || pending->modification.kind == Modification::Kind::kNone) {
    pending->result.json = EncodeJson(pending->modification.object);
    pending->result.deleted = pending->modification.kind == Modification::Kind::kDelete;
    pending->result.warnings = std::move(pending->modification.warnings);
    return done(std::move(pending->result));
  }
  auto write = [pending, key,
                modify = std::move(modify)](storage::Transaction& transaction) -> Status {
    const Result<storage::Record> now = transaction.Get(key);
    if (!now.ok()) return now.status();
    Modification& modification = pending->modification;
    if (now->revision != pending->base) {
      Result<Json> fresh = ParseJson(now->json);
      if (!fresh.ok()) return InternalError("a stored object does not parse");
      Result<Modification> again = modify(*fresh);
      if (!again.ok()) return pending->refusal = again.status();
      modification = std::move(*again);
      pending->result.uid = now->uid;
    }
    storage::ObjectVersion& version = modification.version;
    Result<storage::Revision> revision = now->revision;
    if (modification.kind == Modification::Kind::kUpdate)
      revision = transaction.Update(key, now->revision, version);
    if (modification.kind == Modification::Kind::kDelete)
      revision = transaction.Delete(key, now->revision, version.encoded);
    if (!revision.ok()) return revision.status();
    pending->result.json = std::move(version.encoded.json);
    pending->result.json.insert(version.encoded.revision_at, std::to_string(*revision));
    pending->result.deleted = modification.kind == Modification::Kind::kDelete;
    pending->result.warnings = std::move(modification.warnings);
    return Status::Ok();
  };
  store_.Write(std::move(write),
               [pending, done = std::move(done), name = key.name, &resource](const Status& status) {
                 if (status.ok()) return done(std::move(pending->result));
                 done(pending->refusal.ok() ? Reword(status, resource, name) : pending->refusal);
               });
}

}  // namespace asyncops::apiserver
