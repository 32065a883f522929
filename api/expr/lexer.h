// The words of an expression.
#ifndef ASYNCOPS_API_EXPR_LEXER_H_
#define ASYNCOPS_API_EXPR_LEXER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/expr/source_position.h"

namespace asyncops::expr {

struct Token {
  enum class Kind { kEnd, kIdentifier, kQuotedName, kInt, kDouble, kString, kPunctuator };

  Kind kind = Kind::kEnd;
  std::size_t offset = 0;
  // The spelling, within the source.
  std::string_view text = {};
  // Of a string: its characters, escapes resolved. Of a quoted name: what is within the quotes.
  std::string string = {};
  // Of an int: its value without a sign, at most 2^63 (which only a minus sign makes an int64).
  std::uint64_t magnitude = 0;
  double number = 0;

  bool Is(std::string_view spelling) const {
    return (kind == Kind::kPunctuator || kind == Kind::kIdentifier) && text == spelling;
  }
};

// Splits a source; the last token is kEnd. Nothing on success, else the first mistake. The tokens
// refer to the source.
std::optional<Mistake> Tokenize(std::string_view source, std::vector<Token>* tokens);

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_LEXER_H_
