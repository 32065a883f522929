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

// A statement and its parameters in order.
struct ListScan {
  std::string sql;
  std::vector<std::variant<std::int64_t, std::string>> values;
  // Whether rows are (namespace, name, rev, summary, labels, fields, uid, json), not the first four
  // only. What the query does not ask for reads as "", as does the summary of a past state.
  bool whole = false;
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

// The only namespace and the only name that the query can have rows of; "" for any.
std::string NamespaceOf(const ListQuery& query);
std::string NameOf(const ListQuery& query);

// A requirement of the selectors that the index answers: the object has one of these marks.
using Requirement = std::vector<std::int64_t>;

// Those of the query; none where it names one object anyway.
std::vector<Requirement> IndexedRequirements(const ListQuery& query, std::int64_t resource);

// (count) of the entries of a mark, at most so many.
ListScan PlanCount(std::int64_t mark, std::int64_t limit);

// All rows from the position on, by namespace and name: what the selectors match, and others.
ListScan PlanScan(const ListQuery& query, std::int64_t resource, const ListPosition& position);

// The row of one object, or none. Its parameters are resource, namespace and name, and the
// position's revision where that is not 0; `values` is empty.
ListScan PlanRow(const ListQuery& query, const ListPosition& position);

// (namespace, name), by both, of the objects from the position on that have a mark of the
// requirement, found by the index, so that other objects cost nothing; in a state of the past also
// of those that changed since. Some may not match, and one may come twice.
ListScan PlanNames(const ListQuery& query, std::int64_t resource, const ListPosition& position,
                   const Requirement& requirement);

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_LIST_SCAN_H_
