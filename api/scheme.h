// Every kind that this binary knows: names, schema, columns, selectable fields. The API server's routes,
// discovery and OpenAPI, and the CRD files, are all made from it.
#ifndef ASYNCOPS_API_SCHEME_H_
#define ASYNCOPS_API_SCHEME_H_

#include <string>
#include <string_view>
#include <vector>

#include "api/schema/schema.h"

namespace asyncops {

// A column of `kubectl get`. Of kind kAge the value is a time at a path, shown as an age; of the others what
// stands at the JSON path of member names (for conditions: the status or reason of one type).
struct TableColumn {
  std::string name;         // "Operation-ID"
  std::string type;         // "string" or "integer" (an age is a string)
  std::string format;       // "name" on the first one
  std::string description;
  int priority = 0;         // 1: with -o wide
  // How the cell is made from the object.
  enum class Source { kPath, kAge, kConditionStatus, kConditionReason };
  Source source = Source::kPath;
  std::vector<std::string> path;  // member names; of conditions the condition's type alone
};

// One resource. Immutable.
struct ResourceInfo {
  std::string group;     // "" for core
  std::string version;
  std::string kind;
  std::string plural;
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  bool namespaced = true;
  bool has_status = false;  // status subresource
  bool standalone_only = false;  // not served behind a kube-apiserver that has it (CRDs, core/v1)
  SchemaRef schema;         // of the whole object
  std::vector<TableColumn> columns;
  // Fields that selectors may name, besides metadata.name and metadata.namespace; each a dotted path.
  std::vector<std::string> selectable_fields;

  // "v1", "asyncops.dev/v1alpha1".
  std::string GroupVersion() const;
  // The store's name for it: "asyncresources.asyncops.dev", "events".
  std::string StorageName() const;
};

// All of them, in the order of discovery: asyncoperations, asyncresources, externalsystems, events, namespaces, secrets.
const std::vector<ResourceInfo>& AllResources();
// By plural and group; null where there is none.
const ResourceInfo* FindResource(std::string_view group, std::string_view plural);

}  // namespace asyncops

#endif  // ASYNCOPS_API_SCHEME_H_
