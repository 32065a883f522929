// How each C++ type of a bound field is written in JSON, and which schema it has.
#ifndef ASYNCOPS_API_SCHEMA_CODEC_H_
#define ASYNCOPS_API_SCHEMA_CODEC_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/schema/schema.h"
#include "base/clock.h"
#include "base/json.h"

namespace asyncops {

template <class T>
class ObjectBinding;

// BadRequest "expected a string, got an integer".
Status WrongJsonType(std::string_view expected, const Json& got);
SchemaRef MakeScalarSchema(SchemaType type, StringFormat format = StringFormat::kNone);
SchemaRef MakeListSchema(SchemaType type, SchemaRef items);
// The integer that a JSON number is, also where it is written as 5.0; nothing for other values and
// beyond int64.
std::optional<std::int64_t> JsonInteger(const Json& json);

// Codec<T>: MakeSchema, Decode (BadRequest on a wrong type), Encode, IsEmpty (what is left out when
// encoding). This one is for structs with a Binding().
template <class T>
struct Codec {
  static SchemaRef MakeSchema() { return T::Binding().schema(); }
  static Status Decode(const Json& json, T* out) { return T::Binding().Decode(json, out); }
  static Json Encode(const T& in) { return T::Binding().Encode(in); }
  static bool IsEmpty(const T& in) { return Encode(in) == Json(JsonObject()); }
};

template <>
struct Codec<std::string> {
  static SchemaRef MakeSchema() { return MakeScalarSchema(SchemaType::kString); }
  static Status Decode(const Json& json, std::string* out);
  static Json Encode(const std::string& in) { return in; }
  static bool IsEmpty(const std::string& in) { return in.empty(); }
};

template <>
struct Codec<bool> {
  static SchemaRef MakeSchema() { return MakeScalarSchema(SchemaType::kBoolean); }
  static Status Decode(const Json& json, bool* out);
  static Json Encode(bool in) { return in; }
  static bool IsEmpty(bool in) { return !in; }
};

template <>
struct Codec<std::int64_t> {
  static SchemaRef MakeSchema() { return MakeScalarSchema(SchemaType::kInteger); }
  static Status Decode(const Json& json, std::int64_t* out);
  static Json Encode(std::int64_t in) { return in; }
  static bool IsEmpty(std::int64_t in) { return in == 0; }
};

template <>
struct Codec<double> {
  static SchemaRef MakeSchema() { return MakeScalarSchema(SchemaType::kNumber); }
  static Status Decode(const Json& json, double* out);
  static Json Encode(double in) { return in; }
  static bool IsEmpty(double in) { return in == 0; }
};

// Any JSON.
template <>
struct Codec<Json> {
  static SchemaRef MakeSchema() { return MakeScalarSchema(SchemaType::kFreeForm); }
  static Status Decode(const Json& json, Json* out);
  static Json Encode(const Json& in) { return in; }
  static bool IsEmpty(const Json& in) { return in.is_null(); }
};

// "30s".
template <>
struct Codec<Duration> {
  static SchemaRef MakeSchema() {
    return MakeScalarSchema(SchemaType::kString, StringFormat::kDuration);
  }
  static Status Decode(const Json& json, Duration* out);
  static Json Encode(Duration in);
  static bool IsEmpty(Duration in) { return in == Duration::zero(); }
};

// RFC 3339, to the second.
template <>
struct Codec<Time> {
  static SchemaRef MakeSchema() {
    return MakeScalarSchema(SchemaType::kString, StringFormat::kTime);
  }
  static Status Decode(const Json& json, Time* out);
  static Json Encode(Time in);
  static bool IsEmpty(Time in) { return in == Time{}; }
};

// To the microsecond, as clients read the fields that are metav1.MicroTime; null for nothing.
Json EncodeMicroTime(const std::optional<Time>& in);

template <class T>
struct Codec<std::optional<T>> {
  static SchemaRef MakeSchema() { return Codec<T>::MakeSchema(); }
  static Status Decode(const Json& json, std::optional<T>* out) {
    return Codec<T>::Decode(json, &out->emplace());
  }
  static Json Encode(const std::optional<T>& in) { return in ? Codec<T>::Encode(*in) : Json(); }
  static bool IsEmpty(const std::optional<T>& in) { return !in; }
};

template <class T>
struct Codec<std::vector<T>> {
  static SchemaRef MakeSchema() {
    return MakeListSchema(SchemaType::kArray, Codec<T>::MakeSchema());
  }
  static Status Decode(const Json& json, std::vector<T>* out) {
    if (!json.is_array()) return WrongJsonType("array", json);
    out->clear();
    for (const Json& item : json.as_array()) {
      T decoded{};
      if (const Status status = Codec<T>::Decode(item, &decoded); !status.ok())
        return status.WithContext("[" + std::to_string(out->size()) + "]");
      out->push_back(std::move(decoded));
    }
    return Status::Ok();
  }
  static Json Encode(const std::vector<T>& in) {
    JsonArray out;
    out.reserve(in.size());
    for (const T& item : in) out.push_back(Codec<T>::Encode(item));
    return out;
  }
  static bool IsEmpty(const std::vector<T>& in) { return in.empty(); }
};

template <class T, class Compare>
struct Codec<std::map<std::string, T, Compare>> {
  using Map = std::map<std::string, T, Compare>;
  static SchemaRef MakeSchema() { return MakeListSchema(SchemaType::kMap, Codec<T>::MakeSchema()); }
  static Status Decode(const Json& json, Map* out) {
    if (!json.is_object()) return WrongJsonType("object", json);
    out->clear();
    for (const auto& [name, value] : json.as_object()) {
      if (const Status status = Codec<T>::Decode(value, &(*out)[name]); !status.ok())
        return status.WithContext(name);
    }
    return Status::Ok();
  }
  static Json Encode(const Map& in) {
    JsonObject out;
    for (const auto& [name, value] : in) out.Set(name, Codec<T>::Encode(value));
    return out;
  }
  static bool IsEmpty(const Map& in) { return in.empty(); }
};

}  // namespace asyncops

#endif  // ASYNCOPS_API_SCHEMA_CODEC_H_
