// The controllers of standalone on one thread: they follow the store's log of changes.
#ifndef ASYNCOPS_CONTROLLERS_CONTROLLER_LOOP_H_
#define ASYNCOPS_CONTROLLERS_CONTROLLER_LOOP_H_

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/limits.h"
#include "base/mutex.h"
#include "controllers/event_expiry.h"
#include "controllers/garbage_collector.h"
#include "controllers/namespace_controller.h"
#include "controllers/object_counts.h"
#include "storage/store.h"

namespace asyncops::controllers {

struct ControllerOptions {
  Duration event_ttl = std::chrono::hours(1);  // 0 keeps Events for ever
  std::size_t collector_queue = kMaxCollectorQueue;
  // Objects are counted, and the rest is left to the controllers of a cluster.
  bool counts_only = false;
};

// The controllers without a thread. For one thread.
class Controllers {
 public:
  // Both outlive it.
  Controllers(const ControllerOptions& options, storage::Store& store, const Clock& clock);

  // Reads the changes since the last call (everything, the first time) and does a part of what
  // follows from them; false where nothing is left to do at present. After a failure it is called
  // again.
  Result<bool> Step(const std::stop_token& stop);

  // As ObjectCounts::CountOf; from any thread.
  std::int64_t CountOf(std::string_view resource) const { return counts_.CountOf(resource); }

 private:
  Status Scan(const std::stop_token& stop);
  // Expired where changes were missed.
  Status Follow(const std::stop_token& stop);

  storage::Store& store_;
  const bool counts_only_;
  GarbageCollector garbage_;
  NamespaceController namespaces_;
  EventExpiry events_;
  ObjectCounts counts_;
  bool scanned_ = false;
  std::map<std::string, storage::Revision> seen_;  // by resource: changes up to here are known
};

// The same on a thread of its own, until it is destroyed.
class ControllerLoop {
 public:
  // Both outlive it.
  ControllerLoop(const ControllerOptions& options, storage::Store& store, const Clock& clock);
  ~ControllerLoop() { Stop(); }
  ControllerLoop(const ControllerLoop&) = delete;
  ControllerLoop& operator=(const ControllerLoop&) = delete;

  // Ends the thread after the batch under way; what was counted can still be read.
  void Stop();
  // How many objects of that GroupResource() are stored; -1 until that is known. From any thread.
  std::int64_t CountOf(std::string_view resource) const { return controllers_.CountOf(resource); }

 private:
  void Run(const std::stop_token& stop);
  void Notify() ASYNCOPS_EXCLUDES(mutex_);
  void Pause(const std::stop_token& stop, Duration least, Duration most) ASYNCOPS_EXCLUDES(mutex_);

  Controllers controllers_;
  Mutex mutex_;
  CondVar wake_;
  bool notified_ ASYNCOPS_GUARDED_BY(mutex_) = false;
  std::unique_ptr<storage::Subscription> subscription_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace asyncops::controllers

#endif  // ASYNCOPS_CONTROLLERS_CONTROLLER_LOOP_H_
