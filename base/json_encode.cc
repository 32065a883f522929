#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/encoding.h"
#include "base/json.h"

namespace asyncops {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool IsPlain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

void AppendControl(unsigned char c, std::string* out) {
  switch (c) {
    case '\n': out->append("\\n"); return;
    case '\r': out->append("\\r"); return;
    case '\t': out->append("\\t"); return;
    case '\b': out->append("\\b"); return;
    case '\f': out->append("\\f"); return;
    default: break;
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  out->append("\\u00");
  out->push_back(kHex[c >> 4U]);
  out->push_back(kHex[c & 0xFU]);
}

void AppendInt(std::int64_t value, std::string* out) {
  std::array<char, 24> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  out->append(buffer.data(), end);
}

void AppendDouble(double value, std::string* out) {
  if (!std::isfinite(value)) {
    out->append("null");
    return;
  }
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  out->append(buffer.data(), end);
}

// How many bytes at the front of the text stand for themselves in a JSON string.
std::size_t PlainLength(std::string_view text) {
  // Eight at a time. The top bit of each byte of a term is set where that byte needs a closer look:
  // it is no ASCII, below the space, the quote or the backslash. A borrow sets bits only behind one
  // that is set rightly, and then all eight are looked at alone.
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kTops = 0x80 * kOnes;
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, sizeof(bytes));
    const std::uint64_t quote = (bytes ^ (kOnes * '"')) - kOnes;
    const std::uint64_t backslash = (bytes ^ (kOnes * '\\')) - kOnes;
    const std::uint64_t control = bytes - kOnes * ' ';
    if (((bytes | quote | backslash | control) & kTops) != 0) break;
  }
  while (at < text.size() && IsPlain(text[at])) ++at;
  return at;
}

// `indent` < 0 is the compact form.
void Append(const Json& value, int indent, std::string* out);

void NewLine(int indent, std::string* out) {
  if (indent < 0) return;
  out->push_back('\n');
  out->append(static_cast<std::size_t>(indent) * 2, ' ');
}

void AppendArray(const JsonArray& array, int indent, std::string* out) {
  out->push_back('[');
  const int inner = indent < 0 ? indent : indent + 1;
  bool first = true;
  for (const Json& item : array) {
    if (!first) out->push_back(',');
    first = false;
    NewLine(inner, out);
    Append(item, inner, out);
  }
  if (!array.empty()) NewLine(indent, out);
  out->push_back(']');
}

void AppendObject(const JsonObject& object, int indent, std::string* out) {
  out->push_back('{');
  const int inner = indent < 0 ? indent : indent + 1;
  bool first = true;
  for (const auto& [name, member] : object) {
    if (!first) out->push_back(',');
    first = false;
    NewLine(inner, out);
    AppendJsonString(name, out);
    out->push_back(':');
    if (indent >= 0) out->push_back(' ');
    Append(member, inner, out);
  }
  if (!object.empty()) NewLine(indent, out);
  out->push_back('}');
}

void Append(const Json& value, int indent, std::string* out) {
  switch (value.type()) {
    case Json::Type::kNull: out->append("null"); return;
    case Json::Type::kBool: out->append(value.as_bool() ? "true" : "false"); return;
    case Json::Type::kInt: AppendInt(value.as_int(), out); return;
    case Json::Type::kDouble: AppendDouble(value.as_double(), out); return;
    case Json::Type::kString: AppendJsonString(value.as_string(), out); return;
    case Json::Type::kArray: AppendArray(value.as_array(), indent, out); return;
    case Json::Type::kObject: AppendObject(value.as_object(), indent, out); return;
  }
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  out->push_back('"');
  std::size_t plain = 0;  // start of the run not yet copied
  const auto flush = [text, out, &plain](std::size_t end) {
    out->append(text.substr(plain, end - plain));
  };
  for (std::size_t i = 0; i < text.size();) {
    i += PlainLength(text.substr(i));
    if (i == text.size()) break;
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = Utf8Length(text.substr(i));
    if (length > 1) {
      i += length;
      continue;
    }
    flush(i);
    if (length == 0) {
      out->append(kReplacement);
    } else if (c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(static_cast<char>(c));
    } else {
      AppendControl(c, out);
    }
    plain = ++i;
  }
  flush(text.size());
  out->push_back('"');
}

void AppendJson(const Json& value, std::string* out) { Append(value, -1, out); }

std::string EncodeJson(const Json& value) {
  std::string out;
  AppendJson(value, &out);
  return out;
}

std::string EncodePrettyJson(const Json& value) {
  std::string out;
  Append(value, 0, &out);
  out.push_back('\n');
  return out;
}

}  // namespace asyncops
