// The rules of HTTP headers that a declaration adds to requests.
#ifndef ASYNCOPS_API_ASYNCOPS_V1ALPHA1_HEADER_RULES_H_
#define ASYNCOPS_API_ASYNCOPS_V1ALPHA1_HEADER_RULES_H_

#include <string>
#include <vector>

#include "api/asyncops/v1alpha1/validation.h"
#include "api/expr/environment.h"

namespace asyncops {

enum class HeaderUse {
  kRequest,     // part of a request that is stored: no credentials
  kCredential,  // its value comes from a Secret of spec.auth
};

// A field name of RFC 9110 that the HTTP client does not set itself; in a request none that carries
// credentials.
void CheckHeaderName(const std::string& path, const std::string& name, HeaderUse use,
                     ValidationResult* out);
// Their values are templates of this environment.
void CheckHeaders(const std::string& path, const std::vector<HeaderSpec>& headers,
                  const expr::Environment& environment, ValidationResult* out);

}  // namespace asyncops

#endif  // ASYNCOPS_API_ASYNCOPS_V1ALPHA1_HEADER_RULES_H_
