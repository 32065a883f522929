// Labels or fields as they stand in a column: netstrings ("3:app,5:value,"), which need no escapes,
// are searched in one pass and can be read by a person. Encoded once, at the write; what reads them
// looks for what it asks and makes no map.
#ifndef ASYNCOPS_STORAGE_ENCODED_PAIRS_H_
#define ASYNCOPS_STORAGE_ENCODED_PAIRS_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace asyncops::storage {

// Labels and Fields are both this.
using Pairs = std::map<std::string, std::string, std::less<>>;

// A value.
class EncodedPairs {
 public:
  EncodedPairs() = default;
  explicit EncodedPairs(const Pairs& pairs);
  // What text() gave, as a column has it.
  static EncodedPairs OfText(std::string_view text);

  const std::string& text() const { return text_; }
  bool operator==(const EncodedPairs&) const = default;

 private:
  std::string text_;
};

// Goes through an encoded text, whose bytes outlive it. It ends at the first byte that EncodedPairs
// does not make.
class PairReader {
 public:
  explicit PairReader(std::string_view text) : rest_(text) {}
  // False after the last pair; the views are those of the latest one.
  bool Next();
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }

 private:
  std::string_view rest_;
  std::string_view key_;
  std::string_view value_;
};

Pairs DecodePairs(std::string_view text);
// The value of that key, or "".
std::string_view FindPair(std::string_view text, std::string_view key);

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_ENCODED_PAIRS_H_
