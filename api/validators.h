// Validation by kind over JSON: what the verb engine and the webhook call for any resource.
#ifndef ASYNCOPS_API_VALIDATORS_H_
#define ASYNCOPS_API_VALIDATORS_H_

#include "api/asyncops/v1alpha1/validation.h"
#include "api/scheme.h"
#include "base/json.h"

namespace asyncops {

// `object` has its defaults. Structure by the resource's schema, metadata (names, labels ...) and
// the kind's own rules: every mistake at once. A mistake of structure hides those of meaning in the
// same field. Kinds without rules of their own (namespaces, secrets, events) get the metadata rules
// alone and theirs of core/v1. In ValidateChangedObject what was wrong before and did not change is
// let pass.
ValidationResult ValidateNewObject(const ResourceInfo& resource, const Json& object);
ValidationResult ValidateChangedObject(const ResourceInfo& resource, const Json& object,
                                       const Json& old);

}  // namespace asyncops

#endif  // ASYNCOPS_API_VALIDATORS_H_
