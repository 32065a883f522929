#include "api/fieldmanager/merge.h"

#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "api/fieldmanager/typed_value.h"
#include "base/json_edit.h"

namespace asyncops::fieldmanager {
namespace {

void Merge(const Schema* schema, const Place& place, const Json& configuration, Json* object);

void MergeMap(const Schema* schema, const Place& place, const JsonObject& configuration,
              JsonObject* object) {
  std::vector<JsonMember> added;
  for (const auto& [name, value] : configuration) {
    Json* present = object->Find(name);
    if (present == nullptr) {
      added.push_back({name, value});
    } else {
      Merge(SchemaOfMember(schema, name).schema, place.Below(name), value, present);
    }
  }
  if (!added.empty()) MergeMembers(object, JsonObject(std::move(added)));
}

// Two lists of items become one.
class ListMerger {
 public:
  ListMerger(const Schema& schema, const Place& place, const Json& configuration,
             const Json& object)
      : schema_(schema),
        place_(place),
        configured_(ItemsOf(schema, configuration)),
        present_(ItemsOf(schema, object)),
        configured_index_(IndexOf(configured_)),
        present_index_(IndexOf(present_)) {}

  JsonArray Run() {
    auto at = present_.begin();
    for (const ListItem& item : configured_) {
      // Of items that nothing tells apart the first one counts.
      if (configured_index_.at(item.element) != item.value) continue;
      const auto present = present_index_.find(item.element);
      const bool is_new = present == present_index_.end();
      // Up to where the item stands in the object; a new one follows what stands there now.
      for (; at != present_.end() && at->element != item.element; ++at) {
        const bool is_shared = configured_index_.contains(at->element);
        if (is_new && is_shared) break;
        if (!is_shared) out_.push_back(*at->value);
      }
      if (!is_new && at != present_.end()) ++at;
      out_.push_back(is_new ? *item.value : *present->second);
      if (!is_new) Merge(schema_.items.get(), place_.Below(""), *item.value, &out_.back());
    }
    for (; at != present_.end(); ++at) {
      if (!configured_index_.contains(at->element)) out_.push_back(*at->value);
    }
    return std::move(out_);
  }

 private:
  // The value of the first item of each element; views into `items`.
  using Index = std::map<std::string_view, const Json*>;
  static Index IndexOf(const std::vector<ListItem>& items) {
    Index index;
    for (const ListItem& item : items) index.emplace(item.element, item.value);
    return index;
  }

  const Schema& schema_;
  const Place& place_;
  const std::vector<ListItem> configured_;
  const std::vector<ListItem> present_;
  const Index configured_index_;
  const Index present_index_;
  JsonArray out_;
};

void Merge(const Schema* schema, const Place& place, const Json& configuration, Json* object) {
  const Shape present = ShapeOf(schema, place, *object);
  const Shape configured = ShapeOf(schema, place, configuration);
  if (present == Shape::kMap && configured == Shape::kMap && !configuration.as_object().empty()) {
    MergeMap(schema, place, configuration.as_object(), &object->as_object());
  } else if (present == Shape::kList && configured == Shape::kList) {
    *object = ListMerger(*schema, place, configuration, *object).Run();
  } else if (present == Shape::kLeaf || configured == Shape::kLeaf) {
    // Null empties a leaf; of a map or list it says nothing of the parts that others own.
    const bool keeps_parts = configuration.is_null() && !IsHollow(*object) &&
                             (present == Shape::kMap || present == Shape::kList);
    if (!keeps_parts) *object = configuration;
  }
}

void Remove(const Schema* schema, const Place& place, const FieldSet& fields, Json* value);

// Whether the node takes the value out as a whole; takes out what is below otherwise.
bool Takes(const FieldNode* node, const Schema* schema, const Place& place, Json* value) {
  if (node == nullptr) return false;
  if (node->is_member) return true;
  if (IsHollow(*value)) return false;
  Remove(schema, place, node->below, value);
  return IsHollow(*value);
}

void Remove(const Schema* schema, const Place& place, const FieldSet& fields, Json* value) {
  const Shape shape = ShapeOf(schema, place, *value);
  if (shape == Shape::kMap) {
    std::set<std::string, std::less<>> gone;
    for (const FieldNode& node : fields.nodes()) {
      if (!node.element.starts_with("f:")) continue;
      const std::string name = node.element.substr(2);
      Json* member = value->as_object().Find(name);
      if (member == nullptr) continue;
      if (Takes(&node, SchemaOfMember(schema, name).schema, place.Below(name), member))
        gone.insert(name);
    }
    if (!gone.empty()) {
      EraseMembersIf(&value->as_object(),
                     [&gone](const std::string& name) { return gone.contains(name); });
    }
  }
  if (shape == Shape::kList) {
    std::erase_if(value->as_array(), [&fields, schema, &place](Json& item) {
      const auto element = ItemElement(*schema, item);
      return element && Takes(fields.Find(*element), schema->items.get(), place.Below(""), &item);
    });
  }
}

FieldSet AddNamed(const Schema* schema, const Place& place, const FieldSet& fields) {
  FieldSet out;
  for (const FieldNode& node : fields.nodes()) {
    MemberSchema of;
    std::string_view name;
    if (node.element.starts_with("f:")) {
      name = std::string_view(node.element).substr(2);
      of = SchemaOfMember(schema, name);
    } else if (schema != nullptr && schema->type == SchemaType::kArray) {
      of.schema = schema->items.get();
    }
    const bool is_named = of.is_named && IsOwnableItself(place, name);
    out.Append({node.element, node.is_member || is_named,
                AddNamed(of.schema, place.Below(name), node.below)});
  }
  return out;
}

}  // namespace

void MergeConfiguration(const Schema& schema, const Json& configuration, Json* object) {
  Merge(&schema, {}, configuration, object);
}

void RemoveFields(const Schema& schema, const FieldSet& fields, Json* object) {
  Remove(&schema, {}, fields, object);
}

FieldSet WithNamedFields(const Schema& schema, const FieldSet& fields) {
  return AddNamed(&schema, {}, fields);
}

}  // namespace asyncops::fieldmanager
