#include "tests/sim/process.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "api/scheme.h"
#include "reconciler/events.h"
#include "reconciler/local_resource_client.h"
#include "reconciler/object_watch.h"
#include "reconciler/owner_epoch.h"

namespace asyncops::sim {
namespace {

using reconciler::WorkItem;
using reconciler::WorkKey;

constexpr int kPage = 500;
// As a shard waits after a failure of our own.
constexpr std::chrono::seconds kAfterFailure{2};

struct Watched {
  std::string_view group;
  std::string_view plural;
};
constexpr std::array<Watched, 4> kWatched = {{{"operations.asyncops.dev", "asyncoperations"},
                                              {"asyncops.dev", "asyncresources"},
                                              {"asyncops.dev", "externalsystems"},
                                              {"", "secrets"}}};

std::string StoreName(const Watched& watched) {
  return FindResource(watched.group, watched.plural)->GroupResource();
}

reconciler::ReconcilerParts PartsOf(const ProcessParts& parts,
                                    reconciler::ResourceClient& resources,
                                    reconciler::ExternalClient& external,
                                    reconciler::FaultPoints& faults) {
  return {.store = parts.store,
          .resources = resources,
          .external = external,
          .clock = parts.clock,
          .ids = parts.ids,
          .faults = faults,
          .links = &parts.links};
}

WorkKey KeyOf(const reconciler::ObjectName& operation) {
  return {.kind = WorkKey::Kind::kOperation,
          .namespace_name = operation.namespace_name,
          .name = operation.name};
}

}  // namespace

Result<std::unique_ptr<Process>> Process::Start(const ProcessParts& parts) {
  const Result<std::int64_t> epoch = reconciler::TakeOwnership(parts.store);
  if (!epoch.ok()) return epoch.status();
  return std::unique_ptr<Process>(new Process(parts, *epoch));
}

Process::Process(const ProcessParts& parts, std::int64_t epoch)
    : parts_(parts),
      resources_(reconciler::MakeLocalResourceClient(parts.store, parts.clock, parts.ids)),
      external_(parts.transport, *resources_, parts.clock),
      operation_reconciler_(PartsOf(parts, *resources_, external_, faults_),
                            {.epoch = epoch, .shard = 0}),
      resource_reconciler_(PartsOf(parts, *resources_, external_, faults_)),
      intake_({.store = parts.store,
               .resources = *resources_,
               .external = external_,
               .clock = parts.clock,
               .links = parts.links,
               .metrics = callback_metrics_,
               .look = [this](const reconciler::ObjectName& name) { queue_.Add(KeyOf(name)); },
               .poll =
                   [this](const reconciler::ObjectName& name) {
                     queue_.Add(KeyOf(name), false, reconciler::kPollsAsked);
                   }}) {}

callbacks::Answer Process::Receive(callbacks::Delivery delivery) {
  // Writes end before they return.
  callbacks::Answer answer = callbacks::Answer::kUnavailable;
  intake_.Receive(std::move(delivery), [&answer](callbacks::Answer given) { answer = given; });
  return answer;
}

// As the controller's watches do.
void Process::Add(std::string_view plural, const storage::Record& record, bool gone) {
  const auto add = [this, &record](WorkKey::Kind kind, std::string name) {
    queue_.Add(
        {.kind = kind, .namespace_name = record.key.namespace_name, .name = std::move(name)});
  };
  if (plural == "asyncresources") return add(WorkKey::Kind::kResource, record.key.name);
  if (plural != "asyncoperations") return NudgeOperations();
  const std::string_view text = record.fields.text();
  if (storage::FindPair(text, "spec.resourceRef.kind") == "AsyncResource") {
    add(WorkKey::Kind::kResource, std::string(storage::FindPair(text, "spec.resourceRef.name")));
  }
  if (gone) return add(WorkKey::Kind::kOperation, record.key.name);
  queue_.Add({.kind = WorkKey::Kind::kOperation,
              .namespace_name = record.key.namespace_name,
              .name = record.key.name},
             false, record.revision);
}

void Process::NudgeOperations() {
  const auto nudge = [this](const storage::Record& record) {
    queue_.Add({.kind = WorkKey::Kind::kOperation,
                .namespace_name = record.key.namespace_name,
                .name = record.key.name},
               true);
  };
  const Result<storage::Revision> listed =
      reconciler::ForEachObject(parts_.store, StoreName(kWatched[0]), "", FieldSelector(), nudge);
  if (!listed.ok()) parts_.journal.Problem("a list failed: " + listed.status().ToString());
}

void Process::RouteAll() {
  for (const Watched& watched : kWatched) {
    const auto add = [this, &watched](const storage::Record& record) {
      Add(watched.plural, record, false);
    };
    const Result<storage::Revision> listed =
        reconciler::ForEachObject(parts_.store, StoreName(watched), "", FieldSelector(), add);
    if (!listed.ok()) parts_.journal.Problem("a list failed: " + listed.status().ToString());
  }
}

void Process::Route() {
  const storage::Revision newest = parts_.store.revision();
  if (routed_ == newest) return;
  const std::optional<storage::Revision> after = std::exchange(routed_, newest);
  if (!after) return RouteAll();
  for (const Watched& watched : kWatched) {
    const Result<storage::ChangeBatch> batch =
        parts_.store.Changes(StoreName(watched), "", *after, kPage);
    if (!batch.ok()) return RouteAll();
    for (const std::shared_ptr<const storage::Change>& change : batch->changes)
      Add(watched.plural, change->record, change->type == storage::ChangeType::kDeleted);
  }
}

bool Process::Step() {
  Route();
  const std::optional<WorkItem> item = queue_.Pop(reconciler::QueueNow(parts_.clock));
  if (!item) return false;
  const reconciler::ObjectName name{.namespace_name = item->key.namespace_name,
                                    .name = item->key.name};
  const Result<std::optional<Time>> next = item->key.kind == WorkKey::Kind::kResource
                                               ? resource_reconciler_.Reconcile(name)
                                               : operation_reconciler_.Reconcile(*item);
  std::optional<Time> again;
  if (next.ok()) {
    again = *next;
  } else {
    again = parts_.clock.Now() + kAfterFailure;
    parts_.journal.Say("pass over " + name.name + " failed: " + next.status().message());
  }
  if (again) queue_.AddAt(item->key, reconciler::QueueTimeOf(*again, parts_.clock));
  queue_.Done(item->key);
  return true;
}

void Process::DeliverEvents() {
  for (int i = 0; i < 100; ++i) {
    const Result<int> delivered = reconciler::DeliverEvents(parts_.store, faults_);
    if (!delivered.ok() || *delivered == 0) return;
  }
}

std::optional<Time> Process::NextDue() {
  Route();
  return queue_.NextDue();
}

}  // namespace asyncops::sim
