#include "reconciler/secret_writer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/core/v1/secret.h"
#include "api/core/v1/validation.h"
#include "api/fieldmanager/updater.h"
#include "api/schema/binding.h"
#include "api/scheme.h"
#include "base/encoding.h"
#include "base/json.h"
#include "base/rfc3339.h"
#include "reconciler/owner_epoch.h"
#include "storage/object_version.h"

namespace asyncops::reconciler {
namespace {

// Each round means that somebody else wrote it meanwhile.
constexpr int kMaxRounds = 100;
constexpr std::string_view kOpaque = "Opaque";

std::string Named(const ObjectName& name) {
  return "secret \"" + name.namespace_name + "/" + name.name + "\"";
}

bool IsOwner(const core::Secret& secret, const OwnerReference& owner) {
  const std::vector<OwnerReference>& owners = secret.metadata.owner_references;
  return std::any_of(owners.begin(), owners.end(),
                     [&owner](const OwnerReference& one) { return one.uid == owner.uid; });
}

core::Secret NewSecret(const ObjectName& name, const OwnerReference& owner, Time now,
                       IdGenerator& ids) {
  core::Secret secret;
  secret.metadata.name = name.name;
  secret.metadata.namespace_name = name.namespace_name;
  secret.metadata.uid = ids.Uuid();
  secret.metadata.creation_timestamp = now;
  secret.metadata.owner_references.push_back(owner);
  secret.type = kOpaque;
  return secret;
}

// Why the Secret may not be written to by this owner; OK where it may.
Status MayWrite(const core::Secret& secret, const ObjectName& name, const OwnerReference& owner) {
  if (!IsOwner(secret, owner)) {
    return {Reason::kForbidden, Named(name) + " exists and does not belong to " + owner.kind +
                                    " \"" + owner.name +
                                    "\": delete it, or give toSecret another name"};
  }
  if (secret.metadata.deletion_timestamp)
    return {Reason::kForbidden, Named(name) + " is being deleted"};
  return Status::Ok();
}

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
    ASYNCOPS_RETURN_IF_ERROR(MayWrite(secret, name, owner));
  } else {
    secret = NewSecret(name, owner, now, parts.ids);
  }
  if (values.empty()) return Status::Ok();
  const core::Secret before = secret;
  for (const auto& [key, value] : values) secret.data[key] = Base64Encode(value);
  if (record.ok() && secret.data == before.data) return Status::Ok();
  if (secret.immutable.value_or(false))
    return {Reason::kForbidden, Named(name) + " is immutable and holds another value"};
  if (const FieldErrors errors = core::ValidateSecret(secret); !errors.empty())
    return {Reason::kInvalid, Named(name) + " cannot hold the value: " + errors.front().detail};
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
