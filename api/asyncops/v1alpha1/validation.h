// What the webhook refuses, and what standalone refuses in-process: the meaning of a declaration,
// beyond its structure (api/schema/walk.h). Pure: no clock, no store. All mistakes are reported at
// once.
#ifndef ASYNCOPS_API_ASYNCOPS_V1ALPHA1_VALIDATION_H_
#define ASYNCOPS_API_ASYNCOPS_V1ALPHA1_VALIDATION_H_

#include <string>
#include <vector>

#include "api/asyncops/v1alpha1/async_resource.h"
#include "api/asyncops/v1alpha1/external_system.h"
#include "api/meta/field_error.h"

namespace asyncops {

// What a validator has to say. Warnings are for what is legal but unwise; each at most 120
// characters.
struct ValidationResult {
  FieldErrors errors;
  std::vector<std::string> warnings;
  // The names below `outputs` and `spec.parameters` that its expressions rely on.
  struct Use {
    std::string path;  // of the field that holds the expression
    std::string name;
  };
  std::vector<Use> outputs_used = {};
  std::vector<Use> parameters_used = {};
};

ValidationResult ValidateAsyncResource(const AsyncResource& resource);
// Also what may not change, and a changed spec without an update step. Fields that were wrong
// before and did not change are let pass (ratcheting), and so is every update of an object under
// deletion that leaves its spec.
ValidationResult ValidateAsyncResourceUpdate(const AsyncResource& resource,
                                             const AsyncResource& old);

ValidationResult ValidateExternalSystem(const ExternalSystem& system);
ValidationResult ValidateExternalSystemUpdate(const ExternalSystem& system,
                                              const ExternalSystem& old);

}  // namespace asyncops

#endif  // ASYNCOPS_API_ASYNCOPS_V1ALPHA1_VALIDATION_H_
