// Delivers Events from the outbox while the server runs.
#ifndef ASYNCOPS_RECONCILER_EVENT_DRAINER_H_
#define ASYNCOPS_RECONCILER_EVENT_DRAINER_H_

#include <memory>
#include <stop_token>
#include <thread>

#include "base/mutex.h"
#include "reconciler/fault_points.h"
#include "storage/store.h"

namespace asyncops::reconciler {

class EventDrainer {
 public:
  // Starts its thread. Both outlive it.
  EventDrainer(storage::Store& store, FaultPoints& faults);
  // Ends the thread; what is left in the outbox is delivered after the next start.
  ~EventDrainer();
  EventDrainer(const EventDrainer&) = delete;
  EventDrainer& operator=(const EventDrainer&) = delete;

 private:
  void Run(const std::stop_token& stop);
  void Notify() ASYNCOPS_EXCLUDES(mutex_);
  void Wait(const std::stop_token& stop) ASYNCOPS_EXCLUDES(mutex_);

  storage::Store& store_;
  FaultPoints& faults_;
  std::unique_ptr<storage::Subscription> subscription_;
  Mutex mutex_;
  CondVar wake_;
  bool notified_ ASYNCOPS_GUARDED_BY(mutex_) = false;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_EVENT_DRAINER_H_
