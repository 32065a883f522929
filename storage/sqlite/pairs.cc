#include "storage/sqlite/pairs.h"

#include <charconv>

namespace asyncops::storage {
namespace {

void Append(std::string_view text, std::string* out) {
  out->append(std::to_string(text.size())).append(":").append(text).append(",");
}

// Takes one netstring off the front; false where there is none.
bool Take(std::string_view* rest, std::string_view* text) {
  std::size_t size = 0;
  const char* end = rest->data() + rest->size();
  const auto [next, error] = std::from_chars(rest->data(), end, size);
  if (error != std::errc() || next == end || *next != ':') return false;
  const auto at = static_cast<std::size_t>(next - rest->data()) + 1;
  if (size >= rest->size() - at || (*rest)[at + size] != ',') return false;
  *text = rest->substr(at, size);
  rest->remove_prefix(at + size + 1);
  return true;
}

}  // namespace

std::string EncodePairs(const Pairs& pairs) {
  std::string out;
  for (const auto& [key, value] : pairs) {
    Append(key, &out);
    Append(value, &out);
  }
  return out;
}

Pairs DecodePairs(std::string_view text) {
  Pairs pairs;
  std::string_view key;
  std::string_view value;
  while (Take(&text, &key) && Take(&text, &value)) pairs.emplace_hint(pairs.end(), key, value);
  return pairs;
}

}  // namespace asyncops::storage
