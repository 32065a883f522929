#include "api/meta/quote.h"

#include "base/encoding.h"

namespace asyncops {
namespace {

void AppendEscaped(unsigned char c, std::string* out) {
  switch (c) {
    case '"': out->append("\\\""); return;
    case '\\': out->append("\\\\"); return;
    case '\a': out->append("\\a"); return;
    case '\b': out->append("\\b"); return;
    case '\f': out->append("\\f"); return;
    case '\n': out->append("\\n"); return;
    case '\r': out->append("\\r"); return;
    case '\t': out->append("\\t"); return;
    case '\v': out->append("\\v"); return;
    default: break;
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  out->append("\\x");
  out->push_back(kHex[c >> 4U]);
  out->push_back(kHex[c & 0xFU]);
}

}  // namespace

std::string Quote(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = Utf8Length(text.substr(i));
    const bool printable = length > 1 || (c >= 0x20 && c < 0x7F && c != '"' && c != '\\');
    if (printable) {
      out.append(text.substr(i, length));
      i += length;
    } else {
      AppendEscaped(c, &out);
      ++i;
    }
  }
  out.push_back('"');
  return out;
}

}  // namespace asyncops
