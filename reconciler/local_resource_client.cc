#include "reconciler/local_resource_client.h"

#include <atomic>
#include <utility>

#include "api/core/v1/secret.h"
#include "api/schema/binding.h"
#include "api/scheme.h"
#include "base/encoding.h"
#include "base/json.h"
#include "reconciler/decoded_cache.h"
#include "reconciler/last_secrets.h"
#include "reconciler/object_watch.h"
#include "reconciler/operation_object.h"
#include "reconciler/owner_epoch.h"
#include "reconciler/secret_writer.h"
#include "reconciler/system_users.h"
#include "storage/object_version.h"

namespace asyncops::reconciler {
namespace {

// As in EditOperation: each round means that somebody else wrote it.
constexpr int kMaxRounds = 100;
// What is kept decoded: one may have a megabyte.
constexpr std::size_t kMaxSecrets = 64;

struct ReadObject {
  Json object;
  storage::Record record;
};

class LocalResourceClient final : public ResourceClient {
 public:
  LocalResourceClient(storage::Store& store, const Clock& clock, IdGenerator& ids)
      : store_(store), clock_(clock), ids_(ids) {
    of_systems_ = store.Subscribe(FindResource(kAsyncopsGroup, "externalsystems")->GroupResource(),
                                  [this] { ++system_changes_; });
    of_secrets_ = store.Subscribe(FindResource("", "secrets")->GroupResource(),
                                  [this] { ++secret_changes_; });
  }

  void WriteFor(std::int64_t epoch) override { epoch_ = epoch; }
  Result<AsyncResource> GetResource(const ObjectName& name) override {
    return GetAs<AsyncResource>(kAsyncopsGroup, "asyncresources", name);
  }
  // As fresh as a read of the store: what changes during the read is read again.
  Result<SharedSystem> GetSystem(const ObjectName& name) override {
    const auto read = [this, &name] {
      return GetAs<ExternalSystem>(kAsyncopsGroup, "externalsystems", name);
    };
    return systems_.Get(name, system_changes_, read);
  }
  Result<SecretData> GetSecret(const ObjectName& name) override;
  Result<SecretData> GetLastSecret(const ObjectName& name) override {
    return last_secrets_.OrLast(name, GetSecret(name));
  }
  Result<std::vector<ObjectMeta>> ListResourcesOf(const ObjectName& system) override;
  Status UpdateFinalizers(const ObjectName& name, const std::string& uid,
                          std::function<void(std::vector<std::string>*)> change) override {
    return UpdateFinalizersOf("asyncresources", name, uid, change);
  }
  Status UpdateSystemFinalizers(const ObjectName& name, const std::string& uid,
                                std::function<void(std::vector<std::string>*)> change) override {
    return UpdateFinalizersOf("externalsystems", name, uid, change);
  }
  Status UpdateResourceStatus(const ObjectName& name, const std::string& uid,
                              std::function<void(AsyncResourceStatus*)> change) override {
    return UpdateStatusAs<AsyncResourceStatus>("asyncresources", name, uid, change);
  }
  Status UpdateSystemStatus(const ObjectName& name,
                            std::function<void(ExternalSystemStatus*)> change) override {
    return UpdateStatusAs<ExternalSystemStatus>("externalsystems", name, "", change);
  }
  Status ApplySecret(const ObjectName& name, const OwnerReference& owner,
                     const SecretData& values) override {
    const Status applied = ApplyLocalSecret({store_, clock_, ids_, epoch_}, name, owner, values);
    // What is in it now is what was known of it last.
    if (applied.ok() && !values.empty()) static_cast<void>(GetSecret(name));
    return applied;
  }
  std::unique_ptr<storage::Subscription> Watch(
      WatchedKind kind, std::function<void(const ObjectName&)> changed) override;

 private:
  using Edit = std::function<Status(Json*)>;

