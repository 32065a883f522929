// The reconciler as a whole: watches what there is, queues keys, and drives them on threads of its
// own.
#ifndef ASYNCOPS_RECONCILER_CONTROLLER_H_
#define ASYNCOPS_RECONCILER_CONTROLLER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "callbacks/link.h"

#include "base/clock.h"
#include "base/ids.h"
#include "reconciler/callback_metrics.h"
#include "reconciler/event_sink.h"
#include "reconciler/external_client.h"
#include "reconciler/fault_points.h"
#include "reconciler/resource_client.h"
#include "storage/store.h"

namespace asyncops::reconciler {

struct ControllerOptions {
  int shards = 16;  // parts of the keys, by a hash of their names: history says whose it was
  // Threads for all of them: a key is worked on by one at any time. As many as the external
  // client's gate reckons with.
  int workers = kDefaultWorkers;
  FaultPoints* faults = nullptr;  // for crash tests; outlives the controller; null for none
  // Where operations are called back, and what is counted of it; both outlive the controller. Null
  // where the server takes no callbacks.
  const callbacks::Links* links = nullptr;
  CallbackMetrics* callback_metrics = nullptr;
  // Where Events go; null for the local store. Outlives the controller.
  EventSink* events = nullptr;
  // Called where Stop's time is over and reconciles are still under way: cuts the calls of the
  // resource client and the event sink. Null where these do not block.
  std::function<void()> cut = nullptr;
};

// What the reconciler has to say about itself; a snapshot.
struct ControllerStats {
  std::int64_t queue_depth = 0;
  std::int64_t reconciles = 0;
  std::int64_t errors = 0;
  std::int64_t outcome_unknown = 0;  // operations that are parked
};

class Controller {
 public:
  virtual ~Controller() = default;
  // Stops taking keys, lets each reconcile under way come to the end of its step (a call under way
  // ends within its request timeout, or is cut after `timeout`: its intent is on disk), and joins
  // the threads. Safe to call more than once.
  virtual void Stop(Duration timeout) = 0;
  // Looks at this operation now, or polls it, which waits for its turn. Quick, from any thread.
  virtual void Look(const ObjectName& operation) = 0;
  virtual void Poll(const ObjectName& operation) = 0;
  virtual ControllerStats stats() const = 0;
  // The same and more in Prometheus text, under controller-runtime's names.
  virtual std::string MetricsText() const = 0;
};

// Takes ownership of what the rows of this store say (bumps the owner epoch) and starts. Fails
// where that cannot be written: an owner that the store does not know could not be told from the
// one before. All references outlive the controller; destroying it stops it.
Result<std::unique_ptr<Controller>> StartController(const ControllerOptions& options,
                                                    storage::Store& store,
                                                    ResourceClient& resources,
                                                    ExternalClient& external, const Clock& clock,
                                                    IdGenerator& ids);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_CONTROLLER_H_
