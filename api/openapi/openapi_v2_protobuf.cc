// Field numbers are those of gnostic's openapiv2/OpenAPIv2.proto; only the messages that our
// documents use.
#include <utility>

#include "api/openapi/openapi.h"
#include "api/openapi/proto_writer.h"
#include "base/yaml.h"

namespace asyncops {
namespace openapi {
namespace {

// A message being filled from the members of a JSON object.
class Message {
 public:
  explicit Message(const Json& json) : json_(json) {}

  void String(std::string_view member, std::uint32_t field) {
    if (const Json* value = json_.Find(member); value != nullptr && value->is_string())
      writer_.AddBytes(field, value->as_string());
  }
  void Strings(std::string_view member, std::uint32_t field) {
    for (const Json& value : Items(member)) writer_.AddBytes(field, value.as_string());
  }
  void Integer(std::string_view member, std::uint32_t field) {
    if (const Json* value = json_.Find(member); value != nullptr && value->is_int())
      writer_.AddInteger(field, value->as_int());
  }
  void Double(std::string_view member, std::uint32_t field) {
    if (const Json* value = json_.Find(member); value != nullptr && value->is_number())
      writer_.AddDouble(field, value->as_double());
  }
  void Bool(std::string_view member, std::uint32_t field) {
    if (const Json* value = json_.Find(member); value != nullptr && value->is_bool())
      writer_.AddInteger(field, value->as_bool() ? 1 : 0);
  }
  // The member, where there is one, as the message that `encode` makes of it.
  void Nested(std::string_view member, std::uint32_t field, std::string (*encode)(const Json&)) {
    if (const Json* value = json_.Find(member)) writer_.AddBytes(field, encode(*value));
  }
  void NestedItems(std::string_view member, std::uint32_t field,
                   std::string (*encode)(const Json&)) {
    for (const Json& value : Items(member)) writer_.AddBytes(field, encode(value));
  }

  // x-...: NamedAny each.
  void Extensions(std::uint32_t field);

  std::string Take() { return writer_.Take(); }

 private:
  const JsonArray& Items(std::string_view member) const {
    static const JsonArray kNone;
    const Json* value = json_.Find(member);
    return value != nullptr && value->is_array() ? value->as_array() : kNone;
  }