  Result<SecretData> ReadSecret(const ObjectName& name);
  Result<ReadObject> Read(const ResourceInfo& resource, const ObjectName& name) const;
  template <class T>
  Result<T> GetAs(std::string_view group, std::string_view plural, const ObjectName& name) const {
    const ResourceInfo* resource = FindResource(group, plural);
    if (resource == nullptr) return NotFound(group, plural, name.name);
    const Result<ReadObject> read = Read(*resource, name);
    if (!read.ok()) return read.status();
    return DecodeAs<T>(read->object);
  }
  template <class T>
  Status UpdateStatusAs(std::string_view plural, const ObjectName& name, const std::string& uid,
                        const std::function<void(T*)>& change) {
    return Update(plural, name, uid, [&change](Json* object) {
      T status;
      if (const Json* present = object->Find("status"))
        ASYNCOPS_RETURN_IF_ERROR(T::Binding().Decode(*present, &status));
      change(&status);
      object->Set("status", T::Binding().Encode(status));
      return Status::Ok();
    });
  }
  // Reads, edits and writes until nobody wrote meanwhile. An object that is being deleted and has
  // lost its last finalizer goes.
  Status Update(std::string_view plural, const ObjectName& name, const std::string& uid,
                const Edit& edit);
  Status WriteEdited(const ResourceInfo& resource, const ReadObject& read, const Json& edited);
  Status UpdateFinalizersOf(std::string_view plural, const ObjectName& name, const std::string& uid,
                            const std::function<void(std::vector<std::string>*)>& change);

