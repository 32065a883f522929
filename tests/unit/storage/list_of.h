// Lists of names for tests.
#ifndef ASYNCOPS_TESTS_UNIT_STORAGE_LIST_OF_H_
#define ASYNCOPS_TESTS_UNIT_STORAGE_LIST_OF_H_

#include <initializer_list>

#include "storage/name_list.h"

namespace asyncops::storage {

// These names, in this order.
inline NameList ListOf(std::initializer_list<NameView> names) {
  NameList list;
  for (const NameView& name : names) list.Append(name);
  return list;
}

}  // namespace asyncops::storage

#endif  // ASYNCOPS_TESTS_UNIT_STORAGE_LIST_OF_H_
