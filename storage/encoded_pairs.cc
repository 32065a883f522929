#include "storage/encoded_pairs.h"

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

EncodedPairs::EncodedPairs(const Pairs& pairs) {
  for (const auto& [key, value] : pairs) {
    Append(key, &text_);
    Append(value, &text_);
  }
}

EncodedPairs EncodedPairs::OfText(std::string_view text) {
  EncodedPairs pairs;
  pairs.text_ = text;
  return pairs;
}

bool PairReader::Next() { return Take(&rest_, &key_) && Take(&rest_, &value_); }

Pairs DecodePairs(std::string_view text) {
  Pairs pairs;
  for (PairReader reader(text); reader.Next();)
    pairs.emplace_hint(pairs.end(), reader.key(), reader.value());
  return pairs;
}

std::string_view FindPair(std::string_view text, std::string_view key) {
  for (PairReader reader(text); reader.Next();)
    if (reader.key() == key) return reader.value();
  return {};
}

}  // namespace asyncops::storage
