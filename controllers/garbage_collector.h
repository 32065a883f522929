// Garbage collection by metadata.ownerReferences, as kube-controller-manager does it: dependents go
// after their owner (Background) or before it (Foreground), or are let go of (Orphan).
#ifndef ASYNCOPS_CONTROLLERS_GARBAGE_COLLECTOR_H_
#define ASYNCOPS_CONTROLLERS_GARBAGE_COLLECTOR_H_

#include <deque>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "controllers/object_edit.h"
#include "storage/control_fields.h"
#include "storage/store.h"

namespace asyncops::controllers {

// Looks at what changed and at the dependents of that, found through the store's index; nothing of
// what it knows has to survive: Scan finds all of it again. For one thread.
class GarbageCollector {
 public:
  // Both outlive it.
  GarbageCollector(storage::Store& store, const Clock& clock) : store_(store), clock_(clock) {}

  // Finds what has to be done among all objects: at the start, and where changes were missed.
  Status Scan(const std::stop_token& stop);
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
  // Dependents of an owner that are still to be looked at, page by page.
  struct Sweep {
    Owner owner;
    std::size_t resource = 0;  // index into AllResources()
    std::string after_namespace;
    std::string after_name;
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

  void QueueObject(const storage::ObjectKey& key);
  void QueueWaiting(const std::vector<storage::OwnerName>& owners);
  Status WorkOnChanged();
  Status WorkOnObjects();
  Status WorkOnSweep();
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
  std::deque<Changed> changed_;
  std::deque<storage::ObjectKey> objects_;
  std::set<storage::ObjectKey> queued_;  // the same as objects_
  std::deque<Sweep> sweeps_;
  std::map<std::string, Waiting> waiting_;  // by uid
};

}  // namespace asyncops::controllers

#endif  // ASYNCOPS_CONTROLLERS_GARBAGE_COLLECTOR_H_
