// Tells people of callbacks that were refused: one Event a minute and system at most.
#ifndef ASYNCOPS_RECONCILER_REJECTED_CALLBACKS_H_
#define ASYNCOPS_RECONCILER_REJECTED_CALLBACKS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "api/asyncops/v1alpha1/external_system.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "reconciler/resource_client.h"
#include "storage/store.h"

namespace asyncops::reconciler {

// Safe for use from several threads.
class RejectedCallbacks {
 public:
  // Both outlive it.
  RejectedCallbacks(storage::Store& store, const Clock& clock) : store_(store), clock_(clock) {}

  // Counts a refusal for this system, which exists; with the first after a minute of silence writes
  // the Event CallbackRejected, without waiting for it.
  void Add(const ExternalSystem& system, std::string_view why) ASYNCOPS_EXCLUDES(mutex_);

 private:
  static constexpr std::size_t kMaxSystems = 1000;
  struct Silence {
    SteadyTime until{};
    std::int64_t untold = 0;
  };

  storage::Store& store_;
  const Clock& clock_;
  Mutex mutex_;
  std::map<ObjectName, Silence> systems_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_REJECTED_CALLBACKS_H_
