#include "reconciler/cluster_resource_client.h"

#include <atomic>
#include <optional>
#include <utility>

#include "api/schema/binding.h"
#include "api/scheme.h"
#include "base/json.h"
#include "reconciler/cluster_calls.h"
#include "reconciler/cluster_objects.h"
#include "reconciler/cluster_patch.h"
#include "reconciler/cluster_secret_reader.h"
#include "reconciler/cluster_secret_writer.h"
#include "reconciler/cluster_secrets.h"
#include "reconciler/decoded_cache.h"
#include "reconciler/owner_epoch.h"
#include "reconciler/system_users.h"

namespace asyncops::reconciler {
namespace {

// Each round means that somebody else wrote it.
constexpr int kMaxRounds = 10;

std::string_view UidOf(const Json& object) { return object.StringAt({"metadata", "uid"}); }

// A member of an object, or null.
const Json& MemberOf(const Json& object, std::string_view name) {
  static const Json kNull;
  const Json* member = object.Find(name);
  return member == nullptr ? kNull : *member;
}

template <class T>
Result<T> DecodeObject(std::string_view kind, const ObjectName& name,
                       const Result<SharedJson>& read) {
  if (!read.ok()) return read.status();
  Result<T> decoded = DecodeAs<T>(**read);
  if (decoded.ok()) return decoded;
  return decoded.status().WithContext(std::string(kind) + " " + name.namespace_name + "/" +
                                      name.name + " cannot be read");
}

Result<std::optional<Json>> FinalizersPatch(
    const Json& object, const std::function<void(std::vector<std::string>*)>& change) {
  std::vector<std::string> before;
  if (const Json* present = object.FindPath({"metadata", "finalizers"}))
    ASYNCOPS_RETURN_IF_ERROR(Codec<std::vector<std::string>>::Decode(*present, &before));
  std::vector<std::string> after = before;
  change(&after);
  if (after == before) return std::optional<Json>();
  // kube-apiserver takes none on; the caller has not seen the deletion.
  if (after.size() > before.size() && object.FindPath({"metadata", "deletionTimestamp"}) != nullptr)
    return Status(Reason::kConflict, "it is being deleted");
  const Json value = after.empty() ? Json() : Codec<std::vector<std::string>>::Encode(after);
  return std::optional<Json>(Json::Of({{"metadata", Json::Of({{"finalizers", value}})}}));
}

class ClusterResourceClient final : public ResourceClient {
 public:
  explicit ClusterResourceClient(const ClusterResourceParts& parts)
      : store_(parts.store),
        calls_(parts.client, parts.clock),
        resources_("asyncresources", parts.resources, calls_),
        systems_("externalsystems", parts.systems, calls_),
        secrets_(calls_, parts.clock, parts.ids),
        reader_(secrets_) {}

  void WriteFor(std::int64_t epoch) override { epoch_ = epoch; }
  Result<AsyncResource> GetResource(const ObjectName& name) override {
    return DecodeObject<AsyncResource>("AsyncResource", name, resources_.Get(name));
  }
  Result<SharedSystem> GetSystem(const ObjectName& name) override {
    const Result<SharedJson> read = systems_.Get(name);
    if (!read.ok()) return read.status();
    const auto decode = [&name, &read] {
      return DecodeObject<ExternalSystem>("ExternalSystem", name, read);
    };
    return decoded_.Get(name, *read, decode);
  }
  Result<SecretData> GetSecret(const ObjectName& name) override { return secrets_.Get(name); }
  Result<SecretData> GetLastSecret(const ObjectName& name) override {
    return secrets_.GetLast(name);
  }
  Result<std::vector<ObjectMeta>> ListResourcesOf(const ObjectName& system) override;
  Status UpdateFinalizers(const ObjectName& name, const std::string& uid,
                          std::function<void(std::vector<std::string>*)> change) override {
    return UpdateFinalizersOf(&resources_, name, uid, change);
  }
  Status UpdateSystemFinalizers(const ObjectName& name, const std::string& uid,
                                std::function<void(std::vector<std::string>*)> change) override {
    return UpdateFinalizersOf(&systems_, name, uid, change);
  }
  Status UpdateResourceStatus(const ObjectName& name, const std::string& uid,
                              std::function<void(AsyncResourceStatus*)> change) override {
    return UpdateStatus<AsyncResourceStatus>(&resources_, name, uid, change);
  }
  Status UpdateSystemStatus(const ObjectName& name,
                            std::function<void(ExternalSystemStatus*)> change) override {
    return UpdateStatus<ExternalSystemStatus>(&systems_, name, "", change);
  }
  Status ApplySecret(const ObjectName& name, const OwnerReference& owner,
                     const SecretData& values) override {
    return ApplyClusterSecret({calls_, secrets_, store_, epoch_}, name, owner, values);
  }
  std::unique_ptr<storage::Subscription> Watch(
      WatchedKind kind, std::function<void(const ObjectName&)> changed) override;

