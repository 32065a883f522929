// Drives AsyncOperations: reads, decides, writes the intent, calls outside, writes the outcome.
#ifndef ASYNCOPS_RECONCILER_OPERATION_RECONCILER_H_
#define ASYNCOPS_RECONCILER_OPERATION_RECONCILER_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "callbacks/link.h"

#include "base/clock.h"
#include "base/ids.h"
#include "reconciler/callback_metrics.h"
#include "reconciler/decide.h"
#include "reconciler/external_client.h"
#include "reconciler/fault_points.h"
#include "reconciler/operation_writer.h"
#include "reconciler/poll_steps.h"
#include "reconciler/protocol.h"
#include "reconciler/resource_client.h"
#include "reconciler/secret_outputs.h"
#include "storage/store.h"

namespace asyncops::reconciler {

// Who a reconciler is, for rows and history.
struct Ownership {
  std::int64_t epoch = 0;
  int shard = 0;
};

// What a reconciler works with; all outlive it.
struct ReconcilerParts {
  storage::Store& store;
  ResourceClient& resources;
  ExternalClient& external;
  const Clock& clock;
  IdGenerator& ids;
  FaultPoints& faults;
  // Null where the server takes no callbacks.
  const callbacks::Links* links = nullptr;
  CallbackMetrics* callback_metrics = nullptr;
};

// For one thread, but for parked().
class OperationReconciler {
 public:
  OperationReconciler(const ReconcilerParts& parts, Ownership owner)
      : parts_(parts), owner_(owner), writer_(parts.store, parts.clock) {}

  // Takes one step of the operation: at most one call outside, or two where a look-up shows that
  // the submit must be sent again. Returns when to look again: a time that may have passed, or
  // nothing where only a change of something brings it on. A failure is ours (the store), not the
  // external system's: look again after a pause.
  Result<std::optional<Time>> Reconcile(const ObjectName& name, bool nudged);

  // Operations seen in OutcomeUnknown.
  std::int64_t parked() const { return parked_; }

 private:
  // What is remembered of an operation between two passes.
  struct Memory {
    std::string uid;
    PollTrack track;
    std::string protocol_version;  // what `protocol` was compiled from
    std::shared_ptr<const Protocol> protocol;
    ExternalSystem system;
    // Outputs of a submit that ended the operation, and whose Secrets could not be written yet.
    std::vector<SecretOutput> unwritten;
    std::vector<std::string> seen_secrets;  // values for Secrets that answers showed
    bool parked = false;
  };
  // One pass over one operation.
  struct Pass;
  using Next = Result<std::optional<Time>>;

  Memory& Recall(const ObjectName& name, const std::string& uid);
  void Forget(const ObjectName& name);
  void CountParked(const StoredOperation& stored, Memory* memory);
  // Sets the pass's protocol, or its problem.
  Status FindProtocol(Pass* pass);
  Action DecidePass(const Pass& pass, bool nudged) const;

  Next Do(Pass& pass, const action::Nothing& what);
  Next Do(Pass& pass, const action::Wait& what);
  Next Do(Pass& pass, const action::Block& what);
  Next Do(Pass& pass, const action::Wake& what);
  Next Do(Pass& pass, const action::Submit& what);
  Next Do(Pass& pass, const action::Resend& what);
  Next Do(Pass& pass, const action::Lookup& what);
  Next Do(Pass& pass, const action::Park& what);
  Next Do(Pass& pass, const action::Adopt& what);
  Next Do(Pass& pass, const action::Poll& what);
  Next Do(Pass& pass, const action::Fetch& what);
  Next Do(Pass& pass, const action::BeginCancel& what);
  Next Do(Pass& pass, const action::SendCancel& what);
  Next Do(Pass& pass, const action::Finish& what);
  Next Do(Pass& pass, const action::Remove& what);

  // Sends the request of the row, whose intent is on disk, and writes what came of it.
  Next SendSubmit(Pass& pass, const OperationState& intended);
  // `step` names it among the fault points, as Record does by its line of history.
  ExternalAnswer Send(const Pass& pass, const RenderedRequest& request, std::string_view step);
  Result<OperationState> Record(const Pass& pass, Transition transition);
  // TakeOutputs of the pass. Without `submit_response` the answer is that.
  TakenOutputs Take(const Pass& pass, const OperationIdentity& identity,
                    const Json* submit_response, bool is_final, ExternalAnswer* answer);
  static bool TakesSecrets(const Pass& pass);
  // Fetching without a URL: what is in memory is to be written.
  Next WriteKept(Pass& pass);
  // The step that a trusted callback leads to; nothing where a poll is needed.
  std::optional<Transition> TakeCallbacks(Pass& pass);
  // Commits the step; look again at once.
  Next Commit(Pass& pass, Transition transition);
  Status Show(const Pass& pass, const std::optional<Blocked>& blocked);

  const ReconcilerParts parts_;
  const Ownership owner_;
  OperationWriter writer_;
  std::map<ObjectName, Memory> memories_;  // of operations that are not finished
  std::atomic<std::int64_t> parked_ = 0;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_OPERATION_RECONCILER_H_
