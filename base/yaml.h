// YAML in and out; the adapter of yaml-cpp is yaml.cc.
#ifndef ASYNCOPS_BASE_YAML_H_
#define ASYNCOPS_BASE_YAML_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace asyncops {

// The documents of a YAML stream as JSON values, scalars by YAML 1.2's core schema (quoted scalars
// stay strings). BadRequest with line and column for a mistake; also for an alias or anchor
// (expansion bombs), a duplicate key, and nesting over kMaxJsonDepth.
Result<std::vector<Json>> ParseYaml(std::string_view text);

// Block style, members in JSON's order; a string is quoted wherever it would read as something
// else.
std::string EncodeYaml(const Json& value);

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_YAML_H_
