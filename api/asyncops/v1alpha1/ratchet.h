// Ratcheting: an update is not refused for what was wrong before and did not change.
#ifndef ASYNCOPS_API_ASYNCOPS_V1ALPHA1_RATCHET_H_
#define ASYNCOPS_API_ASYNCOPS_V1ALPHA1_RATCHET_H_

#include "api/meta/field_error.h"

namespace asyncops {

// Removes from `errors` those that `before` has too: same path, value and rule.
void DropUnchanged(const FieldErrors& before, FieldErrors* errors);

}  // namespace asyncops

#endif  // ASYNCOPS_API_ASYNCOPS_V1ALPHA1_RATCHET_H_
