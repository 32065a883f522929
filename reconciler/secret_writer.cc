#include "reconciler/secret_writer.h"

#include <string>
#include <utility>

#include "api/core/v1/secret.h"
#include "api/fieldmanager/updater.h"
#include "api/schema/binding.h"
#include "api/scheme.h"
#include "base/json.h"
#include "base/rfc3339.h"
#include "reconciler/owner_epoch.h"
#include "reconciler/secret_ownership.h"
#include "storage/object_version.h"

namespace asyncops::reconciler {
namespace {

// Each round means that somebody else wrote it meanwhile.
constexpr int kMaxRounds = 100;

// Writes the object as the field manager's; `old_record` where there is one.
Status WriteSecret(const SecretWriterParts& parts, const ResourceInfo& resource,
                   const std::optional<storage::Record>& old_record, const Json* old_object,
                   Json object, Time now) {
  const std::int64_t epoch = parts.epoch;
  const fieldmanager::FieldManager manager{.name = std::string(kSecretFieldManager),
                                           .api_version = resource.GroupVersion(),
                                           .subresource = "",
                                           .time = FormatTime(now)};
  fieldmanager::TrackUpdate({*resource.schema, false}, manager, old_object, &object);
  const storage::ObjectVersion version = storage::MakeObjectVersion(resource, object);
  if (!old_record) {
    const storage::ObjectKey key =
        storage::KeyOf(resource, object.StringAt({"metadata", "namespace"}),
                       object.StringAt({"metadata", "name"}));
    return storage::WriteAndWait(parts.store, [key, version, epoch](storage::Transaction& tx) {
      ASYNCOPS_RETURN_IF_ERROR(CheckOwnership(tx, epoch));
      return tx.Create(key, version).status();
    });
  }
  const storage::ObjectKey key = old_record->key;
  const storage::Revision revision = old_record->revision;
  return storage::WriteAndWait(parts.store,
                               [key, revision, version, epoch](storage::Transaction& tx) {
                                 ASYNCOPS_RETURN_IF_ERROR(CheckOwnership(tx, epoch));
                                 return tx.Update(key, revision, version).status();
                               });
}

// One attempt. Conflict or AlreadyExists where somebody was faster.
Status TryApply(const SecretWriterParts& parts, const ResourceInfo& resource,
                const ObjectName& name, const OwnerReference& owner, const SecretData& values) {
  const Time now = parts.clock.Now();
  Result<storage::Record> record =
      parts.store.Get(storage::KeyOf(resource, name.namespace_name, name.name));
  if (!record.ok() && record.status().reason() != Reason::kNotFound) return record.status();
  Json old_object;
  core::Secret secret;
  if (record.ok()) {
    Result<Json> parsed = ParseJson(record->json);
    ASYNCOPS_RETURN_IF_ERROR(parsed);
    old_object = *std::move(parsed);
    ASYNCOPS_RETURN_IF_ERROR(core::Secret::Binding().Decode(old_object, &secret));
    ASYNCOPS_RETURN_IF_ERROR(MayWriteSecret(secret, name, owner));
  } else {
    secret = NewOwnedSecret(name, owner);
    secret.metadata.uid = parts.ids.Uuid();
    secret.metadata.creation_timestamp = now;
  }
  if (values.empty()) return Status::Ok();
  const core::Secret before = secret;
  ASYNCOPS_RETURN_IF_ERROR(SetSecretValues(name, values, &secret));
  if (record.ok() && secret.data == before.data) return Status::Ok();
  if (!record.ok()) {
    return WriteSecret(parts, resource, std::nullopt, nullptr,
                       core::Secret::Binding().Encode(secret), now);
  }
  Json object = old_object;
  object.Set("data", *core::Secret::Binding().Encode(secret).Find("data"));
  return WriteSecret(parts, resource, *record, &old_object, std::move(object), now);
}

}  // namespace

Status ApplyLocalSecret(const SecretWriterParts& parts, const ObjectName& name,
                        const OwnerReference& owner, const SecretData& values) {
  const ResourceInfo* resource = FindResource("", "secrets");
  if (resource == nullptr) return NotFound("", "secrets", name.name);
  Status written;
  for (int round = 0; round < kMaxRounds; ++round) {
    written = TryApply(parts, *resource, name, owner, values);
    const Reason reason = written.reason();
    if (reason != Reason::kConflict && reason != Reason::kAlreadyExists) return written;
  }
  return written;
}

}  // namespace asyncops::reconciler
