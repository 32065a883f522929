#include "storage/sqlite/selector_index.h"

#include <algorithm>
#include <string>

#include "storage/control_fields.h"

namespace asyncops::storage {
namespace {

// FNV-1a with 64 bits.
class Hash {
 public:
  void Add(std::string_view text) {
    for (const char c : text) {
      value_ ^= static_cast<unsigned char>(c);
      value_ *= kPrime;
    }
  }
  // Its upper bits, which all bytes have gone through, over the lower ones.
  std::uint64_t Folded() const { return value_ ^ (value_ >> 32); }

 private:
  static constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace

std::int64_t MarkOf(std::int64_t resource, PairKind kind, std::string_view key,
                    std::string_view value) {
  Hash hash;
  hash.Add(std::to_string(resource));
  hash.Add(kind == PairKind::kLabel ? "l" : "f");
  hash.Add(key);
  hash.Add("=");
  hash.Add(value);
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kMarkBits) - 1;
  return static_cast<std::int64_t>(hash.Folded() & kMask);
}

std::vector<std::int64_t> MarksOf(std::int64_t resource, const EncodedPairs& labels,
                                  const EncodedPairs& fields) {
  std::vector<std::int64_t> marks;
  for (PairReader label(labels.text()); label.Next();)
    marks.push_back(MarkOf(resource, PairKind::kLabel, label.key(), label.value()));
  for (PairReader field(fields.text()); field.Next();) {
    if (field.value().empty()) continue;
    marks.push_back(
        MarkOf(resource, PairKind::kField, field.key(), IndexedValue(field.key(), field.value())));
  }
  std::sort(marks.begin(), marks.end());
  marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
  return marks;
}

std::int64_t EntryOf(std::int64_t object, std::int64_t mark) {
  const std::int64_t block = object >> kPlaceBits;
  const std::int64_t place = object & ((std::int64_t{1} << kPlaceBits) - 1);
  return (block << (kMarkBits + kPlaceBits)) + FirstOffset(mark) + place;
}

}  // namespace asyncops::storage
