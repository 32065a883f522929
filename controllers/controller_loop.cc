#include "controllers/controller_loop.h"

#include <chrono>

#include "api/scheme.h"
#include "base/limits.h"
#include "base/log.h"

namespace asyncops::controllers {
namespace {

// Changes come in bursts: one look after this long serves many of them, and nobody waits for it.
constexpr Duration kGather = std::chrono::milliseconds(10);
// Times pass without a change: that of an Event, of a namespace to look at again.
constexpr Duration kLookAnyway = std::chrono::seconds(1);
constexpr Duration kAfterFailure = std::chrono::seconds(1);

}  // namespace

Controllers::Controllers(const ControllerOptions& options, storage::Store& store,
                         const Clock& clock)
    : store_(store),
      counts_only_(options.counts_only),
      garbage_(store, clock, options.collector_queue),
      namespaces_(store, clock),
      events_(store, clock, options.event_ttl),
      counts_(store) {}

Result<bool> Controllers::Step(const std::stop_token& stop) {
  if (!scanned_) ASYNCOPS_RETURN_IF_ERROR(Scan(stop));
  if (const Status followed = Follow(stop); !followed.ok()) {
    if (followed.reason() == Reason::kExpired) scanned_ = false;
    return followed;
  }
  if (counts_only_) return counts_.Work();
  // Each does a part, so that none waits for the whole of another.
  const Result<bool> garbage = garbage_.Work();
  const Result<bool> namespaces = namespaces_.Work();
  const Result<bool> events = events_.Work();
  const Result<bool> counts = counts_.Work();
  for (const Result<bool>* part : {&garbage, &namespaces, &events, &counts})
    if (!part->ok()) return part->status();
  return *garbage || *namespaces || *events || *counts;
}

Status Controllers::Scan(const std::stop_token& stop) {
  // What changes during the scan is seen again afterwards, which does no harm.
  const storage::Revision from = store_.revision();
  for (const ResourceInfo& resource : AllResources()) seen_[resource.GroupResource()] = from;
  if (!counts_only_) {
    ASYNCOPS_RETURN_IF_ERROR(namespaces_.Scan(stop));
    garbage_.StartScan();
  }
  counts_.Start(from);
  scanned_ = true;
  return Status::Ok();
}

Status Controllers::Follow(const std::stop_token& stop) {
  for (auto& [resource, seen] : seen_) {
    while (!stop.stop_requested()) {
      const Result<storage::ChangeBatch> batch =
          store_.Changes(resource, "", seen, kMaxRowsPerRead);
      if (!batch.ok()) return batch.status();
      for (const std::shared_ptr<const storage::Change>& change : batch->changes) {
        counts_.Observe(*change);
        if (counts_only_) continue;
        garbage_.Observe(*change);
        namespaces_.Observe(*change);
      }
      seen = batch->through;
      if (batch->changes.empty()) break;
    }
  }
  return Status::Ok();
}

ControllerLoop::ControllerLoop(const ControllerOptions& options, storage::Store& store,
                               const Clock& clock)
    : controllers_(options, store, clock) {
  subscription_ = store.Subscribe("", [this] { Notify(); });
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void ControllerLoop::Stop() {
  if (!thread_.joinable()) return;
  subscription_.reset();
  thread_.request_stop();
  {
    const MutexLock lock(mutex_);
    wake_.NotifyAll();
  }
  thread_.join();
}

void ControllerLoop::Notify() {
  const MutexLock lock(mutex_);
  if (notified_) return;
  notified_ = true;
  wake_.NotifyAll();
}

void ControllerLoop::Pause(const std::stop_token& stop, Duration least, Duration most) {
  const MutexLock lock(mutex_);
  if (!notified_ && !stop.stop_requested()) wake_.WaitFor(mutex_, most);
  // A wake for no reason only ends the pause early.
  if (!stop.stop_requested()) wake_.WaitFor(mutex_, least);
  notified_ = false;
}

void ControllerLoop::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Result<bool> more = controllers_.Step(stop);
    if (!more.ok()) {
      if (more.status().reason() != Reason::kExpired) {
        Log(LogLevel::kWarning, "a controller failed", {{"error", more.status().ToString()}});
        Pause(stop, kAfterFailure, kAfterFailure);
      }
    } else if (!*more) {
      Pause(stop, kGather, kLookAnyway);
    }
  }
}

}  // namespace asyncops::controllers