  const Json& json_;
  ProtoWriter writer_;
};

// Any: a value as YAML, in its second field.
std::string EncodeAny(const Json& value) {
  ProtoWriter writer;
  writer.AddBytes(2, EncodeYaml(value));
  return writer.Take();
}

// NamedAny, NamedSchema and the like: name 1, value 2.
std::string EncodeNamed(std::string_view name, std::string_view value) {
  ProtoWriter writer;
  writer.AddBytes(1, name);
  writer.AddBytes(2, value);
  return writer.Take();
}

// A message that holds one other in its field.
std::string Wrap(std::uint32_t field, std::string_view message) {
  ProtoWriter writer;
  writer.AddBytes(field, message);
  return writer.Take();
}

void Message::Extensions(std::uint32_t field) {
  for (const auto& [name, value] : json_.as_object()) {
    if (name.starts_with("x-")) writer_.AddBytes(field, EncodeNamed(name, EncodeAny(value)));
  }
}

std::string EncodeSchema(const Json& json);

// Definitions and Properties: NamedSchema 1.
std::string EncodeSchemas(const Json& json) {
  ProtoWriter writer;
  for (const auto& [name, schema] : json.as_object())
    writer.AddBytes(1, EncodeNamed(name, EncodeSchema(schema)));
  return writer.Take();
}

// AdditionalPropertiesItem.schema, ItemsItem.schema and SchemaItem.schema.
std::string EncodeSchemaItem(const Json& json) { return Wrap(1, EncodeSchema(json)); }

// TypeItem.value.
std::string EncodeType(const Json& json) { return Wrap(1, json.as_string()); }

std::string EncodeSchema(const Json& json) {
  Message out(json);
  out.String("$ref", 1);
  out.String("format", 2);
  out.String("description", 4);
  out.Nested("default", 5, EncodeAny);
  out.Double("maximum", 7);
  out.Double("minimum", 9);
  out.Integer("maxLength", 11);
  out.Integer("minLength", 12);
  out.String("pattern", 13);
  out.Integer("maxItems", 14);
  out.Strings("required", 19);
  out.NestedItems("enum", 20, EncodeAny);
  out.Nested("additionalProperties", 21, EncodeSchemaItem);
  out.Nested("type", 22, EncodeType);
  out.Nested("items", 23, EncodeSchemaItem);
  out.Nested("properties", 25, EncodeSchemas);
  out.Extensions(31);
  return out.Take();
}

std::string EncodeBodyParameter(const Json& json) {
  Message out(json);
  out.String("description", 1);
  out.String("name", 2);
  out.String("in", 3);
  out.Bool("required", 4);
  out.Nested("schema", 5, EncodeSchema);
  return out.Take();
}

std::string EncodeQueryParameter(const Json& json) {
  Message out(json);
  out.Bool("required", 1);
  out.String("in", 2);
  out.String("description", 3);
  out.String("name", 4);
  out.String("type", 6);
  out.Bool("uniqueItems", 20);
  return out.Take();
}

std::string EncodePathParameter(const Json& json) {
  Message out(json);
  out.Bool("required", 1);
  out.String("in", 2);
  out.String("description", 3);
  out.String("name", 4);
  out.String("type", 5);
  out.Bool("uniqueItems", 19);
  return out.Take();
}

// ParametersItem.parameter 1; Parameter: body 1, non-body 2; NonBodyParameter: query 3, path 4.
std::string EncodeParameter(const Json& json) {
  const std::string_view in = json.StringAt({"in"});
  if (in == "body") return Wrap(1, Wrap(1, EncodeBodyParameter(json)));
  if (in == "path") return Wrap(1, Wrap(2, Wrap(4, EncodePathParameter(json))));
  return Wrap(1, Wrap(2, Wrap(3, EncodeQueryParameter(json))));
}

std::string EncodeResponse(const Json& json) {
  Message out(json);
  out.String("description", 1);
  out.Nested("schema", 2, EncodeSchemaItem);
  return out.Take();
}

// Responses.response_code 1: NamedResponseValue of ResponseValue.response 1.
std::string EncodeResponses(const Json& json) {
  ProtoWriter writer;
  for (const auto& [code, response] : json.as_object())
    writer.AddBytes(1, EncodeNamed(code, Wrap(1, EncodeResponse(response))));
  return writer.Take();
}

std::string EncodeOperation(const Json& json) {
  Message out(json);
  out.Strings("tags", 1);
  out.String("description", 3);
  out.String("operationId", 5);
  out.Strings("produces", 6);
  out.Strings("consumes", 7);
  out.NestedItems("parameters", 8, EncodeParameter);
  out.Nested("responses", 9, EncodeResponses);
  out.Strings("schemes", 10);
  out.Extensions(13);
  return out.Take();
}

std::string EncodePathItem(const Json& json) {
  Message out(json);
  out.Nested("get", 2, EncodeOperation);
  out.Nested("put", 3, EncodeOperation);
  out.Nested("post", 4, EncodeOperation);
  out.Nested("delete", 5, EncodeOperation);
  out.Nested("patch", 8, EncodeOperation);
  out.NestedItems("parameters", 9, EncodeParameter);
  return out.Take();
}

// Paths.path 2.
std::string EncodePaths(const Json& json) {
  ProtoWriter writer;
  for (const auto& [path, item] : json.as_object())
    writer.AddBytes(2, EncodeNamed(path, EncodePathItem(item)));
  return writer.Take();
}

std::string EncodeInfo(const Json& json) {
  Message out(json);
  out.String("title", 1);
  out.String("version", 2);
  return out.Take();
}

}  // namespace
}  // namespace openapi

std::string EncodeOpenApiV2Protobuf(const Json& document) {
  openapi::Message out(document);
  out.String("swagger", 1);
  out.Nested("info", 2, openapi::EncodeInfo);
  out.Nested("paths", 8, openapi::EncodePaths);
  out.Nested("definitions", 9, openapi::EncodeSchemas);
  return out.Take();
}

}  // namespace asyncops
