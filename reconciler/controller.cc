#include "reconciler/controller.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "api/operations/v1alpha1/async_operation.h"
#include "api/schema/binding.h"
#include "base/json.h"
#include "base/log.h"
#include "reconciler/annotations.h"
#include "reconciler/event_drainer.h"
#include "reconciler/object_watch.h"
#include "reconciler/operation_metrics.h"
#include "reconciler/operation_object.h"
#include "reconciler/operation_states.h"
#include "reconciler/owner_epoch.h"
#include "reconciler/secret_outputs.h"
#include "reconciler/secret_wait.h"
#include "reconciler/shard.h"
#include "reconciler/system_reconciler.h"
#include "reconciler/system_use.h"
#include "reconciler/worker_pool.h"
#include "storage/control_fields.h"

namespace asyncops::reconciler {
namespace {

// Operations that were there before the start are spread, with jitter: five hundred a second.
constexpr Duration kStartSpacing = std::chrono::milliseconds(2);
// Origins in metrics: users name them, and may name many.
constexpr std::size_t kShownOrigins = 100;
// Resources that are told of so soon after the start were there before it.
constexpr std::chrono::seconds kStarting{1};
// ExternalSystems that no operation uses are looked at this far apart, after so many at once.
constexpr Duration kUnusedSpacing = std::chrono::milliseconds(20);
constexpr int kUnusedAtOnce = 20;

std::string FieldOf(const storage::Record& record, std::string_view field) {
  return std::string(storage::FindPair(record.fields.text(), field));
}

// Whether the operation is over and nothing in its text could bring it on: most of what a store
// holds after a while. Looks at bytes, so it may be wrong in saying that something could.
bool IsSettled(const storage::Record& record) {
  if (!state::IsFinal(FieldOf(record, "status.state"))) return false;
  for (const std::string_view live :
       {std::string_view("\"deletionTimestamp\""), std::string_view("\"ttlAfterFinished\""),
        kRetryRequestedAt, kCancelRequestedAt, kResolve}) {
    if (record.json.find(live) != std::string::npos) return false;
  }
  return true;
}

// Whether the operation's last failure is one that a Secret may mend. Another Secret than it waits
// for tries it too; what failed for other reasons is left to its tiers.
bool WaitsForSecret(const storage::Record& record) {
  const Result<Json> object = ParseJson(record.json);
  const Json* status = object.ok() ? object->Find("status") : nullptr;
  AsyncOperationStatus shown;
  if (status == nullptr || !AsyncOperationStatus::Binding().Decode(*status, &shown).ok())
    return true;
  if (shown.failure_details.empty()) return true;
  const FailureDetail& last = shown.failure_details.front();
  return AwaitsSecret(last.code, last.http_status);
}

class ShardedController final : public Controller {
 public:
  ShardedController(const ControllerOptions& options, const ReconcilerParts& parts,
                    std::shared_ptr<FaultPoints> no_faults, std::int64_t epoch);
  ~ShardedController() override { Stop(std::chrono::seconds(5)); }

  void Stop(Duration timeout) override;
  void Look(const ObjectName& operation) override {
    Add(WorkKey::Kind::kOperation, operation, false);
  }
  void Poll(const ObjectName& operation) override {
    Add(WorkKey::Kind::kOperation, operation, false, kPollsAsked);
  }
  ControllerStats stats() const override;
  std::string MetricsText() const override;

 private:
  void Watch();
  // One step of what the key names.
  Result<std::optional<Time>> Work(const WorkItem& item);
  void Add(WorkKey::Kind kind, const ObjectName& name, bool nudged, std::int64_t changed = 0);
  void AddToBacklog(WorkKey::Kind kind, const ObjectName& name, Time due);
  // When the next operation of the backlog is to be looked at.
  Time NextOfBacklog();
  void OnOperation(const storage::Record& record, bool gone);
  void OnResource(const ObjectName& name);
  void OnSystem(const ObjectName& name);
  void OnSecret(const ObjectName& name);
  // The operations of a system that has changed are to look at it again.
  void NudgeOperationsOf(const ObjectName& system);
  // Of those where this holds; null for all.
  void NudgeWhere(const ObjectName& in_namespace, std::string field, std::string value,
                  bool (*holds)(const storage::Record& record) = nullptr);

