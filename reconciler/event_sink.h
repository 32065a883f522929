// Where Events go that do not stay in the local store.
#ifndef ASYNCOPS_RECONCILER_EVENT_SINK_H_
#define ASYNCOPS_RECONCILER_EVENT_SINK_H_

#include "base/json.h"
#include "base/status.h"

namespace asyncops::reconciler {

// For one thread.
class EventSink {
 public:
  virtual ~EventSink() = default;
  // Delivers a core/v1 Event; blocks. True where it is there now, also by an earlier delivery;
  // false where it can never be (its namespace is gone). A failure: try it again later.
  virtual Result<bool> Deliver(const Json& event) = 0;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_EVENT_SINK_H_
