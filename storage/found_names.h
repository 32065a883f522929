// What a search by selector found and no row was shown of yet.
#ifndef ASYNCOPS_STORAGE_FOUND_NAMES_H_
#define ASYNCOPS_STORAGE_FOUND_NAMES_H_

#include <string>
#include <vector>

namespace asyncops::storage {

struct FoundName {
  std::string namespace_name;
  std::string name;

  auto operator<=>(const FoundName&) const = default;
};

// Objects that may match the query of a list, in its order. Immutable where it is shared.
struct FoundNames {
  std::vector<FoundName> names;
  bool all = false;  // no other one follows them
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_FOUND_NAMES_H_
