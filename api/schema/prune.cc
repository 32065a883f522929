#include "api/schema/place.h"
#include "api/schema/walk.h"
#include "base/json_edit.h"

namespace asyncops {
namespace {

void Prune(const Schema& schema, const Place& place, Json* value,
           std::vector<std::string>* removed);

void PruneObject(const Schema& schema, const Place& place, JsonObject* object,
                 std::vector<std::string>* removed) {
  bool has_unknown = false;
  for (const JsonMember& member : *object) {
    const Place inner(place, member.name);
    const SchemaField* field = schema.Find(member.name);
    if (field == nullptr) {
      has_unknown = true;
      removed->push_back(inner.Path());
    } else {
      Prune(*field->schema, inner, &object->ValueOf(member), removed);
    }
  }
  if (!has_unknown) return;
  EraseMembersIf(object,
                 [&schema](const std::string& name) { return schema.Find(name) == nullptr; });
}

void PruneMap(const Schema& items, const Place& place, JsonObject* object,
              std::vector<std::string>* removed) {
  for (const JsonMember& member : *object)
    Prune(items, Place(place, member.name), &object->ValueOf(member), removed);
}

void Prune(const Schema& schema, const Place& place, Json* value,
           std::vector<std::string>* removed) {
  if (schema.type == SchemaType::kObject && value->is_object()) {
    PruneObject(schema, place, &value->as_object(), removed);
  } else if (schema.type == SchemaType::kMap && value->is_object()) {
    PruneMap(*schema.items, place, &value->as_object(), removed);
  } else if (schema.type == SchemaType::kArray && value->is_array()) {
    JsonArray& items = value->as_array();
    for (std::size_t i = 0; i < items.size(); ++i)
      Prune(*schema.items, Place(place, i), &items[i], removed);
  }
}

}  // namespace

std::vector<std::string> PruneUnknownFields(const Schema& schema, Json* value) {
  std::vector<std::string> removed;
  Prune(schema, Place(), value, &removed);
  return removed;
}

}  // namespace asyncops
