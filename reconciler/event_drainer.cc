#include "reconciler/event_drainer.h"

#include <chrono>

#include "base/log.h"
#include "reconciler/events.h"

namespace asyncops::reconciler {
namespace {

// A message that comes without a change of an object notifies nobody.
constexpr std::chrono::seconds kLookAnyway{2};

}  // namespace

EventDrainer::EventDrainer(storage::Store& store, FaultPoints& faults)
    : store_(store), faults_(faults) {
  subscription_ = store_.Subscribe("", [this] { Notify(); });
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

EventDrainer::~EventDrainer() {
  subscription_.reset();
  thread_.request_stop();
  Notify();
  thread_.join();
}

void EventDrainer::Notify() {
  const MutexLock lock(mutex_);
  notified_ = true;
  wake_.NotifyAll();
}

void EventDrainer::Wait(const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  if (!notified_ && !stop.stop_requested()) wake_.WaitFor(mutex_, kLookAnyway);
  notified_ = false;
}

void EventDrainer::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Result<int> delivered = DeliverEvents(store_, faults_);
    if (!delivered.ok()) {
      Log(LogLevel::kWarning, "delivering events failed",
          {{"error", delivered.status().ToString()}});
    }
    if (!delivered.ok() || *delivered == 0) Wait(stop);
  }
}

}  // namespace asyncops::reconciler
