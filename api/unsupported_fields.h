// Fields that are declared and documented but not carried out by this release. They are refused, so
// that nobody waits for what will not happen.
#ifndef ASYNCOPS_API_UNSUPPORTED_FIELDS_H_
#define ASYNCOPS_API_UNSUPPORTED_FIELDS_H_

#include <string_view>

#include "api/meta/field_error.h"
#include "base/json.h"

namespace asyncops {

// One error for each such field that the object of this kind sets.
FieldErrors FindUnsupportedFields(std::string_view kind, const Json& object);

}  // namespace asyncops

#endif  // ASYNCOPS_API_UNSUPPORTED_FIELDS_H_
