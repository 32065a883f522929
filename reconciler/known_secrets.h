// Secret values that a system was sent, remembered so that they can be taken out of what it says.
#ifndef ASYNCOPS_RECONCILER_KNOWN_SECRETS_H_
#define ASYNCOPS_RECONCILER_KNOWN_SECRETS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "reconciler/redact.h"

namespace asyncops::reconciler {

// In memory alone: a value that was rotated is known for some time after its last use, and no
// longer than this process lives. Safe for use from several threads.
class KnownSecrets {
 public:
  // A value is remembered this long after it was last in use: longer than an operation lives by
  // default, so that one which is told about the old value late is still read without it.
  static constexpr std::chrono::hours kTimeToLive{48};
  // Of one system, and systems. The values that were in use longest ago give way.
  static constexpr std::size_t kMaxValues = 256;
  static constexpr std::size_t kMaxSystems = 4096;

  // The clock outlives it.
  explicit KnownSecrets(const Clock& clock) : clock_(clock) {}

  // These values are in use with the system. A redactor of them and of all that are remembered.
  std::shared_ptr<const Redactor> Use(const std::string& system_uid,
                                      const std::vector<std::string>& values)
      ASYNCOPS_EXCLUDES(mutex_);

 private:
  struct System {
    std::map<std::string, SteadyTime> values;  // when they were last in use
    std::shared_ptr<const Redactor> redactor;  // of all of them; null where they changed
    SteadyTime used_at;
  };

  static bool DropOld(SteadyTime now, System* system);
  void DropOldestSystem() ASYNCOPS_REQUIRES(mutex_);

  const Clock& clock_;

  Mutex mutex_;
  std::map<std::string, System> systems_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_KNOWN_SECRETS_H_
