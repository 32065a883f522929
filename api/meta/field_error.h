// Mistakes in an object's fields, collected all and reported at once, as apimachinery's
// field.ErrorList.
#ifndef ASYNCOPS_API_META_FIELD_ERROR_H_
#define ASYNCOPS_API_META_FIELD_ERROR_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace asyncops {

enum class FieldErrorType {
  kRequired,      // FieldValueRequired
  kInvalid,       // FieldValueInvalid
  kNotSupported,  // FieldValueNotSupported
  kForbidden,     // FieldValueForbidden
  kDuplicate,     // FieldValueDuplicate
  kTooLong,       // FieldValueTooLong
  kTooMany,       // FieldValueTooMany
  kTypeInvalid,   // FieldValueTypeInvalid
  kNotFound,      // FieldValueNotFound
};

struct FieldError {
  FieldErrorType type = FieldErrorType::kInvalid;
  std::string path;  // "spec.create.poll.acceptors[1].when"
  // Shown where the type shows it and it is not null; never a secret: leave it null.
  Json bad_value;
  std::string detail;  // the rule, and what to write instead

  // `spec.x: Invalid value: "y": must be ...`, exactly as apimachinery words each type.
  std::string ToString() const;
  // ToString without the path, as it stands in a Status cause.
  std::string Message() const;

  bool operator==(const FieldError&) const = default;
};

using FieldErrors = std::vector<FieldError>;

FieldError RequiredField(std::string path, std::string detail);
FieldError InvalidField(std::string path, Json bad_value, std::string detail);
// The detail lists the supported values: `supported values: "A", "B"`.
FieldError UnsupportedValue(std::string path, Json bad_value,
                            const std::vector<std::string>& supported);
FieldError ForbiddenField(std::string path, std::string detail);
FieldError DuplicateField(std::string path, Json bad_value);
// `may not be more than 63 bytes`; the value itself is not shown.
FieldError TooLongField(std::string path, std::size_t max_bytes);
// `Too many: 12: must have at most 10 items`.
FieldError TooManyItems(std::string path, std::size_t actual, std::size_t max_items);

// `spec` + `poll` = "spec.poll"; a name with a dot or slash becomes a key:
// `metadata.annotations[a.b/c]`.
std::string FieldPath(std::string_view parent, std::string_view name);
std::string FieldPath(std::string_view parent, std::size_t index);

// 422: `AsyncResource.asyncops.dev "n" is invalid: spec.x: Required value: ...`; several stand in
// brackets, comma separated; each error also as a cause. `errors` is not empty.
Status InvalidObject(std::string_view group, std::string_view kind, std::string_view name,
                     const FieldErrors& errors);

}  // namespace asyncops

#endif  // ASYNCOPS_API_META_FIELD_ERROR_H_
