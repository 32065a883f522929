#include "reconciler/controller.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>
#include <vector>

#include "base/log.h"
#include "reconciler/annotations.h"
#include "reconciler/event_drainer.h"
#include "reconciler/object_watch.h"
#include "reconciler/operation_object.h"
#include "reconciler/operation_states.h"
#include "reconciler/owner_epoch.h"
#include "reconciler/secret_outputs.h"
#include "reconciler/shard.h"

namespace asyncops::reconciler {
namespace {

// What was there before the start is spread: this many operations a second and no more.
constexpr Duration kStartSpacing = std::chrono::milliseconds(2);

std::string FieldOf(const storage::Record& record, std::string_view field) {
  return std::string(storage::FindPair(record.fields.text(), field));
}

// Whether the operation is over and nothing in its text could bring it on: most of what a store
// holds after a while. Looks at bytes, so it may be wrong in saying that something could.
bool IsSettled(const storage::Record& record) {
  if (!state::IsFinal(FieldOf(record, "status.state"))) return false;
  for (const std::string_view live :
       {std::string_view("\"deletionTimestamp\""), std::string_view("\"ttlAfterFinished\""),
        kRetryRequestedAt}) {
    if (record.json.find(live) != std::string::npos) return false;
  }
  return true;
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
  ControllerStats stats() const override;
  std::string MetricsText() const override;

 private:
  void Watch();
  Shard& ShardFor(const WorkKey& key) { return *shards_[ShardOf(key, shards_.size())]; }
  void Add(WorkKey::Kind kind, const ObjectName& name, bool nudged);
  void OnOperation(const storage::Record& record, bool gone);
  void OnSystem(const ObjectName& name);
  void OnSecret(const ObjectName& name);
  void NudgeWhere(const ObjectName& in_namespace, std::string field, std::string value);

  const std::shared_ptr<FaultPoints> no_faults_;  // parts_ may refer to it
  const ReconcilerParts parts_;
  const Time started_;
  std::atomic<std::int64_t> backlog_ = 0;  // operations that were there at the start
  ReconcileMetrics metrics_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::unique_ptr<EventDrainer> drainer_;
  std::vector<std::unique_ptr<storage::Subscription>> watches_;
  bool stopped_ = false;
};

ShardedController::ShardedController(const ControllerOptions& options, const ReconcilerParts& parts,
                                     std::shared_ptr<FaultPoints> no_faults, std::int64_t epoch)
    : no_faults_(std::move(no_faults)), parts_(parts), started_(parts.clock.Now()) {
  for (int i = 0; i < std::max(options.shards, 1); ++i)
    shards_.push_back(
        std::make_unique<Shard>(parts_, Ownership{.epoch = epoch, .shard = i}, metrics_));
  drainer_ = std::make_unique<EventDrainer>(parts_.store, parts_.faults);
  Watch();
}

void ShardedController::Watch() {
  watches_.push_back(WatchObjects(
      parts_.store, OperationResource().GroupResource(),
      [this](const storage::Record& record, bool gone) { OnOperation(record, gone); }));
  watches_.push_back(parts_.resources.Watch(
      WatchedKind::kAsyncResource,
      [this](const ObjectName& name) { Add(WorkKey::Kind::kResource, name, false); }));
  watches_.push_back(parts_.resources.Watch(WatchedKind::kExternalSystem,
                                            [this](const ObjectName& name) { OnSystem(name); }));
  watches_.push_back(parts_.resources.Watch(WatchedKind::kSecret,
                                            [this](const ObjectName& name) { OnSecret(name); }));
}

void ShardedController::Add(WorkKey::Kind kind, const ObjectName& name, bool nudged) {
  const WorkKey key{.kind = kind, .namespace_name = name.namespace_name, .name = name.name};
  ShardFor(key).Add(key, nudged);
}

void ShardedController::OnOperation(const storage::Record& record, bool gone) {
  const ObjectName name{.namespace_name = record.key.namespace_name, .name = record.key.name};
  if (FieldOf(record, "spec.resourceRef.kind") == "AsyncResource") {
    Add(WorkKey::Kind::kResource,
        {.namespace_name = name.namespace_name, .name = FieldOf(record, "spec.resourceRef.name")},
        false);
  }
  if (gone || IsSettled(record)) return;
  const std::string state = FieldOf(record, "status.state");
  const bool begun = !state.empty() && state != state::kPending && !state::IsFinal(state);
  const WorkKey key{
      .kind = WorkKey::Kind::kOperation, .namespace_name = name.namespace_name, .name = name.name};
  const bool starting = parts_.clock.Now() - started_ < std::chrono::seconds(1);
  if (begun && starting) {
    ShardFor(key).AddAt(key, started_ + kStartSpacing * backlog_++);
  } else {
    ShardFor(key).Add(key, false);
  }
}

void ShardedController::NudgeWhere(const ObjectName& in_namespace, std::string field,
                                   std::string value) {
  FieldSelector selector;
  selector.requirements.push_back(
      {.field = std::move(field), .equal = true, .value = std::move(value)});
  const Result<storage::Revision> listed = ForEachObject(
      parts_.store, OperationResource().GroupResource(), in_namespace.namespace_name, selector,
      [this](const storage::Record& record) {
        if (state::IsFinal(FieldOf(record, "status.state"))) return;
        Add(WorkKey::Kind::kOperation,
            {.namespace_name = record.key.namespace_name, .name = record.key.name}, true);
      });
  if (!listed.ok()) {
    Log(LogLevel::kWarning, "looking for dependent operations failed",
        {{"error", listed.status().ToString()}});
  }
}

void ShardedController::OnSystem(const ObjectName& name) {
  NudgeWhere(name, "spec.externalSystemRef.name", name.name);
}

void ShardedController::OnSecret(const ObjectName& name) {
  NudgeWhere(name, "status.state", std::string(state::kBackoff));
  // Blocked before its first call, as by a Secret that is not its own.
  NudgeWhere(name, "status.state", std::string(state::kPending));
  // What runs outside and cannot be asked, or cannot be kept.
  for (const std::string_view code : {kCredentialsMissing, kSecretNotWritten})
    NudgeWhere(name, "status.failureCode", std::string(code));
}

void ShardedController::Stop(Duration timeout) {
  if (std::exchange(stopped_, true)) return;
  // Nothing comes in any more; then the shards.
  watches_.clear();
  for (const std::unique_ptr<Shard>& shard : shards_) shard->RequestStop();
  const SteadyTime end = parts_.clock.SteadyNow() + timeout;
  bool all = true;
  for (const std::unique_ptr<Shard>& shard : shards_) {
    const auto left = std::chrono::duration_cast<Duration>(end - parts_.clock.SteadyNow());
    all = shard->AwaitStop(std::max(left, Duration::zero())) && all;
  }
  // What hangs is cut: its intent is on disk, and the next start recovers it.
  if (!all) parts_.external.Cancel();
  for (const std::unique_ptr<Shard>& shard : shards_) shard->Join();
  drainer_.reset();
}

ControllerStats ShardedController::stats() const {
  ControllerStats stats;
  for (const std::unique_ptr<Shard>& shard : shards_) {
    stats.queue_depth += static_cast<std::int64_t>(shard->depth());
    stats.reconciles += shard->reconciles();
    stats.errors += shard->errors();
    stats.outcome_unknown += shard->parked();
  }
  return stats;
}

std::string ShardedController::MetricsText() const {
  std::size_t due = 0;
  for (const std::unique_ptr<Shard>& shard : shards_) due += shard->due();
  return metrics_.Text(static_cast<std::int64_t>(due), static_cast<std::int64_t>(shards_.size()));
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
