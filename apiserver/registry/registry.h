// The verb engine: what get, list, create, update, patch and delete mean for any resource, over the
// store. HTTP and encodings are the handlers' business; what differs per resource is in its
// Strategy.
#ifndef ASYNCOPS_APISERVER_REGISTRY_REGISTRY_H_
#define ASYNCOPS_APISERVER_REGISTRY_REGISTRY_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/scheme.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/json.h"
#include "storage/store.h"

namespace asyncops::fieldmanager {
struct FieldManager;
}

namespace asyncops::apiserver {

enum class FieldValidation { kIgnore, kWarn, kStrict };

struct WriteOptions {
  bool dry_run = false;
  FieldValidation field_validation = FieldValidation::kWarn;
  // Who writes, for managedFields; "" counts as "unknown".
  std::string field_manager = {};
  // Of an apply: takes over fields that others own.
  bool force = false;
  // Of an apply: whether it may make an object that is not there.
  bool may_create = false;
  // The user's name, for what is asked of the engine; "" where it is unknown.
  std::string user = {};
};

// A body as it came, after syntax: what decoding saw besides the value.
struct DecodedBody {
  Json value;
  std::vector<std::string> duplicate_fields;
};

enum class PatchType { kJson, kMerge, kApply };

// Which object, and in which of its states, a client means; nothing is any.
struct Preconditions {
  std::optional<std::string> uid = std::nullopt;
  std::optional<std::string> resource_version = std::nullopt;
};

struct DeleteOptions {
  bool dry_run = false;
  std::string propagation_policy;  // "", Background, Foreground, Orphan
  // The same as Orphan or Background, as older clients say it.
  std::optional<bool> orphan_dependents;
  Preconditions preconditions;
};

// What a write did.
struct WriteResult {
  std::string json;  // the object after it (its last state after a deletion)
  std::string uid;
  bool created = false;
  bool deleted = false;  // gone from the store; a finalizer may hold it otherwise
  std::vector<std::string> warnings;
};

class ClusterObjects;
struct PendingCreate;
struct PreparedObject;

// Called exactly once, on any thread.
using WriteCallback = std::function<void(Result<WriteResult>)>;

// Which objects a deletion of a collection is for.
struct CollectionQuery {
  std::string namespace_name;
  LabelSelector labels;
  FieldSelector fields;
  // Objects after this one; nothing for the first page.
  std::string after_name;
  std::int64_t limit = 0;  // 0 for all
};

// What it did.
struct CollectionResult {
  // The objects as they were found; nothing where they were more than kMaxListedDeletions.
  std::optional<std::vector<std::string>> items;
  storage::Revision revision = 0;  // the state in which the first of them were found
  std::string last_name;           // where the limit ended it before the last one, else ""
};
using CollectionCallback = std::function<void(Result<CollectionResult>)>;

// Statuses are worded as kube-apiserver words them, with details. Safe for use from several
// threads. Reads may take a point read's time; writes return at once and call back when they are
// durable (or refused).
class Registry {
 public:
  // All outlive the registry. `cluster` has the objects of kube-apiserver; null where they are in
  // the store, as in standalone.
  Registry(storage::Store& store, const Clock& clock, IdGenerator& ids,
           const ClusterObjects* cluster = nullptr);

  Result<storage::Record> Get(const ResourceInfo& resource, const std::string& namespace_name,
                              const std::string& name) const;
  // An AsyncResource or ExternalSystem, wherever it is kept.
  Result<Json> GetDeclared(const ResourceInfo& resource, const std::string& namespace_name,
                           const std::string& name) const;

  // The body gives the name, or a generateName. Here and below `namespace_name` is "" for a
  // cluster-scoped resource.
  void Create(const ResourceInfo& resource, const std::string& namespace_name, DecodedBody body,
              WriteOptions options, WriteCallback done);
  // `subresource` is "" or "status".
  void Update(const ResourceInfo& resource, const std::string& namespace_name,
              const std::string& name, const std::string& subresource, DecodedBody body,
              WriteOptions options, WriteCallback done);
  // As Update, of what the patch makes of the present object. An apply makes the object where it
  // may, and is a Conflict where it would change what others own.
  void Patch(const ResourceInfo& resource, const std::string& namespace_name,
             const std::string& name, const std::string& subresource, PatchType type,
             DecodedBody patch, WriteOptions options, WriteCallback done);
  // What finalizers hold is under deletion afterwards. "default" of the namespaces is Forbidden.
  void Delete(const ResourceInfo& resource, const std::string& namespace_name,
              const std::string& name, DeleteOptions options, WriteCallback done);
  // Deletes one after the other, in the order of their names and a few in each transaction; what is
  // gone meanwhile is passed over. A failure ends it; what was deleted before stays so.
  void DeleteCollection(const ResourceInfo& resource, const CollectionQuery& query,
                        DeleteOptions options, CollectionCallback done);
  // Stores what `change` makes of the present object: for actions (`subresource` is one's name),
  // whose bodies are no objects.
  // Where somebody was faster it is called again, inside the transaction; its failure is the
  // answer. What it makes is validated as an update is.
  using ChangeFunction = std::function<Result<Json>(Json present)>;
  void Change(const ResourceInfo& resource, const std::string& namespace_name,
              const std::string& name, const std::string& subresource, const WriteOptions& options,
              ChangeFunction change, WriteCallback done);

  storage::Store& store() const { return store_; }

 private:
  // What a write makes of the present state.
  struct Modification {
    enum class Kind { kNone, kUpdate, kDelete };
    Kind kind = Kind::kNone;
    Json object;                     // the new state; of kDelete the last one
    storage::ObjectVersion version;  // of the object
    std::vector<std::string> warnings;
  };
  using ModifyFunction = std::function<Result<Modification>(const Json& present)>;

  // Computes on this thread from the state that stands, then commits; where somebody else was
  // faster it computes again, inside the transaction.
  void Modify(const ResourceInfo& resource, const storage::ObjectKey& key, bool dry_run,
              ModifyFunction modify, WriteCallback done);
  Result<Modification> ComputeUpdate(const ResourceInfo& resource, const storage::ObjectKey& key,
                                     const std::string& subresource, const Json& present,
                                     DecodedBody body, const WriteOptions& options,
                                     bool version_required) const;
  // What storing the object does to `old`, which has its defaults: one under deletion goes with its
  // last finalizer.
  static Modification ModificationOf(PreparedObject prepared, const Json& old);
  // A create; `by_apply` where the body is the configuration of an apply.
  void CreateObject(const ResourceInfo& resource, const std::string& namespace_name,
                    DecodedBody body, const WriteOptions& options, bool by_apply,
                    WriteCallback done);
  // Its last part: the namespace is open where it is the cluster's.
  void Commit(std::shared_ptr<PendingCreate> create, bool dry_run, WriteCallback done);
  struct ApplyCall;
  void Apply(std::shared_ptr<const ApplyCall> call, int tries, WriteCallback done);
  Result<Modification> ComputeApply(const ApplyCall& call, const Json& present) const;
  static Result<Modification> ComputeChange(const ResourceInfo& resource, const Json& present,
                                            const ChangeFunction& change,
                                            const fieldmanager::FieldManager& manager);
  Result<Modification> ComputeDelete(const ResourceInfo& resource, const Json& present,
                                     const DeleteOptions& options) const;
  class CollectionDeletion;

  storage::Store& store_;
  const Clock& clock_;
  IdGenerator& ids_;
  const ClusterObjects* const cluster_;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_REGISTRY_REGISTRY_H_
