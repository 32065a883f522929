// managedFields of what the registry writes: who writes, and the rules of api/fieldmanager for a
// resource.
#ifndef ASYNCOPS_APISERVER_REGISTRY_FIELD_MANAGER_H_
#define ASYNCOPS_APISERVER_REGISTRY_FIELD_MANAGER_H_

#include <string>

#include "api/fieldmanager/updater.h"
#include "api/scheme.h"
#include "apiserver/registry/registry.h"
#include "base/clock.h"
#include "base/json.h"

namespace asyncops::apiserver {

// `subresource` is "" or "status", or the name of an action. Valid as long as the resource.
fieldmanager::FieldScope ScopeOf(const ResourceInfo& resource, const std::string& subresource);
// Who writes with these options, by no apply.
fieldmanager::FieldManager FieldManagerOf(const ResourceInfo& resource,
                                          const std::string& subresource,
                                          const WriteOptions& options, Time now);

// What the configuration of an apply makes of the old object (null where there is none), with its
// managedFields. Conflict where others own fields that would change and `options` do not force it;
// what kubectl itself applied before, by the client, is no conflict of its own.
Result<Json> ApplyConfiguration(const ResourceInfo& resource,
                                const fieldmanager::FieldManager& manager,
                                const WriteOptions& options, const Json* old_object,
                                const Json& configuration);

// Sets managedFields of an object that is about to be stored: tracks an update; of an apply, which
// has its owners, sets the time where the object changes.
void FinishManagedFields(const ResourceInfo& resource, const fieldmanager::FieldManager& manager,
                         const Json* old_object, Json* object);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_REGISTRY_FIELD_MANAGER_H_
