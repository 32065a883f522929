// The rules of outputs that go into Secrets.
#ifndef ASYNCOPS_API_ASYNCOPS_V1ALPHA1_SECRET_OUTPUT_RULES_H_
#define ASYNCOPS_API_ASYNCOPS_V1ALPHA1_SECRET_OUTPUT_RULES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/asyncops/v1alpha1/validation.h"
#include "api/expr/expression.h"

namespace asyncops {

// Names and keys of the Secrets, each key once, and no value from the answer to the submit: that is
// stored.
void CheckSecretOutputs(const std::string& path, const std::vector<OutputSpec>& outputs,
                        ValidationResult* out);

// Where the resource's templates and expressions read such an output: it can be the whole value of
// a header of submit in update and delete, and nothing else, since all else is stored. To be called
// when everything else has been checked.
void CheckSecretOutputUses(const AsyncResourceSpec& spec, ValidationResult* out);

// Whether it reads the answer to the submit.
bool ReadsSubmitResponse(const expr::Expression& expression);

// "NAME" of a header value that is "${outputs.NAME}" and nothing else.
std::optional<std::string> OutputOfHeader(std::string_view value);

}  // namespace asyncops

#endif  // ASYNCOPS_API_ASYNCOPS_V1ALPHA1_SECRET_OUTPUT_RULES_H_
