// Characters of a UTF-8 text. A byte that is no part of a valid sequence counts as one character.
#ifndef ASYNCOPS_API_EXPR_UTF8_H_
#define ASYNCOPS_API_EXPR_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace asyncops::expr {

// The bytes of the first character of a text that is not empty.
std::size_t CodePointLength(std::string_view text);

std::size_t CountCodePoints(std::string_view text);

// Appends the encoding of a code point. False, and nothing appended, for surrogates and numbers
// above U+10FFFF.
bool AppendCodePoint(std::uint32_t code_point, std::string* out);

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_UTF8_H_
