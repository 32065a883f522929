// Empties namespaces that are under deletion, then lets them go.
#ifndef ASYNCOPS_CONTROLLERS_NAMESPACE_CONTROLLER_H_
#define ASYNCOPS_CONTROLLERS_NAMESPACE_CONTROLLER_H_

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "controllers/namespace_conditions.h"
#include "storage/store.h"

namespace asyncops::controllers {

// The content goes in an order: AsyncResources first, whose deletion outside needs the operations,
// ExternalSystems and Secrets beside them; then AsyncOperations; then the rest; Events last. Each
// waits until those before it are gone, finalizers and all. Nothing of what it knows has to
// survive. For one thread.
class NamespaceController {
 public:
  // Both outlive it.
  NamespaceController(storage::Store& store, const Clock& clock);

  // Finds the namespaces under deletion: at the start, and where changes were missed.
  Status Scan(const std::stop_token& stop);
  // Takes one change, of any resource, into account. Quick: reads nothing.
  void Observe(const storage::Change& change);
  // Goes a step on with one namespace; false where there is nothing to do at present.
  Result<bool> Work();

 private:
  // A namespace under deletion.
  struct Emptying {
    std::size_t stage = 0;  // index into stages_: those before it are empty
    bool changed = true;    // whether something in it may have gone since it was looked at
    // When all of the stage is looked at again: what was made meanwhile, what lost a finalizer.
    std::optional<SteadyTime> next_look;
    // How far the look under way has come, and what it found.
    std::string after_name;
    Remaining remaining;
  };

  Status Advance(const std::string& name, Emptying* emptying);
  // Deletes a page of what there is of one resource behind `after_name`, and counts what stays.
  // Whether more follows; `after_name` is then where to go on.
  Result<bool> EmptyPage(const std::string& resource, const std::string& name,
                         std::string* after_name, Remaining* remaining);
  Status Look(const std::string& resource, const std::string& name, Emptying* emptying);
  Result<bool> WorkOnGone();
  Result<bool> IsEmpty(const std::string& resource, const std::string& name) const;
  Status Report(const std::string& name, const Remaining& remaining, const std::string& failure);
  Status Finish(const std::string& name);

  storage::Store& store_;
  const Clock& clock_;
  const std::vector<std::string> stages_;  // resources as the store names them
  std::map<std::string, Emptying> emptying_;
  // Events may have come after the last look; up to which name they were looked for again.
  std::map<std::string, std::string> gone_;
};

}  // namespace asyncops::controllers

#endif  // ASYNCOPS_CONTROLLERS_NAMESPACE_CONTROLLER_H_
