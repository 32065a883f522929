// Puts an applied configuration into an object, and takes fields out of it.
#ifndef ASYNCOPS_API_FIELDMANAGER_MERGE_H_
#define ASYNCOPS_API_FIELDMANAGER_MERGE_H_

#include "api/fieldmanager/field_set.h"
#include "api/schema/schema.h"
#include "base/json.h"

namespace asyncops::fieldmanager {

// Maps are merged by member, lists that are maps or sets by item; of leaves the configuration's
// stands. Items that both have take the configuration's order, those of the object alone stay where
// they were among the others.
void MergeConfiguration(const Schema& schema, const Json& configuration, Json* object);

// Takes out the members of the set, each with all below it. A map or list that loses its last part
// goes, too.
void RemoveFields(const Schema& schema, const FieldSet& fields, Json* object);

// The set, and each field on the way to a member that the schema names (spec of spec.poll, but not
// a key of labels): these are there for what is in them.
FieldSet WithNamedFields(const Schema& schema, const FieldSet& fields);

}  // namespace asyncops::fieldmanager

#endif  // ASYNCOPS_API_FIELDMANAGER_MERGE_H_
