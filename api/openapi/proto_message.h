// From a JSON object to a protobuf message of gnostic's OpenAPI models, member by member.
#ifndef ASYNCOPS_API_OPENAPI_PROTO_MESSAGE_H_
#define ASYNCOPS_API_OPENAPI_PROTO_MESSAGE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "api/openapi/proto_writer.h"
#include "base/json.h"

namespace asyncops::openapi {

// Any: a value as YAML, in its second field.
std::string EncodeAny(const Json& value);
// NamedAny, NamedSchema and the like: name 1, value 2.
std::string EncodeNamed(std::string_view name, std::string_view value);
// A message that holds one other in its field.
std::string Wrap(std::uint32_t field, std::string_view message);

// A message being filled: each call adds a member, where the object has it, to that field.
class ProtoMessage {
 public:
  // Makes the bytes of a nested message.
  using Encoder = std::string (*)(const Json& json);

  // The object outlives the message.
  explicit ProtoMessage(const Json& json) : json_(json) {}

  void String(std::string_view member, std::uint32_t field);
  void Strings(std::string_view member, std::uint32_t field);
  void Integer(std::string_view member, std::uint32_t field);
  void Double(std::string_view member, std::uint32_t field);
  void Bool(std::string_view member, std::uint32_t field);
  void Nested(std::string_view member, std::uint32_t field, Encoder encode);
  // One message for each item of an array.
  void NestedItems(std::string_view member, std::uint32_t field, Encoder encode);
  // x-...: a NamedAny each.
  void Extensions(std::uint32_t field);

  std::string Take() { return writer_.Take(); }

 private:
  const JsonArray* Items(std::string_view member) const;

  const Json& json_;
  ProtoWriter writer_;
};

// A message whose field repeats a Named... of each member of the object.
std::string EncodeNamedMembers(const Json& json, std::uint32_t field, ProtoMessage::Encoder encode);

}  // namespace asyncops::openapi

#endif  // ASYNCOPS_API_OPENAPI_PROTO_MESSAGE_H_
