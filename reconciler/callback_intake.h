// Takes callbacks in: who sent them, whom they are for, and one transaction that keeps them.
#ifndef ASYNCOPS_RECONCILER_CALLBACK_INTAKE_H_
#define ASYNCOPS_RECONCILER_CALLBACK_INTAKE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "callbacks/link.h"
#include "callbacks/receiver.h"
#include "callbacks/signature.h"

#include "base/clock.h"
#include "reconciler/callback_metrics.h"
#include "reconciler/external_client.h"
#include "reconciler/rejected_callbacks.h"
#include "reconciler/resource_client.h"
#include "storage/store.h"

namespace asyncops::reconciler {

struct CallbackIntakeParts {
  // Messages in all: 500 bytes each, or the trusted event.
  static constexpr std::int64_t kMaxMessages = 500'000;

  storage::Store& store;
  ResourceClient& resources;
  // Knows which secrets an event might show.
  ExternalClient& external;
  const Clock& clock;
  const callbacks::Links& links;
  CallbackMetrics& metrics;
  // Have the operation looked at, or polled, now; from the writer's thread, so they must be quick
  // and must not call the store.
  std::function<void(const ObjectName&)> look;
  std::function<void(const ObjectName&)> poll;
  std::int64_t max_messages = kMaxMessages;
};

// What is answered with kStored is on disk, and so is what it led to: the operation is to be polled
// now. A callback that comes before the operation's ID is known stays in the inbox and is matched
// by whoever records that ID. Reads the store on the caller's thread. Outlives what it wrote: wait
// for the store's writes before it is destroyed.
class CallbackIntake final : public callbacks::Receiver {
 public:
  // How long a message is known again, and waits for an operation that knows its ID. Old messages
  // go as new ones come.
  static constexpr std::chrono::hours kKnownFor{2};
  static constexpr std::chrono::hours kWaitsFor{24};
  // Messages of one system that wait; deliveries that wait for the disk.
  static constexpr int kMaxWaiting = 1000;
  static constexpr int kMaxInFlight = 1000;
  // A larger event is a reason to poll and no more.
  static constexpr std::size_t kMaxTrustedBytes = std::size_t{64} * 1024;

  explicit CallbackIntake(CallbackIntakeParts parts);

  void Receive(callbacks::Delivery delivery,
               std::function<void(callbacks::Answer)> answer) override;
  void CountTurnedAway(const std::string& result) override { parts_.metrics.Count("", result); }

 private:
  struct Case;     // one delivery on its way
  struct Reading;  // what its events are taken for
  using CasePointer = std::shared_ptr<Case>;

  void ReceiveForOperation(const CasePointer& delivered);
  void ReceiveForSystem(const CasePointer& delivered);
  // Reads the secrets that can be read.
  callbacks::Verification VerificationOf(const ExternalSystem& system);
  // Answers a delivery that is not kept. True where the signature is good.
  bool IsSigned(const CasePointer& delivered, const ExternalSystem& system);
  // Takes the events of the message; false where they cannot be read, which is answered.
  bool ReadEvents(const CasePointer& delivered, const Reading& reading);
  void Store(const CasePointer& delivered);
  void Stored(const CasePointer& delivered, const Status& written);
  Status Write(Case& delivered, storage::Transaction& transaction);
  // Deletes old messages and counts the others.
  Status Purge(Time now, storage::Transaction& transaction);
  void Finish(const CasePointer& delivered, callbacks::Answer answer, std::string_view result);

  const CallbackIntakeParts parts_;
  // Checked instead of a system that is not there, so that this takes as long.
  const callbacks::Verification nobody_;
  RejectedCallbacks rejected_;
  std::atomic<int> in_flight_{0};
  std::atomic<std::uint64_t> written_{0};
  // As of the last purge; until the next one nothing is taken.
  std::atomic<bool> is_full_{false};
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_CALLBACK_INTAKE_H_
