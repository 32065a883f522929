// What to do next about an AsyncResource: a pure function of it, its operations and the time.
#ifndef ASYNCOPS_RECONCILER_RESOURCE_DECIDE_H_
#define ASYNCOPS_RECONCILER_RESOURCE_DECIDE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/asyncops/v1alpha1/async_resource.h"
#include "base/clock.h"
#include "reconciler/owned_operation.h"
#include "reconciler/transition.h"

namespace asyncops::reconciler {

struct ResourceDecision {
  enum class Kind {
    kNothing,  // the status says how the subject stands
    kStart,    // make the operation of `type`
    kRetry,    // ask the subject, which failed, for another submission: `request`
    kCancel,   // ask the subject to cancel: `request`
    kRelease,  // the thing is gone or left behind: drop the finalizer
    kAbandon,  // the same, and what still runs for it is given up
  };
  Kind kind = Kind::kNothing;
  std::string_view type;                    // of kStart
  const OwnedOperation* subject = nullptr;  // what status is a projection of; may be null
  std::string request;                      // the annotation's value
  std::optional<EventDraft> event;          // to be told with it
  std::string deletion_blocked;             // why the deletion does not come on; "" where it does
  std::string held;                         // why nothing is done, though something is to do
  std::optional<Time> again;                // when to look again
};

// `operations` as ListOwned; the decision points into them. `fraction` is for jitter.
ResourceDecision DecideResource(const AsyncResource& resource,
                                const std::vector<OwnedOperation>& operations, Time now,
                                double fraction);

// Outputs of the last success: what templates of the next operation see.
Json LastOutputs(const AsyncResource& resource, const std::vector<OwnedOperation>& operations);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_RESOURCE_DECIDE_H_
