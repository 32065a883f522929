// The fields of an object, and what tells two objects apart.
#ifndef ASYNCOPS_API_FIELDMANAGER_COMPARE_H_
#define ASYNCOPS_API_FIELDMANAGER_COMPARE_H_

#include "api/fieldmanager/field_set.h"
#include "api/fieldmanager/typed_value.h"
#include "base/json.h"

namespace asyncops::fieldmanager {

// What whoever applies this configuration owns: leaves, keys of maps and items of lists.
FieldSet AppliedFields(const FieldScope& scope, const Json& configuration);

struct Comparison {
  FieldSet added;     // in the new object alone
  FieldSet modified;  // leaves in both, with another value
  FieldSet removed;   // in the old object alone

  bool empty() const { return added.empty() && modified.empty() && removed.empty(); }
};

// From the old object to the new one; null for an old object that was not there. A map or list that
// is added or removed counts on its own account, with everything below it.
Comparison Compare(const FieldScope& scope, const Json* old_object, const Json& new_object);

}  // namespace asyncops::fieldmanager

#endif  // ASYNCOPS_API_FIELDMANAGER_COMPARE_H_
