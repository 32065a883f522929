#include <array>

#include "api/asyncops/v1alpha1/callback_rules.h"
#include "api/asyncops/v1alpha1/expression_rules.h"
#include "api/asyncops/v1alpha1/ratchet.h"
#include "api/asyncops/v1alpha1/retry_rules.h"
#include "api/asyncops/v1alpha1/step_rules.h"
#include "api/asyncops/v1alpha1/value_rules.h"
#include "api/operations/v1alpha1/validation.h"
#include "api/schema/binding.h"
#include "base/duration.h"

namespace asyncops {
namespace {

constexpr std::array<std::string_view, 3> kMutable = {"activeDeadline", "suspend",
                                                      "ttlAfterFinished"};

bool IsMutable(std::string_view field) {
  for (std::string_view name : kMutable) {
    if (field == name) return true;
  }
  return false;
}

void CheckUnchanged(const AsyncOperationSpec& spec, const AsyncOperationSpec& old,
                    ValidationResult* out) {
  const Json now = AsyncOperationSpec::Binding().Encode(spec);
  const Json before = AsyncOperationSpec::Binding().Encode(old);
  // Held for the loop: a range-for ends the temporary of its expression early.
  const SchemaRef schema = AsyncOperationSpec::Binding().schema();
  for (const SchemaField& field : schema->fields) {
    if (IsMutable(field.name)) continue;
    const Json* value = now.Find(field.name);
    const Json* earlier = before.Find(field.name);
    const bool same =
        value == nullptr || earlier == nullptr ? value == earlier : *value == *earlier;
    if (!same)
      out->errors.push_back(ForbiddenField(
          FieldPath("spec", field.name),
          "cannot change: calls may have been made with it; only activeDeadline, suspend and "
          "ttlAfterFinished can, so create another AsyncOperation"));
  }
}

// The outputs that its expressions see: those of the resource that it works for.
std::vector<std::string> OutputNames(const AsyncOperationSpec& spec) {
  std::vector<std::string> names;
  if (!spec.context || !spec.context->outputs.is_object()) return names;
  for (const JsonMember& member : spec.context->outputs.as_object()) names.push_back(member.name);
  return names;
}

}  // namespace

ValidationResult ValidateAsyncOperation(const AsyncOperation& operation) {
  const AsyncOperationSpec& spec = operation.spec;
  ValidationResult out;
  CheckObjectRef("spec.externalSystemRef", spec.external_system_ref, &out);
  CheckSubmit("spec.submit", spec.submit, &out);
  CheckOperationMapping("spec.operation", spec.operation, &out);
  CheckPoll("spec.poll", spec.poll, &out);
  CheckRecovery("spec.recovery", spec.recovery, &out);
  CheckLookupLeadsOn("spec.recovery", spec.recovery, spec.poll, &out);
  CheckCancel("spec.cancel", spec.cancel, &out);
  CheckCallback("spec.callback", spec.callback, &out);
  if (!spec.gone.empty() && spec.type != "Delete")
    out.errors.push_back(
        ForbiddenField("spec.gone", "belongs to type: Delete; remove it, or write type: Delete"));
  CheckOutputs("spec.outputs", spec.outputs, &out);
  CheckRetryPolicy("spec.retry", spec.retry, &out);
  CheckErrorRules("spec.errorRules", spec.error_rules, &out);
  WarnOfUndeclared(spec.parameters, OutputNames(spec), &out);
  CheckActiveDeadline("spec.activeDeadline", spec.active_deadline, spec.poll, &out);
  if (spec.ttl_after_finished && *spec.ttl_after_finished < Duration::zero())
    out.errors.push_back(InvalidField("spec.ttlAfterFinished",
                                      FormatDuration(*spec.ttl_after_finished),
                                      "must not be negative; such as 168h"));
  return out;
}

ValidationResult ValidateAsyncOperationUpdate(const AsyncOperation& operation,
                                              const AsyncOperation& old) {
  if (operation.spec == old.spec) return {};
  ValidationResult out = ValidateAsyncOperation(operation);
  if (!out.errors.empty()) DropUnchanged(ValidateAsyncOperation(old).errors, &out.errors);
  CheckUnchanged(operation.spec, old.spec, &out);
  return out;
}

}  // namespace asyncops
