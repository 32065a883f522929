#include "tests/unit/reconciler/cluster_world.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <utility>

#include "api/schema/binding.h"
#include "base/rfc3339.h"
#include "base/yaml.h"
#include "reconciler/cluster_events.h"
#include "reconciler/cluster_resource_client.h"
#include "reconciler/events.h"
#include "reconciler/object_watch.h"
#include "reconciler/operation_object.h"
#include "reconciler/owner_epoch.h"
#include "storage/sqlite_store.h"

namespace asyncops::reconciler {
namespace {

constexpr int kMaxSteps = 2000;

}  // namespace

struct ClusterWorld::Running {
  explicit Running(ClusterWorld& world)
      : resources(MakeClusterResourceClient({.client = world.cluster,
                                             .resources = world.resource_informer,
                                             .systems = world.system_informer,
                                             .store = *world.store,
                                             .clock = world.clock,
                                             .ids = world.ids})),
        external(world.transport, *resources, world.clock),
        events(MakeClusterEventSink(world.cluster)),
        parts{.store = *world.store,
              .resources = *resources,
              .external = external,
              .clock = world.clock,
              .ids = world.ids,
              .faults = world.no_faults_,
              .systems = &used},
        owner{.epoch = *TakeOwnership(*world.store), .shard = 0},
        operation_reconciler(parts, owner),
        resource_reconciler(parts, owner),
        system_reconciler(parts, owner.epoch, used,
                          [&world](const ObjectName&) { world.NudgeAll(); }) {
    resources->WriteFor(owner.epoch);
    const auto watch = [this, &world](WatchedKind kind, WorkKey::Kind key) {
      watches.push_back(resources->Watch(
          kind, [&world, key](const ObjectName& name) { world.Changed(key, name); }));
    };
    watch(WatchedKind::kAsyncResource, WorkKey::Kind::kResource);
    watch(WatchedKind::kExternalSystem, WorkKey::Kind::kSystem);
    watches.push_back(
        resources->Watch(WatchedKind::kSecret, [&world](const ObjectName&) { world.NudgeAll(); }));
  }

