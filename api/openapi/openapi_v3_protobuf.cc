// Field numbers are those of gnostic's openapiv3/OpenAPIv3.proto; only the messages that our
// documents use.
#include "api/openapi/openapi.h"
#include "api/openapi/proto_message.h"

namespace asyncops {
namespace openapi {
namespace {

std::string EncodeSchema(const Json& json);

// SchemaOrReference: schema 1, reference 2 (whose $ref is 1).
std::string EncodeSchemaOrReference(const Json& json) {
  const Json* reference = json.Find("$ref");
  return reference != nullptr ? Wrap(2, Wrap(1, reference->as_string()))
                              : Wrap(1, EncodeSchema(json));
}

// SchemasOrReferences and Properties.
std::string EncodeSchemas(const Json& json) {
  return EncodeNamedMembers(json, 1, EncodeSchemaOrReference);
}

// ItemsItem and AdditionalPropertiesItem.
std::string EncodeSchemaItem(const Json& json) { return Wrap(1, EncodeSchemaOrReference(json)); }

// DefaultType has scalars alone: of an object or a list it is there and says nothing.
std::string EncodeDefault(const Json& json) {
  ProtoWriter writer;
  if (json.is_number()) writer.AddDouble(1, json.as_double());
  if (json.is_bool()) writer.AddInteger(2, json.as_bool() ? 1 : 0);
  if (json.is_string()) writer.AddBytes(3, json.as_string());
  return writer.Take();
}

std::string EncodeSchema(const Json& json) {
  ProtoMessage out(json);
  out.Double("maximum", 11);
  out.Double("minimum", 13);
  out.Integer("maxLength", 15);
  out.Integer("minLength", 16);
  out.String("pattern", 17);
  out.Integer("maxItems", 18);
  out.Bool("uniqueItems", 20);
  out.Strings("required", 23);
  out.NestedItems("enum", 24, EncodeAny);
  out.String("type", 25);
  out.NestedItems("allOf", 26, EncodeSchemaOrReference);
  out.Nested("items", 30, EncodeSchemaItem);
  out.Nested("properties", 31, EncodeSchemas);
  out.Nested("additionalProperties", 32, EncodeSchemaItem);
  out.Nested("default", 33, EncodeDefault);
  out.String("description", 34);
  out.String("format", 35);
  out.Extensions(36);
  return out.Take();
}

// ParameterOrReference.parameter.
std::string EncodeParameter(const Json& json) {
  ProtoMessage out(json);
  out.String("name", 1);
  out.String("in", 2);
  out.String("description", 3);
  out.Bool("required", 4);
  out.Nested("schema", 10, EncodeSchemaOrReference);
  return Wrap(1, out.Take());
}

std::string EncodeMediaType(const Json& json) {
  ProtoMessage out(json);
  out.Nested("schema", 1, EncodeSchemaOrReference);
  return out.Take();
}

// MediaTypes.
std::string EncodeContent(const Json& json) { return EncodeNamedMembers(json, 1, EncodeMediaType); }

// RequestBodyOrReference.request_body.
std::string EncodeRequestBody(const Json& json) {
  ProtoMessage out(json);
  out.Nested("content", 2, EncodeContent);
  out.Bool("required", 3);
  return Wrap(1, out.Take());
}

// ResponseOrReference.response.
std::string EncodeResponse(const Json& json) {
  ProtoMessage out(json);
  out.String("description", 1);
  out.Nested("content", 3, EncodeContent);
  return Wrap(1, out.Take());
}

// Responses: default 1, the others by code 2.
std::string EncodeResponses(const Json& json) {
  ProtoWriter writer;
  for (const auto& [code, response] : json.as_object()) {
    const std::string encoded = EncodeResponse(response);
    if (code == "default") {
      writer.AddBytes(1, encoded);
    } else {
      writer.AddBytes(2, EncodeNamed(code, encoded));
    }
  }
  return writer.Take();
}

std::string EncodeOperation(const Json& json) {
  ProtoMessage out(json);
  out.Strings("tags", 1);
  out.String("description", 3);
  out.String("operationId", 5);
  out.NestedItems("parameters", 6, EncodeParameter);
  out.Nested("requestBody", 7, EncodeRequestBody);
  out.Nested("responses", 8, EncodeResponses);
  out.Extensions(13);
  return out.Take();
}

std::string EncodePathItem(const Json& json) {
  ProtoMessage out(json);
  out.Nested("get", 4, EncodeOperation);
  out.Nested("put", 5, EncodeOperation);
  out.Nested("post", 6, EncodeOperation);
  out.Nested("delete", 7, EncodeOperation);
  out.Nested("patch", 10, EncodeOperation);
  out.NestedItems("parameters", 13, EncodeParameter);
  return out.Take();
}

// Paths.path.
std::string EncodePaths(const Json& json) { return EncodeNamedMembers(json, 1, EncodePathItem); }

std::string EncodeInfo(const Json& json) {
  ProtoMessage out(json);
  out.String("title", 1);
  out.String("version", 6);
  return out.Take();
}

std::string EncodeComponents(const Json& json) {
  ProtoMessage out(json);
  out.Nested("schemas", 1, EncodeSchemas);
  return out.Take();
}

}  // namespace
}  // namespace openapi

std::string EncodeOpenApiV3Protobuf(const Json& document) {
  openapi::ProtoMessage out(document);
  out.String("openapi", 1);
  out.Nested("info", 2, openapi::EncodeInfo);
  out.Nested("paths", 4, openapi::EncodePaths);
  out.Nested("components", 5, openapi::EncodeComponents);
  return out.Take();
}

}  // namespace asyncops
