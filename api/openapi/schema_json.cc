#include "api/openapi/schema_json.h"

#include <algorithm>
#include <utility>

namespace asyncops::openapi {
namespace {

Json Strings(const std::vector<std::string>& values) {
  JsonArray out;
  for (const std::string& value : values) out.push_back(value);
  return out;
}

// Bounds read better as integers where they are some.
Json Bound(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return static_cast<double>(whole) == value ? Json(whole) : Json(value);
}

// Whether {} is a value of the object: only then can it be a default.
bool AcceptsNothing(const Schema& schema) {
  return std::none_of(schema.fields.begin(), schema.fields.end(),
                      [](const SchemaField& field) { return field.required; });
}

bool IsWhole(std::string_view pattern) {
  return pattern.starts_with('^') && pattern.ends_with('$') &&
         pattern.find('|') == std::string_view::npos;
}

class SchemaWriter {
 public:
  explicit SchemaWriter(Dialect dialect) : dialect_(dialect) {}

  // A reference where the schema has a name, else the schema.
  Json Value(const Schema& schema) const {
    if (schema.name.empty() || dialect_ == Dialect::kStructural) return InPlace(schema);
    return ReferenceJson(schema.name, dialect_);
  }

  Json InPlace(const Schema& schema) const {
    Json out{JsonObject()};
    if (!schema.description.empty()) out.Set("description", schema.description);
    switch (schema.type) {
      case SchemaType::kObject: AddObject(schema, &out); break;
      case SchemaType::kMap:
        out.Set("type", "object");
        out.Set("additionalProperties", Item(*schema.items));
        break;
      case SchemaType::kArray: AddArray(schema, &out); break;
      case SchemaType::kString: AddString(schema, &out); break;
      case SchemaType::kInteger: AddNumber(schema, "integer", "int64", &out); break;
      case SchemaType::kNumber: AddNumber(schema, "number", "double", &out); break;
      case SchemaType::kBoolean: out.Set("type", "boolean"); break;
      case SchemaType::kFreeForm: out.Set("x-kubernetes-preserve-unknown-fields", true); break;
    }
    return out;
  }

 private:
  // OpenAPI 3.0 has no siblings of $ref: an allOf carries them.
  Json Wrapped(Json value) const {
    if (dialect_ != Dialect::kV3 || value.Find("$ref") == nullptr) return value;
    return Json::Of({{"allOf", JsonArray{std::move(value)}}});
  }

  Json Item(const Schema& schema) const {
    Json out = Wrapped(Value(schema));
    if (out.Find("allOf") != nullptr && AcceptsNothing(schema)) out.Set("default", JsonObject());
    return out;
  }

  Json Field(const SchemaField& field) const {
    Json out = Wrapped(Value(*field.schema));
    out.Set("description", field.description);
    if (!field.default_value.is_null()) {
      out.Set("default", field.default_value);
    } else if (field.name == "metadata" && out.Find("allOf") != nullptr) {
      out.Set("default", JsonObject());
    }
    return out;
  }

  void AddObject(const Schema& schema, Json* out) const {
    out->Set("type", "object");
    JsonObject properties;
    std::vector<std::string> required;
    for (const SchemaField& field : schema.fields) {
      properties.Set(field.name, Field(field));
      if (field.required) required.push_back(field.name);
    }
    if (!properties.empty()) out->Set("properties", std::move(properties));
    if (!required.empty()) out->Set("required", Strings(required));
  }

  void AddArray(const Schema& schema, Json* out) const {
    out->Set("type", "array");
    out->Set("items", Item(*schema.items));
    if (schema.max_items) out->Set("maxItems", *schema.max_items);
    if (schema.list_map_keys.empty()) {
      out->Set("x-kubernetes-list-type", schema.list_set ? "set" : "atomic");
    } else {
      out->Set("x-kubernetes-list-type", "map");
      out->Set("x-kubernetes-list-map-keys", Strings(schema.list_map_keys));
    }
  }

  static void AddString(const Schema& schema, Json* out) {
    out->Set("type", "string");
    switch (schema.format) {
      case StringFormat::kDuration: out->Set("format", "duration"); break;
      case StringFormat::kTime:
      case StringFormat::kMicroTime: out->Set("format", "date-time"); break;
      case StringFormat::kBase64: out->Set("format", "byte"); break;
      case StringFormat::kNone:
      case StringFormat::kExpression:
      case StringFormat::kTemplate:
      case StringFormat::kUrl: break;
    }
    if (!schema.enum_values.empty()) out->Set("enum", Strings(schema.enum_values));
    if (schema.min_length) out->Set("minLength", *schema.min_length);
    if (schema.max_length) out->Set("maxLength", *schema.max_length);
    if (schema.pattern.empty()) return;
    out->Set("pattern", IsWhole(schema.pattern) ? schema.pattern : "^(?:" + schema.pattern + ")$");
  }

  static void AddNumber(const Schema& schema, std::string_view type, std::string_view format,
                        Json* out) {
    out->Set("type", type);
    out->Set("format", format);
    if (schema.minimum) out->Set("minimum", Bound(*schema.minimum));
    if (schema.maximum) out->Set("maximum", Bound(*schema.maximum));
  }

  Dialect dialect_;
};

}  // namespace

Json DefinitionJson(const Schema& schema, Dialect dialect) {
  return SchemaWriter(dialect).InPlace(schema);
}

Json ReferenceJson(const std::string& name, Dialect dialect) {
  const std::string_view base =
      dialect == Dialect::kV2 ? "#/definitions/" : "#/components/schemas/";
  return Json::Of({{"$ref", std::string(base) + name}});
}

void CollectDefinitions(const SchemaRef& schema, std::map<std::string, SchemaRef>* definitions) {
  if (schema == nullptr) return;
  if (!schema->name.empty() && !definitions->emplace(schema->name, schema).second) return;
  CollectDefinitions(schema->items, definitions);
  for (const SchemaField& field : schema->fields) CollectDefinitions(field.schema, definitions);
}

}  // namespace asyncops::openapi
