// Ties the fields of a plain struct to a schema: one list of Field() lines is both the
// documentation of the kind and its codec.
//
//   const ObjectBinding<PollInterval>& PollInterval::Binding() {
//     static const auto kBinding =
//         ObjectBinding<PollInterval>("dev.asyncops.v1alpha1.PollInterval", "How often to ask.")
//             .Field("initial", &PollInterval::initial, "Wait before the first poll, such as 5s.",
//                    {.default_value = "5s"});
//     return kBinding;
//   }
//
// A struct that is a field of another has `static const ObjectBinding<T>& Binding();`.
#ifndef ASYNCOPS_API_SCHEMA_BINDING_H_
#define ASYNCOPS_API_SCHEMA_BINDING_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/schema/codec.h"
#include "api/schema/schema.h"

namespace asyncops {

// What a field adds to what its C++ type says.
struct FieldOptions {
  bool required = false;
  Json default_value = {};
  // Encoded even when it is zero or empty; required fields are anyway.
  bool always = false;
  StringFormat format = StringFormat::kNone;
  std::vector<std::string> enum_values = {};
  std::optional<std::size_t> min_length = {};
  std::optional<std::size_t> max_length = {};
  std::string pattern = {};
  std::string pattern_rule = {};
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
  std::optional<std::size_t> max_items = {};
  std::vector<std::string> list_map_keys = {};
  bool list_set = false;
  // Stands in for the schema of the C++ type, such as what is inside a member of type Json.
  SchemaRef schema = {};
};

// Puts the options on the schema of a field's type (on its items, where the options are of strings
// or numbers and the type is a list). Returns the schema for the field.
SchemaRef ApplyFieldOptions(SchemaRef schema, const FieldOptions& options);

// Immutable once built. T is a plain struct.
template <class T>
class ObjectBinding {
 public:
  // `name` is the OpenAPI definition's name, unique in the process.
  ObjectBinding(std::string name, std::string description) {
    schema_.type = SchemaType::kObject;
    schema_.name = std::move(name);
    schema_.description = std::move(description);
  }

  // A field that is accepted, documented and dropped.
  ObjectBinding& IgnoredField(std::string name, std::string description, SchemaRef schema) {
    schema_.fields.push_back({.name = std::move(name),
                              .description = std::move(description),
                              .schema = std::move(schema)});
    return *this;
  }

  template <class M>
  ObjectBinding& Field(std::string name, M T::*member, std::string_view description,
                       const FieldOptions& options = {}) {
    Member bound;
    bound.name = name;
    bound.decode = [member](const Json& json, T* out) {
      return Codec<M>::Decode(json, &(out->*member));
    };
    bound.encode = [member](const T& in) { return Codec<M>::Encode(in.*member); };
    if constexpr (std::is_same_v<M, std::optional<Time>>) {
      if (options.format == StringFormat::kMicroTime)
        bound.encode = [member](const T& in) { return EncodeMicroTime(in.*member); };
    }
    const bool always = options.always || options.required;
    bound.omit = [member, always](const T& in) { return !always && Codec<M>::IsEmpty(in.*member); };
    members_.push_back(std::move(bound));
    schema_.fields.push_back(
        {.name = std::move(name),
         .description = std::string(description),
         .schema =
             ApplyFieldOptions(options.schema ? options.schema : Codec<M>::MakeSchema(), options),
         .required = options.required,
         .default_value = options.default_value});
    return *this;
  }

  // A string that is the same in every T (apiVersion, kind): always encoded, never decoded.
  ObjectBinding& Constant(std::string name, std::string value, std::string description) {
    Member bound;
    bound.name = name;
    bound.decode = [](const Json& /*json*/, T* /*out*/) { return Status::Ok(); };
    bound.encode = [value = std::move(value)](const T& /*in*/) { return Json(value); };
    bound.omit = [](const T& /*in*/) { return false; };
    members_.push_back(std::move(bound));
    schema_.fields.push_back({.name = std::move(name),
                              .description = std::move(description),
                              .schema = MakeScalarSchema(SchemaType::kString),
                              .required = false,
                              .default_value = {}});
    return *this;
  }

  SchemaRef schema() const { return std::make_shared<const Schema>(schema_); }

  // Reads what is there; absent members leave the struct's own initial values. BadRequest where a
  // value has the wrong type, naming the field (ValidateStructure finds all of them, with paths).
  Status Decode(const Json& json, T* out) const {
    if (!json.is_object()) return WrongJsonType("object", json);
    for (const Member& member : members_) {
      const Json* value = json.Find(member.name);
      if (value == nullptr || value->is_null()) continue;
      if (const Status status = member.decode(*value, out); !status.ok())
        return status.WithContext(member.name);
    }
    return Status::Ok();
  }

  // Empty members are left out, unless they are required or always written.
  Json Encode(const T& in) const {
    JsonObject out;
    for (const Member& member : members_) {
      if (!member.omit(in)) out.Set(member.name, member.encode(in));
    }
    return out;
  }

 private:
  struct Member {
    std::string name;
    std::function<Status(const Json&, T*)> decode;
    std::function<Json(const T&)> encode;
    std::function<bool(const T&)> omit;
  };
  Schema schema_;
  std::vector<Member> members_;
};

// A T from JSON that ValidateStructure accepted, or a BadRequest.
template <class T>
Result<T> DecodeAs(const Json& json) {
  T out;
  if (const Status status = T::Binding().Decode(json, &out); !status.ok()) return status;
  return out;
}

}  // namespace asyncops

#endif  // ASYNCOPS_API_SCHEMA_BINDING_H_
