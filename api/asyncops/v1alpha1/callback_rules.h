// The rules of callbacks: how a system is asked for them, and how they are verified.
#ifndef ASYNCOPS_API_ASYNCOPS_V1ALPHA1_CALLBACK_RULES_H_
#define ASYNCOPS_API_ASYNCOPS_V1ALPHA1_CALLBACK_RULES_H_

#include <optional>
#include <string>

#include "api/asyncops/v1alpha1/external_system.h"
#include "api/asyncops/v1alpha1/validation.h"

namespace asyncops {

// Of an operation; nothing where it is absent.
void CheckCallback(const std::string& path, const std::optional<CallbackSpec>& callback,
                   ValidationResult* out);
// Of a system; nothing where it is absent.
void CheckCallbackVerification(const std::string& path,
                               const std::optional<CallbackVerification>& verification,
                               ValidationResult* out);

}  // namespace asyncops

#endif  // ASYNCOPS_API_ASYNCOPS_V1ALPHA1_CALLBACK_RULES_H_
