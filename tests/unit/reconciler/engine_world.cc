#include "tests/unit/reconciler/engine_world.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <utility>

#include "api/schema/binding.h"
#include "api/scheme.h"
#include "base/rfc3339.h"
#include "base/yaml.h"
#include "reconciler/events.h"
#include "reconciler/local_resource_client.h"
#include "reconciler/object_watch.h"
#include "reconciler/owner_epoch.h"
#include "storage/object_version.h"
#include "storage/sqlite_store.h"

namespace asyncops::reconciler {
namespace {

constexpr std::string_view kNamespace = "team";
constexpr int kMaxSteps = 2000;

const ResourceInfo& InfoOf(std::string_view plural) {
  for (const ResourceInfo& resource : AllResources()) {
    if (resource.plural == plural) return resource;
  }
  ADD_FAILURE() << "no resource " << plural;
  return AllResources().front();
}

const ResourceInfo& InfoOfKind(std::string_view kind) {
  for (const ResourceInfo& resource : AllResources()) {
    if (resource.kind == kind) return resource;
  }
  ADD_FAILURE() << "no kind " << kind;
  return AllResources().front();
}

}  // namespace

struct EngineWorld::Running {
  explicit Running(EngineWorld& world, FaultPoints& faults)
      : resources(MakeLocalResourceClient(*world.store, world.clock, world.ids)),
        external(world.transport, *resources, world.clock),
        parts{.store = *world.store,
              .resources = *resources,
              .external = external,
              .clock = world.clock,
              .ids = world.ids,
              .faults = faults,
              .links = &world.links,
              .callback_metrics = &world.callback_metrics},
        owner{.epoch = *TakeOwnership(*world.store), .shard = 0},
        operation_reconciler(parts, owner),
        resource_reconciler(parts, owner) {
    resources->WriteFor(owner.epoch);
  }

