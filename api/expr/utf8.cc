#include "api/expr/utf8.h"

namespace asyncops::expr {

std::size_t CodePointLength(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  std::size_t length = 1;
  if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
  } else if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  }
  if (length > text.size()) return 1;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) return 1;
  }
  return length;
}

std::size_t CountCodePoints(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    text.remove_prefix(CodePointLength(text));
    ++count;
  }
  return count;
}

bool AppendCodePoint(std::uint32_t code_point, std::string* out) {
  if (code_point > 0x10FFFFU || (code_point >= 0xD800U && code_point <= 0xDFFFU)) return false;
  const auto tail = [out, code_point](unsigned shift) {
    out->push_back(static_cast<char>(0x80U | ((code_point >> shift) & 0x3FU)));
  };
  if (code_point < 0x80U) {
    out->push_back(static_cast<char>(code_point));
  } else if (code_point < 0x800U) {
    out->push_back(static_cast<char>(0xC0U | (code_point >> 6U)));
    tail(0);
  } else if (code_point < 0x10000U) {
    out->push_back(static_cast<char>(0xE0U | (code_point >> 12U)));
    tail(6);
    tail(0);
  } else {
    out->push_back(static_cast<char>(0xF0U | (code_point >> 18U)));
    tail(12);
    tail(6);
    tail(0);
  }
  return true;
}

}  // namespace asyncops::expr
