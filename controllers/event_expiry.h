// Deletes Events that are older than they are kept, as kube-apiserver's --event-ttl does.
#ifndef ASYNCOPS_CONTROLLERS_EVENT_EXPIRY_H_
#define ASYNCOPS_CONTROLLERS_EVENT_EXPIRY_H_

#include <optional>
#include <string>

#include "base/clock.h"
#include "storage/store.h"

namespace asyncops::controllers {

// Goes from minute to minute through the store's index of Events by creation: what it costs is what
// it deletes. An Event goes within two minutes after its time. For one thread.
class EventExpiry {
 public:
  // Both outlive it. A ttl of 0 keeps Events for ever.
  EventExpiry(storage::Store& store, const Clock& clock, Duration ttl)
      : store_(store), clock_(clock), ttl_(ttl) {}

  // Deletes one small batch; false where nothing is due.
  Result<bool> Work();

 private:
  // Looks at all Events there are, from where the last call ended: what was written while no server
  // ran has no minute to begin with.
  Result<bool> WorkOnOld(const std::string& cutoff);
  Result<bool> WorkOnMinute(Time minute);

  storage::Store& store_;
  const Clock& clock_;
  const Duration ttl_;
  // The next minute to empty; nothing until all that is older was found.
  std::optional<Time> next_minute_;
  // Where WorkOnOld goes on, and up to when it deletes.
  std::optional<Time> old_until_;
  std::string after_namespace_;
  std::string after_name_;
};

}  // namespace asyncops::controllers

#endif  // ASYNCOPS_CONTROLLERS_EVENT_EXPIRY_H_
