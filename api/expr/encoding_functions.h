// The functions that put a value into another notation: URLs, base64, JSON in a string.
// Each takes the argument counts of its row in functions.cc and any types; wrong types are an
// error.
#ifndef ASYNCOPS_API_EXPR_ENCODING_FUNCTIONS_H_
#define ASYNCOPS_API_EXPR_ENCODING_FUNCTIONS_H_

#include "api/expr/functions.h"

namespace asyncops::expr {

// Of a string, number or boolean: its text, all but RFC 3986's unreserved characters escaped.
Evaluated UrlEncode(std::span<const Value> args, const CallContext& context);
// Of a string: its UTF-8 bytes in base64, and back. What does not decode to UTF-8 is an error;
// padding may be left out.
Evaluated ToBase64(std::span<const Value> args, const CallContext& context);
Evaluated FromBase64(std::span<const Value> args, const CallContext& context);
// Of any value: its JSON text, and back.
Evaluated ToJsonText(std::span<const Value> args, const CallContext& context);
Evaluated FromJsonText(std::span<const Value> args, const CallContext& context);

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_ENCODING_FUNCTIONS_H_