  const std::shared_ptr<FaultPoints> no_faults_;  // parts_ may refer to it
  SystemUse used_systems_;
  OperationMetrics operation_metrics_;
  const ReconcilerParts parts_;
  const SteadyTime started_;
  const storage::Revision found_;  // what is not newer was there at the start
  ReconcileMetrics metrics_;
  SystemReconciler systems_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::unique_ptr<WorkerPool> workers_;
  std::unique_ptr<EventDrainer> drainer_;
  Time backlog_due_{};  // for the thread that watches operations
  Time unused_due_{};   // for the thread that watches systems
  std::vector<std::unique_ptr<storage::Subscription>> watches_;
  const std::function<void()> cut_;  // null for none
  bool stopped_ = false;
};

ReconcilerParts With(ReconcilerParts parts, SystemUse* used, OperationMetrics* metrics) {
  parts.systems = used;
  parts.metrics = metrics;
  return parts;
}

ShardedController::ShardedController(const ControllerOptions& options, const ReconcilerParts& parts,
                                     std::shared_ptr<FaultPoints> no_faults, std::int64_t epoch)
    : no_faults_(std::move(no_faults)),
      parts_(With(parts, &used_systems_, &operation_metrics_)),
      started_(parts.clock.SteadyNow()),
      found_(parts.store.revision()),
      systems_(parts_, epoch, used_systems_,
               [this](const ObjectName& system) { NudgeOperationsOf(system); }),
      cut_(options.cut) {
  for (int i = 0; i < std::max(options.shards, 1); ++i)
    shards_.push_back(std::make_unique<Shard>(parts_, Ownership{.epoch = epoch, .shard = i}));
  workers_ = std::make_unique<WorkerPool>(
      options.workers, [this](const WorkItem& item) { return Work(item); }, parts_.clock, metrics_);
  drainer_ = std::make_unique<EventDrainer>(parts_.store, parts_.faults, options.events);
  Watch();
}

void ShardedController::Watch() {
  watches_.push_back(WatchObjects(
      parts_.store, OperationResource().GroupResource(),
      [this](const storage::Record& record, bool gone) { OnOperation(record, gone); },
      // However many are over, a start reads none of those. Resources are told of by themselves.
      storage::Unsettled()));
  watches_.push_back(parts_.resources.Watch(WatchedKind::kAsyncResource,
                                            [this](const ObjectName& name) { OnResource(name); }));
  watches_.push_back(parts_.resources.Watch(WatchedKind::kExternalSystem,
                                            [this](const ObjectName& name) { OnSystem(name); }));
  watches_.push_back(parts_.resources.Watch(WatchedKind::kSecret,
                                            [this](const ObjectName& name) { OnSecret(name); }));
}

Result<std::optional<Time>> ShardedController::Work(const WorkItem& item) {
  if (item.key.kind == WorkKey::Kind::kSystem)
    return systems_.Reconcile({item.key.namespace_name, item.key.name});
  Result<std::optional<Time>> next = shards_[ShardOf(item.key, shards_.size())]->Reconcile(item);
  for (const std::string& system : parts_.external.gate().TakeChanged()) {
    const std::size_t slash = system.find('/');
    Add(WorkKey::Kind::kSystem, {system.substr(0, slash), system.substr(slash + 1)}, false);
  }
  return next;
}

void ShardedController::Add(WorkKey::Kind kind, const ObjectName& name, bool nudged,
                            std::int64_t changed) {
  workers_->Add({.kind = kind, .namespace_name = name.namespace_name, .name = name.name}, nudged,
                changed);
}

void ShardedController::AddToBacklog(WorkKey::Kind kind, const ObjectName& name, Time due) {
  workers_->AddAt({.kind = kind, .namespace_name = name.namespace_name, .name = name.name}, due,
                  WorkLevel::kBacklog);
}

Time ShardedController::NextOfBacklog() {
  const Time due = std::max(backlog_due_, parts_.clock.Now());
  const double spread = 0.5 + parts_.ids.Fraction();
  backlog_due_ =
      due +
      Duration(static_cast<Duration::rep>(static_cast<double>(kStartSpacing.count()) * spread));
  return due;
}

void ShardedController::OnOperation(const storage::Record& record, bool gone) {
  const ObjectName name{.namespace_name = record.key.namespace_name, .name = record.key.name};
  const bool old = record.revision <= found_;
  if (FieldOf(record, "spec.resourceRef.kind") == "AsyncResource") {
    const ObjectName owner{.namespace_name = name.namespace_name,
                           .name = FieldOf(record, "spec.resourceRef.name")};
    if (old) {
      AddToBacklog(WorkKey::Kind::kResource, owner, parts_.clock.Now());
    } else {
      Add(WorkKey::Kind::kResource, owner, false);
    }
  }
  // What is forgotten only once it is looked at would be polled on.
  if (gone) return Add(WorkKey::Kind::kOperation, name, false);
  if (IsSettled(record)) return;
  if (old) {
    AddToBacklog(WorkKey::Kind::kOperation, name, NextOfBacklog());
  } else {
    Add(WorkKey::Kind::kOperation, name, false, record.revision);
  }
}

void ShardedController::OnResource(const ObjectName& name) {
  if (parts_.clock.SteadyNow() - started_ < kStarting) {
    AddToBacklog(WorkKey::Kind::kResource, name, parts_.clock.Now());
  } else {
    Add(WorkKey::Kind::kResource, name, false);
  }
}

void ShardedController::NudgeWhere(const ObjectName& in_namespace, std::string field,
                                   std::string value, bool (*holds)(const storage::Record&)) {
  FieldSelector selector;
  selector.requirements.push_back(
      {.field = std::move(field), .equal = true, .value = std::move(value)});
  const Result<storage::Revision> listed = ForEachObject(
      parts_.store, OperationResource().GroupResource(), in_namespace.namespace_name, selector,
      [this, holds](const storage::Record& record) {
        if (state::IsFinal(FieldOf(record, "status.state"))) return;
        if (holds != nullptr && !holds(record)) return;
        Add(WorkKey::Kind::kOperation,
            {.namespace_name = record.key.namespace_name, .name = record.key.name}, true);
      });
  if (!listed.ok()) {
    Log(LogLevel::kWarning, "looking for dependent operations failed",
        {{"error", listed.status().ToString()}});
  }
}

void ShardedController::NudgeOperationsOf(const ObjectName& system) {
  NudgeWhere(system, "spec.externalSystemRef.name", system.name);
}

void ShardedController::OnSystem(const ObjectName& name) {
  if (used_systems_.IsUsed(name)) return Add(WorkKey::Kind::kSystem, name, false);
  // No operation waits for it: where many come at once, they wait in a row.
  const Time now = parts_.clock.Now();
  unused_due_ = std::max(unused_due_, now - kUnusedAtOnce * kUnusedSpacing) + kUnusedSpacing;
  AddToBacklog(WorkKey::Kind::kSystem, name, std::max(unused_due_, now));
}

void ShardedController::OnSecret(const ObjectName& name) {
  NudgeWhere(name, "status.state", std::string(state::kBackoff), WaitsForSecret);
  // Blocked before its first call, as by a Secret that is not its own.
  NudgeWhere(name, "status.state", std::string(state::kPending));
  // What runs outside and cannot be asked, or cannot be kept.
  for (const std::string_view code : {kCredentialsMissing, kSecretNotWritten})
    NudgeWhere(name, "status.failureCode", std::string(code));
  for (const ObjectName& system : used_systems_.SystemsWith(name)) {
    Add(WorkKey::Kind::kSystem, system, false);
    NudgeOperationsOf(system);
  }
}

void ShardedController::Stop(Duration timeout) {
  if (std::exchange(stopped_, true)) return;
  // Nothing comes in any more; then the workers.
  watches_.clear();
  workers_->RequestStop();
  drainer_->RequestStop();
  // What hangs is cut: its intent is on disk, and the next start recovers it.
  if (!workers_->AwaitStop(timeout)) {
    parts_.external.Cancel();
    if (cut_) cut_();
  }
  workers_->Join();
  drainer_.reset();
}

ControllerStats ShardedController::stats() const {
  ControllerStats stats;
  stats.queue_depth = static_cast<std::int64_t>(workers_->depth());
  stats.reconciles = workers_->reconciles();
  stats.errors = workers_->errors();
  for (const std::unique_ptr<Shard>& shard : shards_) stats.outcome_unknown += shard->parked();
  return stats;
}

std::string ShardedController::MetricsText() const {
  return metrics_.Text(static_cast<std::int64_t>(workers_->due()), workers_->workers()) +
         operation_metrics_.Text(parts_.external.gate().Origins(kShownOrigins));
}

}  // namespace

Result<std::unique_ptr<Controller>> StartController(const ControllerOptions& options,
                                                    storage::Store& store,
                                                    ResourceClient& resources,
                                                    ExternalClient& external, const Clock& clock,
                                                    IdGenerator& ids) {
  const Result<std::int64_t> epoch = TakeOwnership(store);
  if (!epoch.ok())
    return epoch.status().WithContext("the new owner of operations cannot be recorded");
  resources.WriteFor(*epoch);
  // Without a FaultPoints of the caller's there is one that does nothing.
  const auto no_faults = std::make_shared<FaultPoints>();
  const ReconcilerParts parts{.store = store,
                              .resources = resources,
                              .external = external,
                              .clock = clock,
                              .ids = ids,
                              .faults = options.faults == nullptr ? *no_faults : *options.faults,
                              .links = options.links,
                              .callback_metrics = options.callback_metrics};
  return std::unique_ptr<Controller>(
      std::make_unique<ShardedController>(options, parts, no_faults, *epoch));
}

}  // namespace asyncops::reconciler