  storage::Store& store_;
  const Clock& clock_;
  IdGenerator& ids_;
  DecodedCache<std::uint64_t, ExternalSystem> systems_{kMaxDecodedSystems};
  std::atomic<std::uint64_t> system_changes_ = 0;  // commits that touched ExternalSystems
  DecodedCache<std::uint64_t, SecretData> secrets_{kMaxSecrets};
  std::atomic<std::uint64_t> secret_changes_ = 0;
  std::atomic<std::int64_t> epoch_ = 0;
  LastSecrets last_secrets_;
  // Last: they use the counters.
  std::unique_ptr<storage::Subscription> of_systems_;
  std::unique_ptr<storage::Subscription> of_secrets_;
};

Result<ReadObject> LocalResourceClient::Read(const ResourceInfo& resource,
                                             const ObjectName& name) const {
  Result<storage::Record> record =
      store_.Get(storage::KeyOf(resource, name.namespace_name, name.name));
  if (!record.ok()) {
    if (record.status().reason() != Reason::kNotFound) return record.status();
    return NotFound(resource.group, resource.plural, name.name);
  }
  Result<Json> object = ParseJson(record->json);
  if (!object.ok()) return object.status();
  return ReadObject{.object = std::move(*object), .record = std::move(*record)};
}

Result<SecretData> LocalResourceClient::GetSecret(const ObjectName& name) {
  const auto read = [this, &name] { return ReadSecret(name); };
  const Result<std::shared_ptr<const SecretData>> secret =
      secrets_.Get(name, secret_changes_, read);
  if (!secret.ok()) return secret.status();
  return **secret;
}

Result<SecretData> LocalResourceClient::ReadSecret(const ObjectName& name) {
  const Result<core::Secret> secret = GetAs<core::Secret>("", "secrets", name);
  if (!secret.ok()) return secret.status();
  SecretData data;
  for (const auto& [key, value] : secret->data) {
    std::optional<std::string> decoded = Base64Decode(value);
    // What is no base64 cannot be meant; the caller then misses the key.
    if (decoded) data.emplace(key, std::move(*decoded));
  }
  last_secrets_.Note(name, data);
  return data;
}

Result<std::vector<ObjectMeta>> LocalResourceClient::ListResourcesOf(const ObjectName& system) {
  std::vector<ObjectMeta> found;
  const ResourceInfo* resource = FindResource(kAsyncopsGroup, "asyncresources");
  if (resource == nullptr) return found;
  Status damaged;
  const auto take = [&found, &damaged, &system](const storage::Record& record) {
    // The name stands in its text, or it cannot refer to it: most need not be parsed.
    if (record.json.find(system.name) == std::string::npos) return;
    const Result<Json> object = ParseJson(record.json);
    Result<std::optional<ObjectMeta>> user =
        object.ok() ? UserOf(*object, system.name)
                    : Result<std::optional<ObjectMeta>>(object.status());
    if (!user.ok()) damaged = user.status();
    if (user.ok() && *user) found.push_back(**std::move(user));
  };
  const Result<storage::Revision> listed = ForEachObject(
      store_, resource->GroupResource(), system.namespace_name, FieldSelector(), take);
  if (!listed.ok()) return listed.status();
  if (!damaged.ok()) return damaged;
  return found;
}

Status LocalResourceClient::WriteEdited(const ResourceInfo& resource, const ReadObject& read,
                                        const Json& edited) {
  const bool gone =
      edited.FindPath({"metadata", "deletionTimestamp"}) != nullptr && !HasFinalizers(edited);
  const storage::ObjectVersion version = storage::MakeObjectVersion(resource, edited);
  const storage::ObjectKey key = read.record.key;
  const storage::Revision revision = read.record.revision;
  const std::int64_t epoch = epoch_;
  return storage::WriteAndWait(
      store_, [version, key, revision, gone, epoch](storage::Transaction& transaction) -> Status {
        ASYNCOPS_RETURN_IF_ERROR(CheckOwnership(transaction, epoch));
        if (gone) return transaction.Delete(key, revision, version.encoded).status();
        return transaction.Update(key, revision, version).status();
      });
}

Status LocalResourceClient::Update(std::string_view plural, const ObjectName& name,
                                   const std::string& uid, const Edit& edit) {
  const ResourceInfo* resource = FindResource(kAsyncopsGroup, plural);
  if (resource == nullptr) return NotFound(kAsyncopsGroup, plural, name.name);
  Status written;
  for (int i = 0; i < kMaxRounds; ++i) {
    const Result<ReadObject> read = Read(*resource, name);
    if (!read.ok()) return read.status();
    if (!uid.empty() && read->record.uid != uid) return NotFound(kAsyncopsGroup, plural, name.name);
    Json edited = read->object;
    ASYNCOPS_RETURN_IF_ERROR(edit(&edited));
    if (edited == read->object) return Status::Ok();
    TrackOwnWrite(*resource, clock_.Now(), &read->object, &edited);
    written = WriteEdited(*resource, *read, edited);
    if (written.reason() != Reason::kConflict) return written;
  }
  return written;
}

Status LocalResourceClient::UpdateFinalizersOf(
    std::string_view plural, const ObjectName& name, const std::string& uid,
    const std::function<void(std::vector<std::string>*)>& change) {
  return Update(plural, name, uid, [&change](Json* object) -> Status {
    JsonObject& metadata = object->ObjectAt("metadata");
    std::vector<std::string> finalizers;
    if (const Json* present = metadata.Find("finalizers"))
      ASYNCOPS_RETURN_IF_ERROR(Codec<std::vector<std::string>>::Decode(*present, &finalizers));
    const std::size_t before = finalizers.size();
    change(&finalizers);
    if (finalizers.size() > before && metadata.Find("deletionTimestamp") != nullptr)
      return {Reason::kConflict, "it is being deleted"};
    if (finalizers.empty()) {
      metadata.Erase("finalizers");
    } else {
      metadata.Set("finalizers", Codec<std::vector<std::string>>::Encode(finalizers));
    }
    return Status::Ok();
  });
}

std::unique_ptr<storage::Subscription> LocalResourceClient::Watch(
    WatchedKind kind, std::function<void(const ObjectName&)> changed) {
  const ResourceInfo* resource = nullptr;
  switch (kind) {
    case WatchedKind::kAsyncResource:
      resource = FindResource(kAsyncopsGroup, "asyncresources");
      break;
    case WatchedKind::kExternalSystem:
      resource = FindResource(kAsyncopsGroup, "externalsystems");
      break;
    case WatchedKind::kSecret: resource = FindResource("", "secrets"); break;
  }
  if (resource == nullptr) return nullptr;
  return WatchObjects(
      store_, resource->GroupResource(),
      [changed = std::move(changed)](const storage::Record& record, bool /*gone*/) {
        changed({.namespace_name = record.key.namespace_name, .name = record.key.name});
      });
}

}  // namespace

std::unique_ptr<ResourceClient> MakeLocalResourceClient(storage::Store& store, const Clock& clock,
                                                        IdGenerator& ids) {
  return std::make_unique<LocalResourceClient>(store, clock, ids);
}

}  // namespace asyncops::reconciler
