// Whether the object that stands is the one, and in the state, that a client means.
#ifndef ASYNCOPS_APISERVER_REGISTRY_PRECONDITIONS_H_
#define ASYNCOPS_APISERVER_REGISTRY_PRECONDITIONS_H_

#include "api/scheme.h"
#include "apiserver/registry/registry.h"
#include "base/json.h"
#include "base/status.h"

namespace asyncops::apiserver {

// Conflict where it is not; of a deletion, and of an action.
Status CheckPreconditions(const ResourceInfo& resource, const Preconditions& preconditions,
                          const Json& present);

// Conflict where the body names another uid or version than the present object has; Invalid where
// it names no version and `version_required`.
Status CheckUpdatePreconditions(const ResourceInfo& resource, const Json& body, const Json& present,
                                bool version_required);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_REGISTRY_PRECONDITIONS_H_
