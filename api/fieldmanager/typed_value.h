// How a value falls into fields by its schema: maps and lists whose parts have owners of their own,
// and leaves, which are owned as a whole. Where a schema says nothing the value decides: an object
// is such a map, all else is a leaf.
#ifndef ASYNCOPS_API_FIELDMANAGER_TYPED_VALUE_H_
#define ASYNCOPS_API_FIELDMANAGER_TYPED_VALUE_H_

#include <string_view>
#include <vector>

#include "api/fieldmanager/path_element.h"
#include "api/schema/schema.h"
#include "base/json.h"

namespace asyncops::fieldmanager {

// What a manager can own of an object through one endpoint. `schema` outlives the scope.
struct FieldScope {
  const Schema& schema;
  // Through the status subresource the status alone, otherwise all but the status.
  bool is_status = false;
};

// Where in an object a walk stands.
struct Place {
  int depth = 0;  // steps from the root
  bool is_metadata = false;

  Place Below(std::string_view name) const { return {depth + 1, depth == 0 && name == "metadata"}; }
};

// Whether the member `name` of the object at `place` has owners: names and versions of the object
// itself, and what only the server sets, have none.
bool IsOwnable(const FieldScope& scope, const Place& place, std::string_view name);
// Whether that member is owned on its own account, beside what is below it: metadata is not.
bool IsOwnableItself(const Place& place, std::string_view name);

enum class Shape { kLeaf, kMap, kList };

// `schema` is null where none applies. Leaves are also values of another type than their schema's,
// lists with an item that cannot be told from others, and what is nested too deeply to be stored as
// a field set.
Shape ShapeOf(const Schema* schema, const Place& place, const Json& value);

struct MemberSchema {
  const Schema* schema = nullptr;  // null: none applies
  // Whether the schema names the member, as opposed to a key of a map.
  bool is_named = false;
};
MemberSchema SchemaOfMember(const Schema* schema, std::string_view name);

struct ListItem {
  PathElement element;
  const Json* value = nullptr;
};
// The items of a value of Shape::kList, in its order. They point into `list`.
std::vector<ListItem> ItemsOf(const Schema& schema, const Json& list);

// Whether it is null or a map or list without parts.
bool IsHollow(const Json& value);

}  // namespace asyncops::fieldmanager

#endif  // ASYNCOPS_API_FIELDMANAGER_TYPED_VALUE_H_