  std::unique_ptr<ResourceClient> resources;
  ExternalClient external;
  ReconcilerParts parts;
  Ownership owner;
  OperationReconciler operation_reconciler;
  ResourceReconciler resource_reconciler;
  WorkQueue queue;
  storage::Revision told = 0;  // the mark of what operations were told of
};

EngineWorld::EngineWorld() = default;
EngineWorld::~EngineWorld() { Crash(); }

void EngineWorld::Start(FaultPoints* faults) {
  Result<std::unique_ptr<storage::Store>> opened =
      storage::OpenSqliteStore({.path = directory.File("store.db"), .vfs = ""}, clock);
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  store = std::move(*opened);
  running_ = std::make_unique<Running>(*this, faults == nullptr ? no_faults_ : *faults);
}

ResourceClient& EngineWorld::resources() { return *running_->resources; }
ExternalClient& EngineWorld::external() { return running_->external; }

void EngineWorld::Crash() {
  running_.reset();
  store.reset();
}

void EngineWorld::PutObject(std::string_view plural, std::string_view name, const Json& object,
                            bool create) {
  const storage::ObjectKey key = storage::KeyOf(InfoOf(plural), kNamespace, name);
  const storage::ObjectVersion version = storage::MakeObjectVersion(InfoOf(plural), object);
  const Status written =
      storage::WriteAndWait(*store, [&key, &version, create](storage::Transaction& tx) {
        return (create ? tx.Create(key, version) : tx.Update(key, 0, version)).status();
      });
  EXPECT_TRUE(written.ok()) << written.ToString();
}

std::string EngineWorld::Create(std::string_view yaml) {
  Result<std::vector<Json>> documents = ParseYaml(yaml);
  if (!documents.ok() || documents->size() != 1) {
    ADD_FAILURE() << documents.status().ToString() << "\n" << yaml;
    return "";
  }
  Json* parsed = documents->data();
  const ResourceInfo& info = InfoOfKind(parsed->StringAt({"kind"}));
  const std::string uid = ids.Uuid();
  JsonObject& metadata = parsed->ObjectAt("metadata");
  metadata.Set("namespace", Json(kNamespace));
  metadata.Set("uid", uid);
  metadata.Set("generation", 1);
  metadata.Set("creationTimestamp", FormatTime(clock.Now()));
  PutObject(info.plural, parsed->StringAt({"metadata", "name"}), *parsed, true);
  return uid;
}

void EngineWorld::Edit(std::string_view plural, std::string_view name,
                       const std::function<void(Json*)>& edit) {
  Json object = Get(plural, name);
  // A Secret has none.
  const auto spec_of = [](const Json& of) {
    const Json* spec = of.Find("spec");
    return spec == nullptr ? Json() : *spec;
  };
  const Json before = spec_of(object);
  edit(&object);
  if (!(before == spec_of(object))) {
    object.ObjectAt("metadata").Set("generation", object.IntAt({"metadata", "generation"}, 0) + 1);
  }
  PutObject(plural, name, object, false);
}

void EngineWorld::Annotate(std::string_view plural, std::string_view name,
                           std::string_view annotation, std::string_view value) {
  Edit(plural, name, [annotation, value](Json* object) {
    object->ObjectAt("metadata")["annotations"].Set(annotation, Json(value));
  });
}

void EngineWorld::Delete(std::string_view plural, std::string_view name) {
  Json object = Get(plural, name);
  if (object.FindPath({"metadata", "finalizers"}) != nullptr) {
    object.ObjectAt("metadata").Set("deletionTimestamp", FormatTime(clock.Now()));
    return PutObject(plural, name, object, false);
  }
  const storage::ObjectKey key = storage::KeyOf(InfoOf(plural), kNamespace, name);
  const storage::ObjectVersion version = storage::MakeObjectVersion(InfoOf(plural), object);
  const Status gone = storage::WriteAndWait(*store, [&key, &version](storage::Transaction& tx) {
    return tx.Delete(key, 0, version.encoded).status();
  });
  EXPECT_TRUE(gone.ok()) << gone.ToString();
}

// Another number after each change of what operations are told of whatever it is.
storage::Revision EngineWorld::MarkOfDependencies() const {
  storage::Revision sum = 0;
  for (const std::string_view plural : {"externalsystems", "secrets"}) {
    const Result<storage::Revision> listed =
        ForEachObject(*store, InfoOf(plural).GroupResource(), "", FieldSelector(),
                      [&sum](const storage::Record& record) { sum += record.revision; });
    EXPECT_TRUE(listed.ok());
  }
  return sum;
}

// As the watches do after a change: every object is looked at.
storage::Revision EngineWorld::AddAll() {
  const storage::Revision revision = store->revision();
  const storage::Revision mark = MarkOfDependencies();
  const bool all = std::exchange(running_->told, mark) != mark;
  for (const auto& [plural, what] : {std::pair{"asyncresources", WorkKey::Kind::kResource},
                                     std::pair{"asyncoperations", WorkKey::Kind::kOperation}}) {
    const Result<storage::Revision> listed = ForEachObject(
        *store, InfoOf(plural).GroupResource(), "", FieldSelector(),
        [this, kind = what, all](const storage::Record& record) {
          running_->queue.Add(
              {.kind = kind, .namespace_name = record.key.namespace_name, .name = record.key.name},
              false, all ? 0 : record.revision);
        });
    EXPECT_TRUE(listed.ok());
  }
  // Resources that are gone leave operations behind.
  for (const std::string& name : Operations()) {
    const std::string owner(Get("asyncoperations", name).StringAt({"spec", "resourceRef", "name"}));
    if (owner.empty()) continue;
    running_->queue.Add({.kind = WorkKey::Kind::kResource,
                         .namespace_name = std::string(kNamespace),
                         .name = owner});
  }
  return revision;
}

void EngineWorld::Settle() {
  storage::Revision seen = AddAll();
  int steps = 0;
  while (true) {
    const std::optional<WorkItem> item = running_->queue.Pop(QueueNow(clock));
    if (!item) break;
    const ObjectName name{.namespace_name = item->key.namespace_name, .name = item->key.name};
    const Result<std::optional<Time>> next = item->key.kind == WorkKey::Kind::kResource
                                                 ? running_->resource_reconciler.Reconcile(name)
                                                 : running_->operation_reconciler.Reconcile(*item);
    EXPECT_TRUE(next.ok()) << next.status().ToString();
    if (next.ok() && *next) running_->queue.AddAt(item->key, QueueTimeOf(**next, clock));
    running_->queue.Done(item->key);
    if (store->revision() != seen) seen = AddAll();
    ASSERT_LT(++steps, kMaxSteps) << "it never comes to rest";
  }
  while (true) {
    const Result<int> delivered = DeliverEvents(*store, no_faults_);
    ASSERT_TRUE(delivered.ok()) << delivered.status().ToString();
    if (*delivered == 0) return;
    ASSERT_LT(++steps, kMaxSteps) << "the outbox is never empty";
  }
}

void EngineWorld::Pass(Duration by, Duration step) {
  Settle();
  for (Duration passed{}; passed < by; passed += step) {
    clock.Advance(step);
    Settle();
  }
}

void EngineWorld::Look(const ObjectName& operation, std::int64_t changed) {
  running_->queue.Add({.kind = WorkKey::Kind::kOperation,
                       .namespace_name = operation.namespace_name,
                       .name = operation.name},
                      false, changed);
}

void EngineWorld::Nudge() {
  for (const std::string& name : Operations()) {
    running_->queue.Add({.kind = WorkKey::Kind::kOperation,
                         .namespace_name = std::string(kNamespace),
                         .name = name},
                        true);
  }
  Settle();
}

bool EngineWorld::Exists(std::string_view plural, std::string_view name) const {
  return store->Get(storage::KeyOf(InfoOf(plural), kNamespace, name)).ok();
}

Json EngineWorld::Get(std::string_view plural, std::string_view name) const {
  const Result<storage::Record> record =
      store->Get(storage::KeyOf(InfoOf(plural), kNamespace, name));
  if (!record.ok()) {
    ADD_FAILURE() << "no " << plural << " " << name;
    return {};
  }
  return *ParseJson(record->json);
}

AsyncOperationStatus EngineWorld::Operation(std::string_view name) const {
  return DecodeAs<AsyncOperation>(Get("asyncoperations", name))->status;
}

AsyncResourceStatus EngineWorld::Resource(std::string_view name) const {
  return DecodeAs<AsyncResource>(Get("asyncresources", name))->status;
}

std::vector<std::string> EngineWorld::Operations() const {
  std::vector<std::string> names;
  const Result<storage::Revision> listed =
      ForEachObject(*store, InfoOf("asyncoperations").GroupResource(), "", FieldSelector(),
                    [&names](const storage::Record& record) { names.push_back(record.key.name); });
  EXPECT_TRUE(listed.ok());
  return names;
}

storage::OperationRow EngineWorld::Row(std::string_view name) const {
  const std::string uid(Get("asyncoperations", name).StringAt({"metadata", "uid"}));
  const Result<storage::OperationRow> row = store->engine().LatestOperation(uid);
  return row.ok() ? *row : storage::OperationRow();
}

std::vector<Json> EngineWorld::EventObjects(std::string_view kind, std::string_view name) const {
  std::vector<std::pair<storage::Revision, Json>> found;
  const Result<storage::Revision> listed =
      ForEachObject(*store, InfoOf("events").GroupResource(), "", FieldSelector(),
                    [&found, kind, name](const storage::Record& record) {
                      Json event = *ParseJson(record.json);
                      if (event.StringAt({"involvedObject", "kind"}) == kind &&
                          event.StringAt({"involvedObject", "name"}) == name)
                        found.emplace_back(record.revision, std::move(event));
                    });
  EXPECT_TRUE(listed.ok());
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Json> events;
  for (auto& [revision, event] : found) events.push_back(std::move(event));
  return events;
}

std::vector<std::string> EngineWorld::Events(std::string_view kind, std::string_view name) const {
  std::vector<std::string> reasons;
  for (const Json& event : EventObjects(kind, name))
    reasons.emplace_back(event.StringAt({"reason"}));
  return reasons;
}

std::vector<std::string> EngineWorld::EventMessages(std::string_view kind, std::string_view name,
                                                    std::string_view reason) const {
  std::vector<std::string> messages;
  for (const Json& event : EventObjects(kind, name)) {
    if (event.StringAt({"reason"}) == reason) messages.emplace_back(event.StringAt({"message"}));
  }
  return messages;
}

std::vector<storage::Attempt> EngineWorld::History(std::string_view name) const {
  const std::string uid(Get("asyncoperations", name).StringAt({"metadata", "uid"}));
  const Result<std::vector<storage::Attempt>> history = store->engine().History(uid, 0, 500);
  EXPECT_TRUE(history.ok());
  return history.ok() ? *history : std::vector<storage::Attempt>();
}

std::string EngineWorld::Show(const Conditions& conditions, std::string_view type) {
  const Condition* condition = FindCondition(conditions, type);
  return condition == nullptr ? "" : condition->status + "/" + condition->reason;
}

std::string CloudYaml(bool key) {
  std::string yaml = R"(
kind: ExternalSystem
apiVersion: asyncops.dev/v1alpha1
metadata: {name: cloud}
spec:
  endpoint: http://cloud.example/v1
  preset: AcceptedLocation
  correlation: {in: Header, name: X-Correlation-Id}
  limits: {requestTimeout: 10s}
)";
  if (key) yaml += "  idempotency: {in: Header, name: Idempotency-Key}\n";
  return yaml;
}

std::string OperationYaml(std::string_view more) {
  return R"(
kind: AsyncOperation
apiVersion: operations.asyncops.dev/v1alpha1
metadata: {name: op}
spec:
  type: Create
  externalSystemRef: {name: cloud}
  parameters: {size: 1Gi}
  submit: {method: POST, path: /volumes, body: {size: "${spec.parameters.size}"}}
  poll: {interval: {initial: 1s, max: 10s}}
  outputs: [{name: volumeID, value: /id}]
)" + std::string(more);
}

std::string ResourceYaml(std::string_view more) {
  return R"(
kind: AsyncResource
apiVersion: asyncops.dev/v1alpha1
metadata: {name: vol}
spec:
  externalSystemRef: {name: cloud}
  parameters: {size: 1Gi}
  create:
    submit: {method: POST, path: /volumes, body: {size: "${spec.parameters.size}"}}
  update:
    submit:
      method: PUT
      path: "/volumes/${outputs.volumeID}"
      body: {size: "${spec.parameters.size}"}
  delete:
    submit: {method: DELETE, path: "/volumes/${outputs.volumeID}"}
  outputs: [{name: volumeID, value: /id}]
)" + std::string(more);
}

}  // namespace asyncops::reconciler
