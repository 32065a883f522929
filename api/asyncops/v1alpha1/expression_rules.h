// The rules of fields that hold an expression or a template.
#ifndef ASYNCOPS_API_ASYNCOPS_V1ALPHA1_EXPRESSION_RULES_H_
#define ASYNCOPS_API_ASYNCOPS_V1ALPHA1_EXPRESSION_RULES_H_

#include <string>
#include <vector>

#include "api/asyncops/v1alpha1/validation.h"
#include "api/expr/environment.h"
#include "base/json.h"

namespace asyncops {

// Each compiles the field and reports its mistake with the column; nothing where it is empty, which
// means absent.
void CheckExpression(const std::string& path, const std::string& source,
                     const expr::Environment& environment, ValidationResult* out);
// `secret` keeps the text out of the report.
void CheckTemplate(const std::string& path, const std::string& text,
                   const expr::Environment& environment, bool secret, ValidationResult* out);
// Every string of the body, each with its own path. Strings below a member that looks like a
// credential are not shown.
void CheckBody(const std::string& path, const Json& body, const expr::Environment& environment,
               ValidationResult* out);

// Warns of each name that expressions rely on and that the declaration does not have: such a
// template fails when it is rendered, and such a condition never holds.
void WarnOfUndeclared(const Json& parameters, const std::vector<std::string>& outputs,
                      ValidationResult* out);

// Whether a header or member of this name probably holds a credential ("X-Api-Key", "password").
bool LooksLikeCredential(std::string_view name);

}  // namespace asyncops

#endif  // ASYNCOPS_API_ASYNCOPS_V1ALPHA1_EXPRESSION_RULES_H_
