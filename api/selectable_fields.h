// The values of an object that field selectors may ask for.
#ifndef ASYNCOPS_API_SELECTABLE_FIELDS_H_
#define ASYNCOPS_API_SELECTABLE_FIELDS_H_

#include "api/meta/field_selector.h"
#include "api/scheme.h"
#include "base/json.h"

namespace asyncops {

// Those of resource.selectable_fields, each there, "" where the object says nothing. metadata.name
// and metadata.namespace are not among them. A field whose name is no path: an operation's
// status.failureCode is the code of its newest failure, an event's source its source.component (or
// reportingComponent).
Fields SelectableFields(const ResourceInfo& resource, const Json& object);

}  // namespace asyncops

#endif  // ASYNCOPS_API_SELECTABLE_FIELDS_H_
