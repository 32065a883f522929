// One process of ours: the real reconcilers and queue, driven step by step on the caller's thread.
#ifndef ASYNCOPS_TESTS_SIM_PROCESS_H_
#define ASYNCOPS_TESTS_SIM_PROCESS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "callbacks/link.h"
#include "callbacks/receiver.h"

#include "kube/http_transport.h"
#include "reconciler/callback_intake.h"
#include "reconciler/operation_reconciler.h"
#include "reconciler/resource_reconciler.h"
#include "reconciler/work_queue.h"
#include "storage/store.h"
#include "tests/sim/journal.h"

namespace asyncops::sim {

// What a process works with; all outlive it.
struct ProcessParts {
  storage::Store& store;
  kube::HttpTransport& transport;
  const Clock& clock;
  IdGenerator& ids;
  Journal& journal;
  const callbacks::Links& links;
};

// For one thread.
class Process {
 public:
  // Takes ownership of the rows, as a start of the server does. Fails where that cannot be written.
  static Result<std::unique_ptr<Process>> Start(const ProcessParts& parts);

  // Queues what has changed, and reconciles one key that is due; false where none is.
  bool Step();
  // Takes a callback in.
  callbacks::Answer Receive(callbacks::Delivery delivery);
  // Delivers Events of the outbox, as the drainer does.
  void DeliverEvents();
  // When Step has something next, as QueueNow tells time; nothing where only a change brings it on.
  std::optional<Time> NextDue();

 private:
  Process(const ProcessParts& parts, std::int64_t epoch);
  void Route();
  void RouteChanges(const std::string& resource, storage::Revision* seen);
  void RouteAll();
  void Add(std::string_view plural, const storage::Record& record, bool gone);
  void NudgeOperations();

  const ProcessParts parts_;
  reconciler::FaultPoints faults_;
  reconciler::CallbackMetrics callback_metrics_;
  std::unique_ptr<reconciler::ResourceClient> resources_;
  reconciler::ExternalClient external_;
  reconciler::OperationReconciler operation_reconciler_;
  reconciler::ResourceReconciler resource_reconciler_;
  reconciler::WorkQueue queue_;
  reconciler::CallbackIntake intake_;
  std::optional<storage::Revision> routed_;  // up to here changes are in the queue
};

}  // namespace asyncops::sim

#endif  // ASYNCOPS_TESTS_SIM_PROCESS_H_
