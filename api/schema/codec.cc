#include "api/schema/codec.h"

#include <cmath>

#include "api/meta/quote.h"
#include "base/duration.h"
#include "base/rfc3339.h"

namespace asyncops {
namespace {

std::string WithArticle(std::string_view noun) {
  const bool vowel = std::string_view("aeiou").find(noun.front()) != std::string_view::npos;
  return std::string(vowel ? "an " : "a ").append(noun);
}

}  // namespace

Status WrongJsonType(std::string_view expected, const Json& got) {
  const std::string found =
      got.is_null() ? std::string("null") : WithArticle(JsonTypeName(got.type()));
  return BadRequest("expected " + WithArticle(expected) + ", got " + found);
}

SchemaRef MakeScalarSchema(SchemaType type, StringFormat format) {
  Schema schema;
  schema.type = type;
  schema.format = format;
  return std::make_shared<const Schema>(std::move(schema));
}

SchemaRef MakeListSchema(SchemaType type, SchemaRef items) {
  Schema schema;
  schema.type = type;
  schema.items = std::move(items);
  return std::make_shared<const Schema>(std::move(schema));
}

std::optional<std::int64_t> JsonInteger(const Json& json) {
  if (json.is_int()) return json.as_int();
  if (!json.is_double()) return std::nullopt;
  const double value = json.as_double();
  // 2^63: the first double that int64 cannot hold.
  constexpr double kLimit = 9223372036854775808.0;
  if (std::trunc(value) != value || value < -kLimit || value >= kLimit) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

Status Codec<std::string>::Decode(const Json& json, std::string* out) {
  if (!json.is_string()) return WrongJsonType("string", json);
  *out = json.as_string();
  return Status::Ok();
}

Status Codec<bool>::Decode(const Json& json, bool* out) {
  if (!json.is_bool()) return WrongJsonType("boolean", json);
  *out = json.as_bool();
  return Status::Ok();
}

Status Codec<std::int64_t>::Decode(const Json& json, std::int64_t* out) {
  const std::optional<std::int64_t> value = JsonInteger(json);
  if (!value) return WrongJsonType("integer", json);
  *out = *value;
  return Status::Ok();
}

Status Codec<double>::Decode(const Json& json, double* out) {
  if (!json.is_number()) return WrongJsonType("number", json);
  *out = json.as_double();
  return Status::Ok();
}

Status Codec<Json>::Decode(const Json& json, Json* out) {
  *out = json;
  return Status::Ok();
}

Status Codec<Duration>::Decode(const Json& json, Duration* out) {
  if (!json.is_string()) return WrongJsonType("string", json);
  const std::optional<Duration> value = ParseDuration(json.as_string());
  if (!value) return BadRequest(Quote(json.as_string()) + " is no duration such as 30s or 1h30m");
  *out = *value;
  return Status::Ok();
}

Json Codec<Duration>::Encode(Duration in) { return FormatDuration(in); }

Status Codec<Time>::Decode(const Json& json, Time* out) {
  if (!json.is_string()) return WrongJsonType("string", json);
  const std::optional<Time> value = ParseTime(json.as_string());
  if (!value) return BadRequest(Quote(json.as_string()) + " is no RFC 3339 time");
  *out = *value;
  return Status::Ok();
}

Json Codec<Time>::Encode(Time in) { return FormatTime(in); }

Json EncodeMicroTime(const std::optional<Time>& in) {
  return in ? Json(FormatMicroTime(*in)) : Json();
}

}  // namespace asyncops
