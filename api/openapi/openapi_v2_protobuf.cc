// Field numbers are those of gnostic's openapiv2/OpenAPIv2.proto; only the messages that our
// documents use.
#include "api/openapi/openapi.h"
#include "api/openapi/proto_message.h"

namespace asyncops {
namespace openapi {
namespace {

std::string EncodeSchema(const Json& json);

// Definitions and Properties: NamedSchema 1.
std::string EncodeSchemas(const Json& json) { return EncodeNamedMembers(json, 1, EncodeSchema); }

// AdditionalPropertiesItem.schema, ItemsItem.schema and SchemaItem.schema.
std::string EncodeSchemaItem(const Json& json) { return Wrap(1, EncodeSchema(json)); }

// TypeItem.value.
std::string EncodeType(const Json& json) { return Wrap(1, json.as_string()); }

std::string EncodeSchema(const Json& json) {
  ProtoMessage out(json);
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
  ProtoMessage out(json);
  out.String("description", 1);
  out.String("name", 2);
  out.String("in", 3);
  out.Bool("required", 4);
  out.Nested("schema", 5, EncodeSchema);
  return out.Take();
}

std::string EncodeQueryParameter(const Json& json) {
  ProtoMessage out(json);
  out.Bool("required", 1);
  out.String("in", 2);
  out.String("description", 3);
  out.String("name", 4);
  out.String("type", 6);
  out.Bool("uniqueItems", 20);
  return out.Take();
}

std::string EncodePathParameter(const Json& json) {
  ProtoMessage out(json);
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
  ProtoMessage out(json);
  out.String("description", 1);
  out.Nested("schema", 2, EncodeSchemaItem);
  return out.Take();
}

// ResponseValue.response.
std::string EncodeResponseValue(const Json& json) { return Wrap(1, EncodeResponse(json)); }

// Responses.response_code.
std::string EncodeResponses(const Json& json) {
  return EncodeNamedMembers(json, 1, EncodeResponseValue);
}

std::string EncodeOperation(const Json& json) {
  ProtoMessage out(json);
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
  ProtoMessage out(json);
  out.Nested("get", 2, EncodeOperation);
  out.Nested("put", 3, EncodeOperation);
  out.Nested("post", 4, EncodeOperation);
  out.Nested("delete", 5, EncodeOperation);
  out.Nested("patch", 8, EncodeOperation);
  out.NestedItems("parameters", 9, EncodeParameter);
  return out.Take();
}

// Paths.path.
std::string EncodePaths(const Json& json) { return EncodeNamedMembers(json, 2, EncodePathItem); }

std::string EncodeInfo(const Json& json) {
  ProtoMessage out(json);
  out.String("title", 1);
  out.String("version", 2);
  return out.Take();
}

}  // namespace
}  // namespace openapi

std::string EncodeOpenApiV2Protobuf(const Json& document) {
  openapi::ProtoMessage out(document);
  out.String("swagger", 1);
  out.Nested("info", 2, openapi::EncodeInfo);
  out.Nested("paths", 8, openapi::EncodePaths);
  out.Nested("definitions", 9, openapi::EncodeSchemas);
  return out.Take();
}

}  // namespace asyncops
