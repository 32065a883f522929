// The functions of strings that count characters: parts of a text, and where they stand.
// Each takes the argument counts of its row in functions.cc and any types; wrong types, and places
// outside the text, are an error.
#ifndef ASYNCOPS_API_EXPR_SUBSTRING_FUNCTIONS_H_
#define ASYNCOPS_API_EXPR_SUBSTRING_FUNCTIONS_H_

#include "api/expr/functions.h"

namespace asyncops::expr {

Evaluated CharAt(std::span<const Value> args, const CallContext& context);
Evaluated IndexOf(std::span<const Value> args, const CallContext& context);
Evaluated LastIndexOf(std::span<const Value> args, const CallContext& context);
Evaluated Substring(std::span<const Value> args, const CallContext& context);
Evaluated Trim(std::span<const Value> args, const CallContext& context);

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_SUBSTRING_FUNCTIONS_H_
