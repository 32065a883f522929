// A JSON value. Ours, so that no header of the project pays for a JSON library's (about 3 s of
// compile time each), and so that depth, duplicates and number range are decided in one place
// (json_parse.cc, the adapter of nlohmann_json's parser, with json_fast.cc before it).
#ifndef ASYNCOPS_BASE_JSON_H_
#define ASYNCOPS_BASE_JSON_H_

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/limits.h"
#include "base/status.h"

namespace asyncops {

class Json;
struct JsonMember;

using JsonArray = std::vector<Json>;

// Members sorted by name, names unique: equality is structural and encoding is canonical.
class JsonObject {
 public:
  JsonObject();
  // A later member of the same name replaces an earlier one.
  JsonObject(std::initializer_list<JsonMember> members);
  // The same from any number of members, in O(n log n); for parsers.
  explicit JsonObject(std::vector<JsonMember> members);
  JsonObject(const JsonObject&);
  JsonObject(JsonObject&&) noexcept;
  JsonObject& operator=(const JsonObject&);
  JsonObject& operator=(JsonObject&&) noexcept;
  ~JsonObject();

  bool empty() const;
  std::size_t size() const;
  const JsonMember* begin() const;
  const JsonMember* end() const;

  // The member's value, or null where there is none. Valid until the next change of this object.
  const Json* Find(std::string_view name) const;
  Json* Find(std::string_view name);
  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  // The value of a member of this very object, to change it while walking over the members.
  Json& ValueOf(const JsonMember& member);

  // Sets or replaces; returns the stored value.
  Json& Set(std::string_view name, Json value);
  // The member's value; a null one is added where there is none.
  Json& operator[](std::string_view name);
  // Whether there was such a member.
  bool Erase(std::string_view name);

  bool operator==(const JsonObject& other) const;

 private:
  std::vector<JsonMember> members_;
};

// A value: copies are deep, moves are cheap. Numbers are int64 or double, as in Kubernetes.
class Json {
 public:
  enum class Type { kNull, kBool, kInt, kDouble, kString, kArray, kObject };

  Json() = default;
  // Implicit on purpose: values are written in place, as in {{"kind", "Status"}, {"code", 404}}.
  // NOLINTBEGIN(google-explicit-constructor)
  Json(std::nullptr_t) {}
  Json(std::same_as<bool> auto value) : value_(value) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Json(T value) : value_(static_cast<std::int64_t>(value)) {}
  Json(double value) : value_(value) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(JsonArray value) : value_(std::move(value)) {}
  Json(JsonObject value) : value_(std::move(value)) {}
  // NOLINTEND(google-explicit-constructor)

  // An object of these members: Json::Of({{"a", 1}, {"b", "x"}}).
  static Json Of(std::initializer_list<JsonMember> members) { return Json(JsonObject(members)); }

  Type type() const { return static_cast<Type>(value_.index()); }
  bool is_null() const { return type() == Type::kNull; }
  bool is_bool() const { return type() == Type::kBool; }
  bool is_int() const { return type() == Type::kInt; }
  bool is_double() const { return type() == Type::kDouble; }
  bool is_number() const { return is_int() || is_double(); }
  bool is_string() const { return type() == Type::kString; }
  bool is_array() const { return type() == Type::kArray; }
  bool is_object() const { return type() == Type::kObject; }

  // The value of that type; the type must be so (a mismatch aborts: check first).
  bool as_bool() const { return *Get<bool>(); }
  std::int64_t as_int() const { return *Get<std::int64_t>(); }
  // Of an int or a double.
  double as_double() const;
  const std::string& as_string() const { return *Get<std::string>(); }
  const JsonArray& as_array() const { return *Get<JsonArray>(); }
  JsonArray& as_array() { return *Get<JsonArray>(); }
  const JsonObject& as_object() const { return *Get<JsonObject>(); }
  JsonObject& as_object() { return *Get<JsonObject>(); }

  // The member of an object; null where this is no object or has no such member.
  const Json* Find(std::string_view name) const;
  Json* Find(std::string_view name);
  // The value at a path of member names; null where a step is missing.
  const Json* FindPath(std::initializer_list<std::string_view> path) const;
  // The string at a path; "" where there is none.
  std::string_view StringAt(std::initializer_list<std::string_view> path) const;
  // The int at a path; `otherwise` where there is none.
  std::int64_t IntAt(std::initializer_list<std::string_view> path, std::int64_t otherwise) const;
  // The object at this member, made (replacing null or another type) where it is not one. This
  // value becomes an object if it is not.
  JsonObject& ObjectAt(std::string_view name);
  // Makes this an object if it is none, and sets the member.
  Json& Set(std::string_view name, Json value);

  bool operator==(const Json& other) const { return value_ == other.value_; }

 private:
  template <class T>
  const T* Get() const {
    const T* value = std::get_if<T>(&value_);
    if (value == nullptr) WrongType();
    return value;
  }
  template <class T>
  T* Get() {
    T* value = std::get_if<T>(&value_);
    if (value == nullptr) WrongType();
    return value;
  }
  [[noreturn]] static void WrongType();

  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, JsonArray, JsonObject>
      value_ = nullptr;
};

struct JsonMember {
  std::string name;
  Json value;

  bool operator==(const JsonMember&) const = default;
};

// The name of a type as people know it: "null", "boolean", "integer", "number", "string", "array",
// "object".
std::string_view JsonTypeName(Json::Type type);

struct JsonParseOptions {
  int max_depth = kMaxJsonDepth;
  // Where not null, gets the path of each member that stands twice in one object ("spec.a", the
  // last one wins); at most kMaxDuplicatesReported.
  std::vector<std::string>* duplicates = nullptr;
};

// Parses exactly one JSON text (RFC 8259, UTF-8). BadRequest with line and column of the mistake,
// or with the depth limit. An integer outside int64 becomes a double, as in Go's unstructured
// decoding.
Result<Json> ParseJson(std::string_view text, const JsonParseOptions& options = {});

// Canonical encoding: members sorted by name, no white space. Bytes that are not UTF-8 become
// U+FFFD; `<`, `>` and `&` stand as they are.
std::string EncodeJson(const Json& value);
void AppendJson(const Json& value, std::string* out);
// Appends the string with quotes and escapes.
void AppendJsonString(std::string_view text, std::string* out);
// The same with a 2-space indent and a final newline, as kube-apiserver's ?pretty=true.
std::string EncodePrettyJson(const Json& value);

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_JSON_H_
