#include "api/schema/walk.h"

namespace asyncops {
namespace {

void Prune(const Schema& schema, const std::string& path, Json* value,
           std::vector<std::string>* removed);

void PruneObject(const Schema& schema, const std::string& path, JsonObject* object,
                 std::vector<std::string>* removed) {
  std::vector<std::string> unknown;
  for (const JsonMember& member : *object) {
    const SchemaField* field = schema.Find(member.name);
    if (field == nullptr) {
      unknown.push_back(member.name);
      removed->push_back(FieldPath(path, member.name));
    } else {
      Prune(*field->schema, FieldPath(path, member.name), object->Find(member.name), removed);
    }
  }
  for (const std::string& name : unknown) object->Erase(name);
}

void Prune(const Schema& schema, const std::string& path, Json* value,
           std::vector<std::string>* removed) {
  if (schema.type == SchemaType::kObject && value->is_object()) {
    PruneObject(schema, path, &value->as_object(), removed);
  } else if (schema.type == SchemaType::kMap && value->is_object()) {
    for (const JsonMember& member : value->as_object()) {
      Prune(*schema.items, FieldPath(path, member.name), value->Find(member.name), removed);
    }
  } else if (schema.type == SchemaType::kArray && value->is_array()) {
    JsonArray& items = value->as_array();
    for (std::size_t i = 0; i < items.size(); ++i)
      Prune(*schema.items, FieldPath(path, i), &items[i], removed);
  }
}

}  // namespace

std::vector<std::string> PruneUnknownFields(const Schema& schema, Json* value) {
  std::vector<std::string> removed;
  Prune(schema, "", value, &removed);
  return removed;
}

}  // namespace asyncops
