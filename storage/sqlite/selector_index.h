// The index that selectors are looked up in: one number for each label and each non-empty field of
// a current object.
#ifndef ASYNCOPS_STORAGE_SQLITE_SELECTOR_INDEX_H_
#define ASYNCOPS_STORAGE_SQLITE_SELECTOR_INDEX_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "storage/record.h"

namespace asyncops::storage {

// Objects are numbered by creation, and 4096 consecutive ones make a block. An entry is
//   block (29 bits) | mark (22 bits) | place of the object in its block (12 bits)
// so that new objects write to the few pages of the last block, whatever their values are, and a
// lookup goes once to each block. The order is that of an INTEGER PRIMARY KEY.
inline constexpr int kPlaceBits = 12;
inline constexpr int kMarkBits = 22;

enum class PairKind { kLabel, kField };

// What stands for "this label or field has this value" of one resource: a hash. Different pairs may
// share a mark, so a row that is found by it has to be looked at. It is in files: it never changes.
std::int64_t MarkOf(std::int64_t resource, PairKind kind, std::string_view key,
                    std::string_view value);

// The marks of an object, ascending, each once. A field that is not there reads as "", so an empty
// one has none; an empty label has.
std::vector<std::int64_t> MarksOf(std::int64_t resource, const EncodedPairs& labels,
                                  const EncodedPairs& fields);

std::int64_t EntryOf(std::int64_t object, std::int64_t mark);

// The entries of a mark in a block stand between FirstOffset and LastOffset from where the block
// begins.
constexpr std::int64_t FirstOffset(std::int64_t mark) { return mark << kPlaceBits; }
constexpr std::int64_t LastOffset(std::int64_t mark) {
  return FirstOffset(mark) + (std::int64_t{1} << kPlaceBits) - 1;
}

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_SELECTOR_INDEX_H_
