// metadata.ownerReferences against what is stored: which owners still stand.
#ifndef ASYNCOPS_CONTROLLERS_OWNER_REFERENCES_H_
#define ASYNCOPS_CONTROLLERS_OWNER_REFERENCES_H_

#include <set>
#include <string>
#include <vector>

#include "api/scheme.h"
#include "base/json.h"
#include "storage/control_fields.h"
#include "storage/store.h"

namespace asyncops::controllers {

enum class OwnerState {
  kSolid,    // it is there; or nobody here can tell: a kind that is not served, an owner that a
             // dependent may not have
  kAbsent,   // no object of that name has this uid
  kWaiting,  // WaitsForDependents
};

// The state of an owner as an object in that namespace ("" for a cluster-scoped one) sees it.
// Namespaced owners are looked for in the dependent's own namespace only.
Result<OwnerState> StateOfOwner(const storage::Store& store, const std::string& namespace_name,
                                const storage::OwnerName& owner);

// Whether the object is under deletion and waits for its dependents. An AsyncResource that the
// engine still works for does not yet: it is deleted outside by operations that it owns.
bool WaitsForDependents(const Json& object);

// The owners that an object names.
std::vector<storage::OwnerName> OwnersIn(const Json& object);
// An object as its dependents name it.
storage::OwnerName AsOwner(const ResourceInfo& resource, std::string name, std::string uid);

// Whether the object names an owner of this uid and blocks its foreground deletion.
bool BlocksOwner(const Json& object, const std::string& owner_uid);
// Takes the references to these owners away.
void DropOwners(const std::set<std::string>& owner_uids, Json* object);
// The references to these owners block nothing any more.
void UnblockOwners(const std::set<std::string>& owner_uids, Json* object);

}  // namespace asyncops::controllers

#endif  // ASYNCOPS_CONTROLLERS_OWNER_REFERENCES_H_
