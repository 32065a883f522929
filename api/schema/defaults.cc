#include <algorithm>

#include "api/schema/walk.h"
#include "base/json_edit.h"

namespace asyncops {
namespace {

void DefaultObject(const Schema& schema, JsonObject* object) {
  for (const SchemaField& field : schema.fields) {
    Json* member = object->Find(field.name);
    if (member == nullptr || member->is_null()) {
      if (!field.default_value.is_null()) {
        member = &object->Set(field.name, field.default_value);
      } else {
        if (member != nullptr && field.schema->type != SchemaType::kFreeForm)
          object->Erase(field.name);
        continue;
      }
    }
    ApplyDefaults(*field.schema, member);
  }
}

void DefaultMap(const Schema& items, JsonObject* object) {
  std::vector<std::string> nulls;
  for (const JsonMember& member : *object) {
    if (member.value.is_null() && items.type != SchemaType::kFreeForm) {
      nulls.push_back(member.name);
    } else {
      ApplyDefaults(items, &object->ValueOf(member));
    }
  }
  if (nulls.empty()) return;
  // They were found in the order of their names.
  EraseMembersIf(object, [&nulls](const std::string& name) {
    return std::binary_search(nulls.begin(), nulls.end(), name);
  });
}

}  // namespace

void ApplyDefaults(const Schema& schema, Json* value) {
  if (schema.type == SchemaType::kObject && value->is_object()) {
    DefaultObject(schema, &value->as_object());
  } else if (schema.type == SchemaType::kMap && value->is_object()) {
    DefaultMap(*schema.items, &value->as_object());
  } else if (schema.type == SchemaType::kArray && value->is_array()) {
    for (Json& item : value->as_array()) ApplyDefaults(*schema.items, &item);
  }
}

}  // namespace asyncops
