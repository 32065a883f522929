// The rules of retry policies and error rules.
#ifndef ASYNCOPS_API_ASYNCOPS_V1ALPHA1_RETRY_RULES_H_
#define ASYNCOPS_API_ASYNCOPS_V1ALPHA1_RETRY_RULES_H_

#include <string>
#include <vector>

#include "api/asyncops/v1alpha1/validation.h"

namespace asyncops {

// Nothing where it is absent.
void CheckRetryPolicy(const std::string& path, const std::optional<RetryPolicy>& policy,
                      ValidationResult* out);
void CheckErrorRules(const std::string& path, const std::vector<ErrorRule>& rules,
                     ValidationResult* out);

}  // namespace asyncops

#endif  // ASYNCOPS_API_ASYNCOPS_V1ALPHA1_RETRY_RULES_H_
