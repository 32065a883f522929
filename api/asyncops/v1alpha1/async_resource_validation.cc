#include "api/asyncops/v1alpha1/callback_rules.h"
#include "api/asyncops/v1alpha1/expression_rules.h"
#include "api/asyncops/v1alpha1/ratchet.h"
#include "api/asyncops/v1alpha1/retry_rules.h"
#include "api/asyncops/v1alpha1/secret_output_rules.h"
#include "api/asyncops/v1alpha1/step_rules.h"
#include "api/asyncops/v1alpha1/validation.h"
#include "api/asyncops/v1alpha1/value_rules.h"

namespace asyncops {
namespace {

struct NamedStep {
  std::string path;
  const std::optional<StepSpec>& step;
  bool deletes = false;
};

void CheckStep(const NamedStep& named, const std::optional<Duration>& deadline,
               ValidationResult* out) {
  const auto& [path, step, deletes] = named;
  if (!step) return;
  CheckSubmit(path + ".submit", step->submit, out);
  CheckOperationMapping(path + ".operation", step->operation, out);
  CheckPoll(path + ".poll", step->poll, out);
  CheckRecovery(path + ".recovery", step->recovery, out);
  CheckCallback(path + ".callback", step->callback, out);
  CheckLookupLeadsOn(path + ".recovery", step->recovery, step->poll, out);
  if (!step->gone.empty() && !deletes)
    out->errors.push_back(ForbiddenField(path + ".gone", "belongs to spec.delete; remove it here"));
  // The deadline itself is checked once, by the caller.
  if (deadline && *deadline >= std::chrono::seconds(1))
    CheckActiveDeadline("spec.activeDeadline", deadline, step->poll, out);
}

// Whether a thing may exist outside, or a call that makes it be under way.
bool MayExistOutside(const AsyncResource& resource) {
  const std::string& phase = resource.status.phase;
  // Without an update step, Failed is the end of a create that made nothing.
  return !phase.empty() && phase != "Failed";
}

void CheckTransition(const AsyncResource& resource, const AsyncResource& old,
                     ValidationResult* out) {
  const AsyncResourceSpec& spec = resource.spec;
  if (spec.external_system_ref != old.spec.external_system_ref && !old.status.phase.empty()) {
    out->errors.push_back(ForbiddenField(
        "spec.externalSystemRef",
        "cannot change once a call may have been made: later calls would go to a system that does "
        "not know the thing; delete this resource and create it anew"));
  }
  if (spec.update || !MayExistOutside(old)) return;
  const std::string why =
      "cannot change while the thing exists and there is no spec.update step; add spec.update, or "
      "delete this resource and create it anew";
  if (spec.parameters != old.spec.parameters)
    out->errors.push_back(ForbiddenField("spec.parameters", why));
  if (spec.create != old.spec.create) out->errors.push_back(ForbiddenField("spec.create", why));
}

}  // namespace

ValidationResult ValidateAsyncResource(const AsyncResource& resource) {
  const AsyncResourceSpec& spec = resource.spec;
  ValidationResult out;
  CheckObjectRef("spec.externalSystemRef", spec.external_system_ref, &out);
  CheckActiveDeadline("spec.activeDeadline", spec.active_deadline, std::nullopt, &out);
  CheckStep({"spec.create", spec.create}, spec.active_deadline, &out);
  CheckStep({"spec.update", spec.update}, spec.active_deadline, &out);
  CheckStep({"spec.delete", spec.delete_step, true}, spec.active_deadline, &out);
  CheckCancel("spec.cancel", spec.cancel, &out);
  CheckOutputs("spec.outputs", spec.outputs, &out);
  CheckRetryPolicy("spec.retry", spec.retry, &out);
  CheckErrorRules("spec.errorRules", spec.error_rules, &out);
  std::vector<std::string> outputs;
  for (const OutputSpec& output : spec.outputs) outputs.push_back(output.name);
  WarnOfUndeclared(spec.parameters, outputs, &out);
  CheckSecretOutputUses(spec, &out);
  if (!spec.delete_step && spec.deletion_policy != "Orphan")
    Warn(
        "spec.delete is absent: deleting this leaves the thing outside; add it, or deletionPolicy: "
        "Orphan",
        &out);
  return out;
}

ValidationResult ValidateAsyncResourceUpdate(const AsyncResource& resource,
                                             const AsyncResource& old) {
  if (resource.spec == old.spec) return {};
  ValidationResult out = ValidateAsyncResource(resource);
  if (!out.errors.empty()) DropUnchanged(ValidateAsyncResource(old).errors, &out.errors);
  CheckTransition(resource, old, &out);
  return out;
}

}  // namespace asyncops
