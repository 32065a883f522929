// Drives AsyncOperations: reads, decides, writes the intent, calls outside, writes the outcome.
#ifndef ASYNCOPS_RECONCILER_OPERATION_RECONCILER_H_
#define ASYNCOPS_RECONCILER_OPERATION_RECONCILER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "callbacks/link.h"

#include "base/clock.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "reconciler/callback_metrics.h"
#include "reconciler/clock_watch.h"
#include "reconciler/decide.h"
#include "reconciler/external_client.h"
#include "reconciler/fault_points.h"
#include "reconciler/name_digest.h"
#include "reconciler/operation_memory.h"
#include "reconciler/operation_metrics.h"
#include "reconciler/operation_writer.h"
#include "reconciler/protocol.h"
#include "reconciler/protocol_cache.h"
#include "reconciler/resource_client.h"
#include "reconciler/secret_outputs.h"
#include "reconciler/system_use.h"
#include "reconciler/work_queue.h"
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
  SystemUse* systems = nullptr;  // told which systems operations look for; null for nobody
  OperationMetrics* metrics = nullptr;
};

// Safe for use from several threads, each with another operation.
class OperationReconciler {
 public:
  OperationReconciler(const ReconcilerParts& parts, Ownership owner)
      : parts_(parts),
        owner_(owner),
        writer_(parts.store, parts.clock, owner.epoch),
        clock_watch_(parts.clock) {}

  // Takes one step of the operation: at most one call outside, or two where a look-up shows that
  // the submit must be sent again. Returns when to look again: a time that may have passed, or
  // nothing where only a change of something brings it on. A failure is ours (the store), not the
  // external system's: look again after a pause.
  Result<std::optional<Time>> Reconcile(const ObjectName& name, bool nudged);
  // The same of an operation as it came from the queue. Of one that came by its time, and that runs
  // outside, only the poll is made: it is read where the answer tells something new.
  Result<std::optional<Time>> Reconcile(const WorkItem& item);

  // Operations seen in OutcomeUnknown.
  std::int64_t parked() const { return parked_; }

 private:
  using Memory = OperationMemory;
  // One pass over one operation.
  struct Pass;
  using Next = Result<std::optional<Time>>;
  // The answer to a poll that was made before the operation was read.
  struct Polled {
    std::string url;
    ExternalAnswer answer;
    double pressure = 1;
  };

  Memory& Recall(const ObjectName& name, const std::string& uid) ASYNCOPS_EXCLUDES(mutex_);
  Memory& MemoryOf(const ObjectName& name) ASYNCOPS_EXCLUDES(mutex_);
  // The same where there is one; null otherwise.
  Memory* FindMemory(const ObjectName& name) ASYNCOPS_EXCLUDES(mutex_);
  void Forget(const ObjectName& name) ASYNCOPS_EXCLUDES(mutex_);
  void CountState(std::string_view state, Memory* memory);
  void NoteSystem(const AsyncOperation& operation, const std::string& version) const;
  // Sets the pass's protocol, or its problem.
  Status FindProtocol(Pass* pass);
  Action DecidePass(Pass& pass, bool nudged) const;
  // One pass; `polled` where it was polled already.
  Next Look(const ObjectName& name, bool nudged, std::optional<Polled> polled);
  // Polls without reading the operation, of which nothing new was told, where that may be; or waits
  // on, where it is not time yet. Nothing where the operation is to be
  // read: `polled` is what it is to be read with.
  std::optional<Next> PollAlone(Memory& memory, std::optional<Polled>* polled);
  // When it is to ask for its turn again, where it waits for that and a poll that is asked for
  // meanwhile has to wait, too.
  std::optional<Time> AwaitedTurn(const Memory& memory);
  // Whether the system is what it was when this was compiled.
  bool IsPresent(const Declared& declared) const;
  // When its deadline passes, counted from its first intent; Time::max() where it has none.
  static Time EndOf(const Pass& pass);
  // Whether PollAlone may make the next poll of what this one told nothing new of.
  void PlanNextPoll(const Pass& pass, const std::string& url, const PollVerdict& verdict) const;

  Next Do(Pass& pass, const action::Nothing& what);
  Next Do(Pass& pass, const action::Wait& what);
  Next Do(Pass& pass, const action::Block& what);
  Next Do(Pass& pass, const action::Wake& what);
  Next Do(Pass& pass, const action::TakeSuspend& what);
  Next Do(Pass& pass, const action::Refuse& what);
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

  // Takes the step.
  Next Work(Pass& pass, bool nudged);
  static std::optional<Time> SoonEnough(const Pass& pass, std::optional<Time> next);
  // Sends the request of the row, whose intent is on disk, and writes what came of it.
  Next SendSubmit(Pass& pass, const OperationState& intended);
  // Asks for the turn to call this URL, before anything is written about the call. Where it has not
  // come it says so in status, if that is worth a write, and gives what to return.
  std::optional<Next> AwaitTurn(Pass& pass, const std::string& url);
  // Calls in the turn that was asked for. `step` names it among the fault points, as Record does by
  // its line of history.
  ExternalAnswer Send(Pass& pass, const RenderedRequest& request, std::string_view step);
  ExternalAnswer Call(const ExternalSystem& system, const RenderedRequest& request, Permit leave,
                      std::string_view step, double* pressure);
  Result<OperationState> Record(Pass& pass, Transition transition);
  // TakeOutputs of the pass. Without `submit_response` the answer is that.
  TakenOutputs Take(Pass& pass, const OperationIdentity& identity, const Json* submit_response,
                    AnswerContext::Kind kind, ExternalAnswer* answer);
  // The row's request. InternalError where the row is damaged.
  static Result<RenderedRequest> RequestOf(const storage::OperationRow& row);
  // Fetching without a URL: what is in memory is to be written, or where a restart took it away and
  // the system may be asked again, what it tells then.
  Next WriteKept(Pass& pass);
  // Sends the submit that ended the operation again, in the life of its key, for its outputs.
  Next RepeatSubmit(Pass& pass);
  // The values could not be written, or not be had, for this reason.
  Next PostponeKept(Pass& pass, const std::string& why, int http_status = 0);
  // The step that a trusted callback leads to; nothing where a poll is needed.
  std::optional<Transition> TakeCallbacks(Pass& pass);
  // As Situation::told_id; "" also where it shows a secret, or might.
  std::string ToldIdOf(const Pass& pass) const;
  // Commits the step, and goes on.
  Next Commit(Pass& pass, Transition transition);
  // What comes after a step that was written: the time to wait for, where that is all there is to
  // do, or to look again at once.
  Next GoOn(Pass& pass, OperationState written);
  // Until then, or until it changes.
  static Next WaitUntil(Pass& pass, Time until);
  Status Show(const Pass& pass, const std::optional<Blocked>& blocked);
  Status ShowTurn(const Pass& pass, const Turn& turn);
  // Moves the row's times along with a clock that jumped; whether it had to.
  Result<bool> FollowClock(Pass* pass);
  // Notes it where another operation claims what this step says that runs outside.
  void TellSharing(const Pass& pass, Transition* transition) const;

  const ReconcilerParts parts_;
  const Ownership owner_;
  OperationWriter writer_;
  ClockWatch clock_watch_;
  ProtocolCache protocols_;
  Mutex mutex_;
  // Of operations that are not finished. Each is used by the thread that works on its operation.
  std::unordered_map<NameDigest, Memory, NameDigest::Hash> memories_ ASYNCOPS_GUARDED_BY(mutex_);
  std::atomic<std::int64_t> parked_ = 0;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_OPERATION_RECONCILER_H_
