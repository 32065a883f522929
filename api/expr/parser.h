// From source to syntax tree, with every check that needs no values.
#ifndef ASYNCOPS_API_EXPR_PARSER_H_
#define ASYNCOPS_API_EXPR_PARSER_H_

#include <optional>

#include "api/expr/environment.h"
#include "api/expr/program.h"
#include "api/expr/source_position.h"

namespace asyncops::expr {

// Parses program->source, fills nodes and root. Nothing on success, else the first mistake.
std::optional<Mistake> Parse(const Environment& environment, Program* program);

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_PARSER_H_
