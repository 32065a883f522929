#include "base/encoding.h"

#include <array>
#include <cstdint>

#include "base/ascii.h"

namespace asyncops {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kUpperHex = "0123456789ABCDEF";
constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kBase64Url =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t kNoDigit = 0xFF;

// The value of each byte as a digit of the alphabet, kNoDigit where it is none.
constexpr std::array<std::uint8_t, 256> Digits(std::string_view alphabet) {
  std::array<std::uint8_t, 256> out{};
  out.fill(kNoDigit);
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    out[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  return out;
}

constexpr auto kBase64Digits = Digits(kBase64);
constexpr auto kBase64UrlDigits = Digits(kBase64Url);

std::uint32_t Byte(char c) { return static_cast<unsigned char>(c); }

std::string Encode64(std::string_view bytes, std::string_view alphabet) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const std::uint32_t group =
        Byte(bytes[i]) << 16U | Byte(bytes[i + 1]) << 8U | Byte(bytes[i + 2]);
    for (const unsigned shift : {18U, 12U, 6U, 0U})
      out.push_back(alphabet[(group >> shift) & 0x3FU]);
  }
  const std::size_t rest = bytes.size() - i;
  if (rest == 0) return out;
  const std::uint32_t group = Byte(bytes[i]) << 16U | (rest == 2 ? Byte(bytes[i + 1]) << 8U : 0U);
  out.push_back(alphabet[group >> 18U]);
  out.push_back(alphabet[(group >> 12U) & 0x3FU]);
  if (rest == 2) out.push_back(alphabet[(group >> 6U) & 0x3FU]);
  return out;
}

// `text` without padding.
std::optional<std::string> Decode64(std::string_view text,
                                    const std::array<std::uint8_t, 256>& digits) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  out.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const std::uint8_t digit = digits[static_cast<unsigned char>(c)];
    if (digit == kNoDigit) return std::nullopt;
    bits = bits << 6U | digit;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out.push_back(static_cast<char>(bits >> count & 0xFFU));
  }
  // Spare bits must be zero: otherwise two texts would mean the same bytes.
  if ((bits & ((1U << count) - 1U)) != 0) return std::nullopt;
  return out;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsUnreserved(char c) {
  return IsAlphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

}  // namespace

std::string HexEncode(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    out.push_back(kHex[Byte(c) >> 4U]);
    out.push_back(kHex[Byte(c) & 0xFU]);
  }
  return out;
}

std::string Base64Encode(std::string_view bytes) {
  std::string out = Encode64(bytes, kBase64);
  out.append((4 - out.size() % 4) % 4, '=');
  return out;
}

std::optional<std::string> Base64Decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  return Decode64(text, kBase64Digits);
}

std::string Base64UrlEncode(std::string_view bytes) { return Encode64(bytes, kBase64Url); }

std::optional<std::string> Base64UrlDecode(std::string_view text) {
  return Decode64(text, kBase64UrlDigits);
}

std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out.push_back(' ');
    } else if (text[i] != '%') {
      out.push_back(text[i]);
    } else {
      if (text.size() - i < 3) return std::nullopt;
      const int high = HexDigit(text[i + 1]);
      const int low = HexDigit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
  }
  return out;
}

std::string PercentEncode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (IsUnreserved(c)) {
      out.push_back(c);
      continue;
    }
    out.push_back('%');
    out.push_back(kUpperHex[Byte(c) >> 4U]);
    out.push_back(kUpperHex[Byte(c) & 0xFU]);
  }
  return out;
}

std::size_t Utf8Length(std::string_view text) {
  const auto tail = [text](std::size_t n) {
    if (text.size() < n) return false;
    for (std::size_t i = 1; i < n; ++i)
      if ((Byte(text[i]) & 0xC0U) != 0x80U) return false;
    return true;
  };
  if (text.empty()) return 0;
  const std::uint32_t lead = Byte(text[0]);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(2) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (!tail(3)) return 0;
    if (lead == 0xE0 && Byte(text[1]) < 0xA0) return 0;  // overlong
    if (lead == 0xED && Byte(text[1]) > 0x9F) return 0;  // surrogate
    return 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!tail(4)) return 0;
    if (lead == 0xF0 && Byte(text[1]) < 0x90) return 0;  // overlong
    if (lead == 0xF4 && Byte(text[1]) > 0x8F) return 0;  // above U+10FFFF
    return 4;
  }
  return 0;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace asyncops
