// How labels and fields stand in a column: netstrings ("3:app,5:value,"), which need no escapes,
// parse in one pass and can be read by a person.
#ifndef ASYNCOPS_STORAGE_SQLITE_PAIRS_H_
#define ASYNCOPS_STORAGE_SQLITE_PAIRS_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace asyncops::storage {

// Labels and Fields are both this.
using Pairs = std::map<std::string, std::string, std::less<>>;

std::string EncodePairs(const Pairs& pairs);
// Nothing else than what EncodePairs makes is expected; decoding stops at the first byte that is
// not.
Pairs DecodePairs(std::string_view text);

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_PAIRS_H_
