#include "reconciler/event_drainer.h"

#include <algorithm>
#include <chrono>

#include "base/log.h"
#include "reconciler/events.h"

namespace asyncops::reconciler {
namespace {

// A message that comes without a change of an object notifies nobody.
constexpr std::chrono::seconds kLookAnyway{2};
// 25 a second: what a busy engine makes, and nothing that kube-apiserver would feel.
constexpr int kBurst = 5;
constexpr std::chrono::milliseconds kBurstEvery{200};
constexpr std::chrono::milliseconds kFirstPause{1000};
constexpr std::chrono::milliseconds kLongestPause{30000};
constexpr int kMostDoublings = 5;

}  // namespace

EventDrainer::EventDrainer(storage::Store& store, FaultPoints& faults, EventSink* sink)
    : store_(store), faults_(faults), sink_(sink) {
  subscription_ = store_.Subscribe("", [this] { Notify(); });
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

EventDrainer::~EventDrainer() {
  subscription_.reset();
  RequestStop();
  thread_.join();
}

void EventDrainer::RequestStop() {
  thread_.request_stop();
  Notify();
  const MutexLock lock(mutex_);
  stopping_.NotifyAll();
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

void EventDrainer::Pause(const std::stop_token& stop, std::chrono::milliseconds most) {
  const MutexLock lock(mutex_);
  if (!stop.stop_requested()) stopping_.WaitFor(mutex_, most);
}

void EventDrainer::DrainIntoStore(const std::stop_token& stop) {
  const Result<int> delivered = DeliverEvents(store_, faults_);
  if (!delivered.ok()) {
    Log(LogLevel::kWarning, "delivering events failed", {{"error", delivered.status().ToString()}});
  }
  if (!delivered.ok() || *delivered == 0) Wait(stop);
}

void EventDrainer::DrainToSink(const std::stop_token& stop) {
  const EventRound round = DeliverEventsTo(*sink_, store_, faults_, kBurst);
  if (round.done > 0) failures_ = 0;
  if (round.failed.ok()) return round.done == 0 ? Wait(stop) : Pause(stop, kBurstEvery);
  // Once for a while that it lasts.
  if (failures_ == 0) {
    Log(LogLevel::kWarning, "delivering events failed: they wait",
        {{"error", round.failed.ToString()}});
  }
  Pause(stop, std::min(kLongestPause, kFirstPause * (1 << std::min(failures_++, kMostDoublings))));
}

void EventDrainer::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (sink_ == nullptr) {
      DrainIntoStore(stop);
    } else {
      DrainToSink(stop);
    }
  }
}

}  // namespace asyncops::reconciler
