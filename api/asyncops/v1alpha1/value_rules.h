// The rules of simple fields: durations, names, references, pointers.
#ifndef ASYNCOPS_API_ASYNCOPS_V1ALPHA1_VALUE_RULES_H_
#define ASYNCOPS_API_ASYNCOPS_V1ALPHA1_VALUE_RULES_H_

#include <optional>
#include <string>

#include "api/asyncops/v1alpha1/validation.h"

namespace asyncops {

// Nothing where it is absent.
void CheckPositive(const std::string& path, const std::optional<Duration>& value,
                   ValidationResult* out);
void CheckObjectRef(const std::string& path, const std::optional<LocalObjectRef>& ref,
                    ValidationResult* out);
void CheckSecretKeyRef(const std::string& path, const std::optional<SecretKeyRef>& ref,
                       ValidationResult* out);
// A key of a Secret's data: the rule in words where it is none.
std::optional<std::string> CheckSecretKey(std::string_view key);

// Where a key or ID is put into a request: `in` is Header or Query with a name, or Body with a JSON
// Pointer.
struct Placement {
  const std::string& in;
  const std::string& name;
  const std::string& pointer;
};
void CheckPlacement(const std::string& path, const Placement& placement, ValidationResult* out);

// Adds a warning, once.
void Warn(std::string text, ValidationResult* out);

}  // namespace asyncops

#endif  // ASYNCOPS_API_ASYNCOPS_V1ALPHA1_VALUE_RULES_H_
