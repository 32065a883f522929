// What a search by selector found and no row was shown of yet.
#ifndef ASYNCOPS_STORAGE_FOUND_NAMES_H_
#define ASYNCOPS_STORAGE_FOUND_NAMES_H_

#include "storage/name_list.h"

namespace asyncops::storage {

// Objects that may match the query of a list. Immutable where it is shared.
struct FoundNames {
  NameList names;
  bool all = false;  // no other one follows them
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_FOUND_NAMES_H_
