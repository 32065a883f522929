// Every kind that this binary knows: names, schema, columns, selectable fields. The API server's
// routes, discovery and OpenAPI, and the CRD files, are all made from it.
#ifndef ASYNCOPS_API_SCHEME_H_
#define ASYNCOPS_API_SCHEME_H_

#include <string>
#include <string_view>
#include <vector>

#include "api/schema/schema.h"

namespace asyncops {

// A column of `kubectl get`. A cell whose value is absent is "" (0 of an integer column,
// "<unknown>" of an age, as kube-apiserver shows it).
struct TableColumn {
  std::string name = {};    // "Operation-ID"
  std::string type = {};    // "string" or "integer" (an age is a string)
  std::string format = {};  // "name" on the first one
  std::string description = {};
  int priority = 0;  // 1: with -o wide
  // How the cell is made from the object.
  enum class Source {
    kPath,             // the value at `path`
    kAge,              // how long ago the time at `path` is
    kUntil,            // how long until the time at `path`: "8s"; "" where it has passed
    kConditionStatus,  // of the condition whose type is path[0]
    kConditionReason,
    kCount,      // the number of members of the object or array at `path`
    kReference,  // "kind/name", in lower case and as it is, of the object reference at `path`
  };
  Source source = Source::kPath;
  std::vector<std::string> path = {};  // member names; of conditions the condition's type alone
  // Of kAge: tried where there is nothing at `path`.
  std::vector<std::string> fallback_path = {};
};

// One resource. Immutable.
struct ResourceInfo {
  std::string group = {};  // "" for core
  std::string version = {};
  std::string kind = {};
  std::string plural = {};
  std::string singular = {};
  std::vector<std::string> short_names = {};
  std::vector<std::string> categories = {};
  bool namespaced = true;
  bool has_status = false;       // status subresource
  bool has_history = false;      // history subresource: the attempts that the engine wrote down
  bool standalone_only = false;  // not served behind a kube-apiserver that has it (CRDs, core/v1)
  SchemaRef schema = {};         // of the whole object
  std::vector<TableColumn> columns = {};
  // Fields that selectors may name, besides metadata.name and metadata.namespace; each a dotted
  // path.
  std::vector<std::string> selectable_fields = {};

  // "v1", "asyncops.dev/v1alpha1".
  std::string GroupVersion() const;
  // "asyncresources.asyncops.dev", "events": its name in messages, and in the store.
  std::string GroupResource() const;
};

// All of them, in the order of discovery: asyncoperations, asyncresources, externalsystems, events,
// namespaces, secrets.
const std::vector<ResourceInfo>& AllResources();
// By plural and group; null where there is none.
const ResourceInfo* FindResource(std::string_view group, std::string_view plural);

}  // namespace asyncops

#endif  // ASYNCOPS_API_SCHEME_H_
