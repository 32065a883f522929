#include "api/expr/string_literal.h"

#include <charconv>
#include <cstdint>

#include "api/expr/utf8.h"

namespace asyncops::expr {
namespace {

// The character that a one-letter escape stands for, or nothing.
std::optional<char> SimpleEscape(char letter) {
  switch (letter) {
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    case '\\':
    case '?':
    case '"':
    case '\'':
    case '`': return letter;
    default: return std::nullopt;
  }
}

// How many digits follow the letter of a numeric escape; 0 where it is none.
std::size_t DigitsAfter(char letter) {
  switch (letter) {
    case 'x':
    case 'X': return 2;
    case 'u': return 4;
    case 'U': return 8;
    default: return 0;
  }
}

// Reads the escape after the backslash at `backslash`; the position after it, or a mistake.
std::optional<Mistake> ReadEscape(std::string_view source, std::size_t backslash,
                                  std::size_t* position, std::string* out) {
  const std::size_t at = backslash + 1;
  if (at >= source.size()) return Mistake{backslash, "unfinished escape"};
  const char letter = source[at];
  if (const auto simple = SimpleEscape(letter)) {
    out->push_back(*simple);
    *position = at + 1;
    return std::nullopt;
  }
  const bool octal = letter >= '0' && letter <= '3';
  const std::size_t digits = octal ? 3 : DigitsAfter(letter);
  if (digits == 0) {
    return Mistake{backslash, "unknown escape; write r\"...\" for text with backslashes"};
  }
  const std::string_view number = source.substr(octal ? at : at + 1, digits);
  std::uint32_t code_point = 0;
  const char* end = number.data() + number.size();
  const auto parsed = std::from_chars(number.data(), end, code_point, octal ? 8 : 16);
  if (number.size() != digits || parsed.ec != std::errc() || parsed.ptr != end) {
    return Mistake{backslash, "an escape of this kind needs " + std::to_string(digits) + " digits"};
  }
  if (!AppendCodePoint(code_point, out)) return Mistake{backslash, "no such character"};
  *position = static_cast<std::size_t>(end - source.data());
  return std::nullopt;
}

}  // namespace

std::optional<StringPrefix> StringLiteralPrefix(std::string_view text) {
  StringPrefix prefix;
  std::size_t at = 0;
  for (; at < text.size() && at < 2; ++at) {
    const char c = text[at];
    if ((c == 'r' || c == 'R') && !prefix.raw) {
      prefix.raw = true;
    } else if ((c == 'b' || c == 'B') && !prefix.bytes) {
      prefix.bytes = true;
    } else {
      break;
    }
  }
  if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return std::nullopt;
  prefix.letters = at;
  const char quote = text[at];
  const bool triple = at + 2 < text.size() && text[at + 1] == quote && text[at + 2] == quote;
  prefix.quotes = text.substr(at, triple ? 3 : 1);
  return prefix;
}

std::optional<Mistake> ReadStringLiteral(std::string_view source, const StringPrefix& prefix,
                                         std::size_t* position, std::string* characters) {
  const std::size_t start = *position;
  std::size_t at = start + prefix.letters + prefix.quotes.size();
  while (at < source.size()) {
    if (source.substr(at).starts_with(prefix.quotes)) {
      *position = at + prefix.quotes.size();
      return std::nullopt;
    }
    const char c = source[at];
    if (prefix.quotes.size() == 1 && (c == '\n' || c == '\r')) break;
    if (c == '\\' && !prefix.raw) {
      if (auto mistake = ReadEscape(source, at, &at, characters)) return mistake;
      continue;
    }
    characters->push_back(c);
    ++at;
  }
  return Mistake{start, "string has no closing " + std::string(prefix.quotes)};
}

}  // namespace asyncops::expr
