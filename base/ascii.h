// Characters and case as protocols mean them: ASCII only, whatever the locale says. Bytes above 127
// belong to no class and have no case.
#ifndef ASYNCOPS_BASE_ASCII_H_
#define ASYNCOPS_BASE_ASCII_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace asyncops {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsLowerLetter(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsUpperLetter(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsLetter(char c) { return IsLowerLetter(c) || IsUpperLetter(c); }
constexpr bool IsAlphanumeric(char c) { return IsLetter(c) || IsDigit(c); }
constexpr bool IsHexDigit(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
// A character of RFC 9110's token (5.6.2): what header names and methods are made of.
constexpr bool IsTokenCharacter(char c) {
  return IsAlphanumeric(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

constexpr char ToLower(char c) { return IsUpperLetter(c) ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr char ToUpper(char c) { return IsLowerLetter(c) ? static_cast<char>(c - 'a' + 'A') : c; }

std::string LowerCase(std::string_view text);
bool EqualsIgnoreCase(std::string_view a, std::string_view b);
// Without the spaces and tabs at both ends: the optional white space of RFC 9110 5.6.3.
std::string_view TrimBlanks(std::string_view text);
// Of a text that is nothing but a decimal number with an optional minus; nothing where it is not,
// or where it does not fit.
std::optional<std::int64_t> ParseInt64(std::string_view text);

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_ASCII_H_
