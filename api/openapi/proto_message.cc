#include "api/openapi/proto_message.h"

#include "base/yaml.h"

namespace asyncops::openapi {

std::string EncodeAny(const Json& value) {
  ProtoWriter writer;
  writer.AddBytes(2, EncodeYaml(value));
  return writer.Take();
}

std::string EncodeNamed(std::string_view name, std::string_view value) {
  ProtoWriter writer;
  writer.AddBytes(1, name);
  writer.AddBytes(2, value);
  return writer.Take();
}

std::string Wrap(std::uint32_t field, std::string_view message) {
  ProtoWriter writer;
  writer.AddBytes(field, message);
  return writer.Take();
}

std::string EncodeNamedMembers(const Json& json, std::uint32_t field,
                               ProtoMessage::Encoder encode) {
  ProtoWriter writer;
  for (const auto& [name, value] : json.as_object())
    writer.AddBytes(field, EncodeNamed(name, encode(value)));
  return writer.Take();
}

void ProtoMessage::String(std::string_view member, std::uint32_t field) {
  if (const Json* value = json_.Find(member); value != nullptr && value->is_string())
    writer_.AddBytes(field, value->as_string());
}

void ProtoMessage::Strings(std::string_view member, std::uint32_t field) {
  if (const JsonArray* items = Items(member)) {
    for (const Json& value : *items) writer_.AddBytes(field, value.as_string());
  }
}

void ProtoMessage::Integer(std::string_view member, std::uint32_t field) {
  if (const Json* value = json_.Find(member); value != nullptr && value->is_int())
    writer_.AddInteger(field, value->as_int());
}

void ProtoMessage::Double(std::string_view member, std::uint32_t field) {
  if (const Json* value = json_.Find(member); value != nullptr && value->is_number())
    writer_.AddDouble(field, value->as_double());
}

void ProtoMessage::Bool(std::string_view member, std::uint32_t field) {
  if (const Json* value = json_.Find(member); value != nullptr && value->is_bool())
    writer_.AddInteger(field, value->as_bool() ? 1 : 0);
}

void ProtoMessage::Nested(std::string_view member, std::uint32_t field, Encoder encode) {
  if (const Json* value = json_.Find(member)) writer_.AddBytes(field, encode(*value));
}

void ProtoMessage::NestedItems(std::string_view member, std::uint32_t field, Encoder encode) {
  if (const JsonArray* items = Items(member)) {
    for (const Json& value : *items) writer_.AddBytes(field, encode(value));
  }
}

void ProtoMessage::Extensions(std::uint32_t field) {
  for (const auto& [name, value] : json_.as_object()) {
    if (name.starts_with("x-")) writer_.AddBytes(field, EncodeNamed(name, EncodeAny(value)));
  }
}

const JsonArray* ProtoMessage::Items(std::string_view member) const {
  const Json* value = json_.Find(member);
  return value != nullptr && value->is_array() ? &value->as_array() : nullptr;
}

}  // namespace asyncops::openapi
