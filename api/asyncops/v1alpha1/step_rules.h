// The rules of the parts of a step, which AsyncResource and AsyncOperation share.
#ifndef ASYNCOPS_API_ASYNCOPS_V1ALPHA1_STEP_RULES_H_
#define ASYNCOPS_API_ASYNCOPS_V1ALPHA1_STEP_RULES_H_

#include <optional>
#include <string>
#include <vector>

#include "api/asyncops/v1alpha1/validation.h"

namespace asyncops {

// Each: nothing where the part is absent.
void CheckSubmit(const std::string& path, const std::optional<SubmitSpec>& submit,
                 ValidationResult* out);
void CheckOperationMapping(const std::string& path, const std::optional<OperationMapping>& mapping,
                           ValidationResult* out);
void CheckPoll(const std::string& path, const std::optional<PollSpec>& poll, ValidationResult* out);
void CheckRecovery(const std::string& path, const std::optional<RecoverySpec>& recovery,
                   ValidationResult* out);
// Warns of a look-up whose finding could not be polled.
void CheckLookupLeadsOn(const std::string& path, const std::optional<RecoverySpec>& recovery,
                        const std::optional<PollSpec>& poll, ValidationResult* out);
void CheckCancel(const std::string& path, const std::optional<CancelSpec>& cancel,
                 ValidationResult* out);
void CheckOutputs(const std::string& path, const std::vector<OutputSpec>& outputs,
                  ValidationResult* out);

// At least 1s; warns where the first poll of `poll` would come later than it.
void CheckActiveDeadline(const std::string& path, const std::optional<Duration>& deadline,
                         const std::optional<PollSpec>& poll, ValidationResult* out);

}  // namespace asyncops

#endif  // ASYNCOPS_API_ASYNCOPS_V1ALPHA1_STEP_RULES_H_