  std::unique_ptr<ResourceClient> resources;
  ExternalClient external;
  std::unique_ptr<EventSink> events;
  SystemUse used;
  ReconcilerParts parts;
  Ownership owner;
  OperationReconciler operation_reconciler;
  ResourceReconciler resource_reconciler;
  SystemReconciler system_reconciler;
  WorkQueue queue;
  std::vector<std::unique_ptr<storage::Subscription>> watches;
};

ClusterWorld::ClusterWorld() = default;
ClusterWorld::~ClusterWorld() { Crash(); }

void ClusterWorld::Start() {
  Result<std::unique_ptr<storage::Store>> opened =
      storage::OpenSqliteStore({.path = directory.File("store.db"), .vfs = ""}, clock);
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  store = std::move(*opened);
  seen_ = 0;
  failed_.clear();
  running_ = std::make_unique<Running>(*this);
}

void ClusterWorld::Crash() {
  if (running_) running_->watches.clear();
  running_.reset();
  store.reset();
}

ResourceClient& ClusterWorld::resources() { return *running_->resources; }

void ClusterWorld::SetInformersLive(bool live) {
  for (FakeInformer* informer : {&resource_informer, &system_informer}) {
    informer->SetLive(live);
    if (live) informer->Sync();
  }
}

std::string ClusterWorld::Create(std::string_view yaml) {
  Result<std::vector<Json>> documents = ParseYaml(yaml);
  if (!documents.ok() || documents->size() != 1) {
    ADD_FAILURE() << documents.status().ToString() << "\n" << yaml;
    return "";
  }
  Json object = documents->front();
  const std::string uid = ids.Uuid();
  JsonObject& metadata = object.ObjectAt("metadata");
  metadata.Set("namespace", "team");
  metadata.Set("uid", uid);
  metadata.Set("generation", 1);
  metadata.Set("creationTimestamp", FormatTime(clock.Now()));
  const std::string_view kind = object.StringAt({"kind"});
  cluster.Put(kind == "AsyncResource"    ? "asyncresources"
              : kind == "ExternalSystem" ? "externalsystems"
                                         : "secrets",
              std::move(object));
  return uid;
}

void ClusterWorld::Changed(WorkKey::Kind kind, const ObjectName& name) {
  const MutexLock lock(mutex_);
  changed_.insert({.kind = kind, .namespace_name = name.namespace_name, .name = name.name});
}

void ClusterWorld::NudgeAll() {
  const MutexLock lock(mutex_);
  nudge_ = true;
}

// As the watches of the controller do.
void ClusterWorld::AddChanged() {
  bool nudge = false;
  {
    const MutexLock lock(mutex_);
    nudge = std::exchange(nudge_, false);
    for (const WorkKey& key : std::exchange(changed_, {})) running_->queue.Add(key);
  }
  if (store->revision() == seen_ && !nudge) return;
  seen_ = store->revision();
  const Result<storage::Revision> listed = ForEachObject(
      *store, OperationResource().GroupResource(), "", FieldSelector(),
      [this, nudge](const storage::Record& record) {
        running_->queue.Add({.kind = WorkKey::Kind::kOperation,
                             .namespace_name = record.key.namespace_name,
                             .name = record.key.name},
                            nudge, nudge ? 0 : record.revision);
        const Result<Json> object = ParseJson(record.json);
        const std::string owner(object->StringAt({"spec", "resourceRef", "name"}));
        if (owner.empty()) return;
        running_->queue.Add({WorkKey::Kind::kResource, record.key.namespace_name, owner});
      });
  EXPECT_TRUE(listed.ok());
}

Result<std::optional<Time>> ClusterWorld::Reconcile(const WorkItem& item) {
  const ObjectName name{.namespace_name = item.key.namespace_name, .name = item.key.name};
  switch (item.key.kind) {
    case WorkKey::Kind::kResource: return running_->resource_reconciler.Reconcile(name);
    case WorkKey::Kind::kSystem: return running_->system_reconciler.Reconcile(name);
    case WorkKey::Kind::kOperation: break;
  }
  return running_->operation_reconciler.Reconcile(item);
}

void ClusterWorld::Settle() {
  AddChanged();
  int steps = 0;
  while (const std::optional<WorkItem> item = running_->queue.Pop(QueueNow(clock))) {
    Result<std::optional<Time>> next = Reconcile(*item);
    ++reconciles;
    if (next.ok()) {
      failed_.erase(item->key);
    } else {
      ++failures;
      const Duration pause = std::chrono::seconds(2 << std::min(failed_[item->key]++, 5));
      next = std::optional<Time>(clock.Now() + std::min<Duration>(pause, std::chrono::minutes(1)));
    }
    if (*next) running_->queue.AddAt(item->key, QueueTimeOf(**next, clock));
    running_->queue.Done(item->key);
    AddChanged();
    ASSERT_LT(++steps, kMaxSteps) << "it never comes to rest";
  }
  while (DeliverEventsTo(*running_->events, *store, no_faults_, 100).done > 0) continue;
}

void ClusterWorld::Pass(Duration by, Duration step) {
  Settle();
  for (Duration passed{}; passed < by; passed += step) {
    clock.Advance(step);
    Settle();
  }
}

AsyncResourceStatus ClusterWorld::Resource(std::string_view name) const {
  return DecodeAs<AsyncResource>(cluster.Find("asyncresources", name))->status;
}

AsyncOperationStatus ClusterWorld::Operation(std::string_view name) const {
  const Result<storage::Record> record =
      store->Get(OperationKey({.namespace_name = "team", .name = std::string(name)}));
  if (!record.ok()) {
    ADD_FAILURE() << "no operation " << name;
    return {};
  }
  return DecodeAs<AsyncOperation>(*ParseJson(record->json))->status;
}

std::vector<std::string> ClusterWorld::Operations() const {
  std::vector<std::string> names;
  const Result<storage::Revision> listed =
      ForEachObject(*store, OperationResource().GroupResource(), "", FieldSelector(),
                    [&names](const storage::Record& record) { names.push_back(record.key.name); });
  EXPECT_TRUE(listed.ok());
  return names;
}

int ClusterWorld::Sent(std::string_view method) const {
  const std::vector<kube::OutboundRequest> requests = transport.requests();
  return static_cast<int>(
      std::count_if(requests.begin(), requests.end(),
                    [method](const kube::OutboundRequest& one) { return one.method == method; }));
}

}  // namespace asyncops::reconciler
