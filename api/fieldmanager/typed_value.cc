#include "api/fieldmanager/typed_value.h"

#include <algorithm>
#include <array>
#include <utility>

namespace asyncops::fieldmanager {
namespace {

// A stored field set stands five levels below the root of its object and has one level per step:
// with more steps than this, what was stored would not parse again.
constexpr int kMaxSteps = kMaxJsonDepth - 8;

constexpr std::array<std::string_view, 8> kUnownedMetadata = {
    "name", "namespace",  "creationTimestamp", "selfLink",
    "uid",  "generation", "managedFields",     "resourceVersion"};

bool IsGranular(const Schema& list) { return list.list_set || !list.list_map_keys.empty(); }

bool AllItemsAreNamed(const Schema& schema, const JsonArray& items) {
  return std::all_of(items.begin(), items.end(),
                     [&schema](const Json& item) { return ItemElement(schema, item).has_value(); });
}

}  // namespace

bool IsOwnable(const FieldScope& scope, const Place& place, std::string_view name) {
  if (place.depth == 0) {
    if (scope.is_status) return name == "status";
    return name != "apiVersion" && name != "kind" && name != "status";
  }
  if (place.depth > 1 || !place.is_metadata) return true;
  return std::find(kUnownedMetadata.begin(), kUnownedMetadata.end(), name) ==
         kUnownedMetadata.end();
}

bool IsOwnableItself(const Place& place, std::string_view name) {
  return place.depth > 0 || name != "metadata";
}

Shape ShapeOf(const Schema* schema, const Place& place, const Json& value) {
  if (place.depth >= kMaxSteps) return Shape::kLeaf;
  const SchemaType type = schema == nullptr ? SchemaType::kFreeForm : schema->type;
  switch (type) {
    case SchemaType::kObject:
    case SchemaType::kMap:
    case SchemaType::kFreeForm: return value.is_object() ? Shape::kMap : Shape::kLeaf;
    case SchemaType::kArray:
      return value.is_array() && IsGranular(*schema) && AllItemsAreNamed(*schema, value.as_array())
                 ? Shape::kList
                 : Shape::kLeaf;
    default: return Shape::kLeaf;
  }
}

MemberSchema SchemaOfMember(const Schema* schema, std::string_view name) {
  if (schema == nullptr) return {};
  if (schema->type == SchemaType::kMap) return {schema->items.get(), false};
  if (schema->type != SchemaType::kObject) return {};
  const SchemaField* field = schema->Find(name);
  return field == nullptr ? MemberSchema() : MemberSchema{field->schema.get(), true};
}

std::vector<ListItem> ItemsOf(const Schema& schema, const Json& list) {
  std::vector<ListItem> items;
  items.reserve(list.as_array().size());
  for (const Json& item : list.as_array()) {
    if (auto element = ItemElement(schema, item)) items.push_back({*std::move(element), &item});
  }
  return items;
}

bool IsHollow(const Json& value) {
  return value.is_null() || (value.is_object() && value.as_object().empty()) ||
         (value.is_array() && value.as_array().empty());
}

}  // namespace asyncops::fieldmanager
