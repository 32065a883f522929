// Garbage collection by metadata.ownerReferences, as kube-controller-manager does it: dependents go
// after their owner (Background) or before it (Foreground), or are let go of (Orphan).
#ifndef ASYNCOPS_CONTROLLERS_GARBAGE_COLLECTOR_H_
#define ASYNCOPS_CONTROLLERS_GARBAGE_COLLECTOR_H_

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "controllers/object_edit.h"
#include "storage/control_fields.h"
#include "storage/store.h"

namespace asyncops::controllers {

// Looks at what changed and at the dependents of that, found through the store's index; nothing of
// what it knows has to survive: a scan finds all of it again. What does not fit into its queues
// makes it scan. For one thread.
class GarbageCollector {
 public:
  // Both outlive it. `queue_bound` is the most that each queue holds.
  GarbageCollector(storage::Store& store, const Clock& clock, std::size_t queue_bound)
      : store_(store), clock_(clock), queue_bound_(queue_bound) {}

  // Has Work look at all objects once more: at the start, and where changes were missed.
  void StartScan();
  // Takes one change into account. Quick: reads nothing.
  void Observe(const storage::Change& change);
  // Does a batch of what is to be done; false where there was nothing. After a failure the batch is
  // still to be done.
  Result<bool> Work();

 private:
  // An owner and where its dependents can be.
  struct Owner {
    storage::OwnerName name;
    std::string namespace_name;  // "" for a cluster-scoped one: everywhere

    auto operator<=>(const Owner&) const = default;
  };
  // How far a walk over all resources came, page by page.
  struct Position {
    std::size_t resource = 0;  // index into AllResources()
    std::string after_namespace;
    std::string after_name;
  };
  // Dependents of an owner that are still to be looked at.
  struct Sweep {
    Owner owner;
    Position at;
  };
  // An owner that waits for its dependents.
  struct Waiting {
    storage::ObjectKey key;
    bool swept = false;  // whether all dependents that it had were queued
  };
  // A dependent whose owners came or went.
  struct Changed {
    storage::ObjectKey key;
    std::vector<storage::OwnerName> owners;
  };
  // What becomes of one object. Nothing does where `edit` is empty.
  struct Plan {
    std::string reason;
    EditFunction edit;
  };

  // Whether a queue of this size takes one more; where it does not, all is looked at again.
  bool HasRoom(std::size_t size);
  void QueueObject(const storage::ObjectKey& key);
  void QueueWaiting(const std::vector<storage::OwnerName>& owners);
  Status WorkOnChanged();
  Status WorkOnObjects();
  Status WorkOnSweep();
  Status WorkOnScan();
  // The next page of what the query finds in the walk's resource, and the walk behind it.
  Result<storage::ListPage> NextPage(storage::ListQuery query, Position* at) const;
  // Whether one of these owners does not stand any more. `standing` saves looks for those that do.
  Result<bool> HasFallen(const std::string& namespace_name,
                         const std::vector<storage::OwnerName>& owners,
                         std::set<Owner>* standing) const;
  Result<Plan> Judge(const storage::ObjectKey& key);
  Result<Plan> JudgeOwner(const storage::ObjectKey& key, const Json& object);
  Result<Plan> JudgeDependent(const storage::ObjectKey& key, const Json& object);
  Result<Plan> AwaitDependents(const storage::ObjectKey& key, const Json& object,
                               const Owner& owner);
  Result<Plan> LetGoOfDependents(const storage::ObjectKey& key, const Owner& owner);
  Result<Plan> DeleteBeforeOwner(const storage::ObjectKey& key, const Json& object,
                                 std::set<std::string> waiting);
  // Calls `page` with the dependents of an owner, of all resources, until it returns false.
  Status ForEachDependent(const Owner& owner, const PageFunction& page) const;

  storage::Store& store_;
  const Clock& clock_;
  const std::size_t queue_bound_;
  std::deque<Changed> changed_;
  std::deque<storage::ObjectKey> objects_;
  std::set<storage::ObjectKey> queued_;  // the same as objects_
  std::deque<Sweep> sweeps_;
  std::optional<Position> scan_;            // goes on when the queues are empty
  std::map<std::string, Waiting> waiting_;  // by uid
};

}  // namespace asyncops::controllers

#endif  // ASYNCOPS_CONTROLLERS_GARBAGE_COLLECTOR_H_
