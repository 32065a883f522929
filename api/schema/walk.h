// What a schema does to a JSON value. Paths are those of Kubernetes field errors:
// "spec.poll.acceptors[1].when".
#ifndef ASYNCOPS_API_SCHEMA_WALK_H_
#define ASYNCOPS_API_SCHEMA_WALK_H_

#include <string>
#include <vector>

#include "api/meta/field_error.h"
#include "api/schema/schema.h"

namespace asyncops {

// Removes members that the schema does not know (never inside kFreeForm); their paths, in document
// order.
std::vector<std::string> PruneUnknownFields(const Schema& schema, Json* value);

// Fills in defaults where a field is absent or null, inside objects that are present. Null members
// that have no default and are not free-form are removed, as kube-apiserver does for CRDs without
// nullable.
void ApplyDefaults(const Schema& schema, Json* value);

// Types, required fields, enums, bounds, patterns and formats; every mistake, in document order. A
// value that it accepts decodes without failure.
FieldErrors ValidateStructure(const Schema& schema, const Json& value);

}  // namespace asyncops

#endif  // ASYNCOPS_API_SCHEMA_WALK_H_