 private:
  // What of an object is to be merged into it; nothing where it is as wanted.
  using Edit = std::function<Result<std::optional<Json>>(const Json& object)>;

  // Writes an edit of the newest object. That is taken from what is known first where `from_known`:
  // a write that is made of anything older is refused as a conflict.
  Status Update(ClusterObjects* objects, const ObjectName& name, const std::string& uid,
                std::string_view subresource, bool from_known, const Edit& edit);
  Status UpdateFinalizersOf(ClusterObjects* objects, const ObjectName& name, const std::string& uid,
                            const std::function<void(std::vector<std::string>*)>& change) {
    const auto edit = [&change](const Json& object) { return FinalizersPatch(object, change); };
    return Update(objects, name, uid, "", false, edit);
  }
  template <class T>
  Status UpdateStatus(ClusterObjects* objects, const ObjectName& name, const std::string& uid,
                      const std::function<void(T*)>& change) {
    const auto edit = [&change](const Json& object) { return StatusPatch<T>(object, change); };
    return Update(objects, name, uid, "status", true, edit);
  }
  template <class T>
  static Result<std::optional<Json>> StatusPatch(const Json& object,
                                                 const std::function<void(T*)>& change) {
    const Json& present = MemberOf(object, "status");
    T status;
    if (!present.is_null()) {
      if (const Status read = T::Binding().Decode(present, &status); !read.ok())
        return read.WithContext("status");
    }
    change(&status);
    std::optional<Json> patch = MergePatchOf(present, T::Binding().Encode(status));
    if (!patch) return std::optional<Json>();
    return std::optional<Json>(Json::Of({{"status", *std::move(patch)}}));
  }

  const storage::Store& store_;
  std::atomic<std::int64_t> epoch_ = 0;
  ClusterCalls calls_;
  ClusterObjects resources_;
  ClusterObjects systems_;
  DecodedCache<SharedJson, ExternalSystem> decoded_{kMaxDecodedSystems};
  ClusterSecrets secrets_;
  ClusterSecretReader reader_;  // last: it uses the others
};

Status ClusterResourceClient::Update(ClusterObjects* objects, const ObjectName& name,
                                     const std::string& uid, std::string_view subresource,
                                     bool from_known, const Edit& edit) {
  Status written;
  for (int round = 0; round < kMaxRounds; ++round) {
    Result<SharedJson> read =
        from_known && round == 0 ? objects->Get(name) : objects->GetLive(name);
    if (read.ok() && !uid.empty() && UidOf(**read) != uid && from_known && round == 0)
      read = objects->GetLive(name);
    if (!read.ok()) return read.status();
    const Json& object = **read;
    if (!uid.empty() && UidOf(object) != uid)
      return {Reason::kNotFound, name.name + " with uid " + uid + " is gone: another has its name"};
    Result<std::optional<Json>> patch = edit(object);
    if (!patch.ok()) return patch.status();
    if (!*patch) return Status::Ok();
    ASYNCOPS_RETURN_IF_ERROR(CheckOwnership(store_, epoch_));
    written = objects->Patch(object, subresource, **std::move(patch));
    if (written.reason() != Reason::kConflict) return written;
  }
  // Not Conflict, upon which the caller would try again without a pause.
  return {Reason::kServiceUnavailable, name.name + ": " + written.message()};
}

Result<std::vector<ObjectMeta>> ClusterResourceClient::ListResourcesOf(const ObjectName& system) {
  const Result<std::vector<SharedJson>> listed = resources_.List(system.namespace_name);
  if (!listed.ok()) return listed.status();
  std::vector<ObjectMeta> found;
  for (const SharedJson& object : *listed) {
    Result<std::optional<ObjectMeta>> user = UserOf(*object, system.name);
    if (!user.ok()) return user.status();
    if (*user) found.push_back(**std::move(user));
  }
  return found;
}

std::unique_ptr<storage::Subscription> ClusterResourceClient::Watch(
    WatchedKind kind, std::function<void(const ObjectName&)> changed) {
  switch (kind) {
    case WatchedKind::kAsyncResource: return resources_.Watch(std::move(changed));
    case WatchedKind::kExternalSystem: return systems_.Watch(std::move(changed));
    case WatchedKind::kSecret: break;
  }
  return secrets_.Watch(std::move(changed));
}

}  // namespace

std::unique_ptr<ResourceClient> MakeClusterResourceClient(const ClusterResourceParts& parts) {
  return std::make_unique<ClusterResourceClient>(parts);
}

}  // namespace asyncops::reconciler
