// The SQL of one step of a list.
#ifndef ASYNCOPS_STORAGE_SQLITE_LIST_SCAN_H_
#define ASYNCOPS_STORAGE_SQLITE_LIST_SCAN_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "storage/record.h"
#include "storage/store.h"

namespace asyncops::storage {

// A statement and its parameters in order. Its rows are (namespace, name, rev) by namespace and
// name: all that the selectors match and perhaps some more, which Matches() sorts out.
struct ListScan {
  std::string sql;
  std::vector<std::variant<std::int64_t, std::string>> values;
};

// Where a list goes on, and in which state.
struct ListPosition {
  Revision at = 0;  // 0 for the newest state
  std::string after_namespace;
  std::string after_name;
  int rows = 0;  // at most
};

// Whether the query can have no rows at all, since its namespaces contradict each other.
bool ContradictsItself(const ListQuery& query);

// Equality in selectors is looked up in the index of current objects, so that rows which do not
// match cost nothing; a state of the past adds the objects that changed since.
ListScan PlanScan(const ListQuery& query, std::int64_t resource, const ListPosition& position);

// Whether both selectors match the row, metadata.name and metadata.namespace included.
bool Matches(const ListQuery& query, const Record& row);

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_LIST_SCAN_H_
