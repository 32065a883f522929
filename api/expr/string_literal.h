// String literals and their escapes.
#ifndef ASYNCOPS_API_EXPR_STRING_LITERAL_H_
#define ASYNCOPS_API_EXPR_STRING_LITERAL_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "api/expr/source_position.h"

namespace asyncops::expr {

// What stands before the characters of a literal: r, b or both, and the opening quotes.
struct StringPrefix {
  bool raw = false;
  bool bytes = false;
  std::size_t letters = 0;
  std::string_view quotes;  // ', ", ''' or """
};

// The prefix of the string literal that the text starts with; nothing where it starts otherwise.
std::optional<StringPrefix> StringLiteralPrefix(std::string_view text);

// Reads the literal at *position, whose prefix this is: its characters, and the position after it.
std::optional<Mistake> ReadStringLiteral(std::string_view source, const StringPrefix& prefix,
                                         std::size_t* position, std::string* characters);

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_STRING_LITERAL_H_
