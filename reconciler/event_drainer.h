// Delivers Events from the outbox while the server runs.
#ifndef ASYNCOPS_RECONCILER_EVENT_DRAINER_H_
#define ASYNCOPS_RECONCILER_EVENT_DRAINER_H_

#include <chrono>
#include <memory>
#include <stop_token>
#include <thread>

#include "base/mutex.h"
#include "reconciler/event_sink.h"
#include "reconciler/fault_points.h"
#include "storage/store.h"

namespace asyncops::reconciler {

class EventDrainer {
 public:
  // Starts its thread. Events go to the sink, at most 25 a second, and again after 1 s, doubling to
  // 30 s, where it fails; without one (null) they go into the store. All outlive it.
  EventDrainer(storage::Store& store, FaultPoints& faults, EventSink* sink = nullptr);
  // Lets the thread end. Returns at once.
  void RequestStop();
  // Ends the thread, after the delivery that is under way; what is left in the outbox is delivered
  // after the next start.
  ~EventDrainer();
  EventDrainer(const EventDrainer&) = delete;
  EventDrainer& operator=(const EventDrainer&) = delete;

 private:
  void Run(const std::stop_token& stop);
  // Deliver some, and wait as long as is right after that.
  void DrainIntoStore(const std::stop_token& stop);
  void DrainToSink(const std::stop_token& stop);
  void Notify() ASYNCOPS_EXCLUDES(mutex_);
  // Until the end of the thread, at most this long.
  void Pause(const std::stop_token& stop, std::chrono::milliseconds most) ASYNCOPS_EXCLUDES(mutex_);
  void Wait(const std::stop_token& stop) ASYNCOPS_EXCLUDES(mutex_);

  storage::Store& store_;
  FaultPoints& faults_;
  EventSink* const sink_;
  int failures_ = 0;  // in a row; for the thread
  std::unique_ptr<storage::Subscription> subscription_;
  Mutex mutex_;
  CondVar wake_;
  CondVar stopping_;
  bool notified_ ASYNCOPS_GUARDED_BY(mutex_) = false;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_EVENT_DRAINER_H_
