// The rules of URLs and of paths that become URLs.
#ifndef ASYNCOPS_API_ASYNCOPS_V1ALPHA1_URL_RULES_H_
#define ASYNCOPS_API_ASYNCOPS_V1ALPHA1_URL_RULES_H_

#include <string>
#include <vector>

#include "api/asyncops/v1alpha1/validation.h"
#include "api/expr/environment.h"

namespace asyncops {

// A base URL: absolute http(s), no user information, query or fragment. Warns where it is not
// encrypted.
void CheckEndpoint(const std::string& path, const std::string& url, ValidationResult* out);
// Each scheme, host and port alone.
void CheckOrigins(const std::string& path, const std::vector<std::string>& origins,
                  ValidationResult* out);
// Where an OAuth2 token is asked for: https, or http to a loopback host by its address or as
// localhost; a query is allowed.
void CheckTokenUrl(const std::string& path, const std::string& url, ValidationResult* out);
// A template that renders to a path below the endpoint or to an absolute URL; nothing where it is
// empty.
void CheckTargetPath(const std::string& path, const std::string& text,
                     const expr::Environment& environment, ValidationResult* out);

}  // namespace asyncops

#endif  // ASYNCOPS_API_ASYNCOPS_V1ALPHA1_URL_RULES_H_
