// The shape of a kind, as data: written once per kind, it decodes and encodes, finds unknown
// fields, fills in defaults, validates, and makes OpenAPI v2 and v3, `kubectl explain` and the CRD
// files.
#ifndef ASYNCOPS_API_SCHEMA_SCHEMA_H_
#define ASYNCOPS_API_SCHEMA_SCHEMA_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace asyncops {

namespace expr {
class Regex;
}  // namespace expr

struct Schema;
using SchemaRef = std::shared_ptr<const Schema>;

enum class SchemaType {
  kObject,  // named fields
  kMap,     // any names, values of one schema (`items`)
  kArray,   // values of one schema (`items`)
  kString,
  kInteger,
  kNumber,
  kBoolean,
  kFreeForm,  // any JSON, kept as it is (x-kubernetes-preserve-unknown-fields)
};

// What a string means beyond being one. kDuration, kTime, kMicroTime and kBase64 are checked by
// their parsers; the others by semantic validation, which knows what an expression may refer to and
// which URLs a field takes.
enum class StringFormat {
  kNone,
  kDuration,
  kTime,
  kMicroTime,
  kBase64,
  kExpression,
  kTemplate,
  kUrl
};

struct SchemaField {
  std::string name;
  std::string description;  // a sentence that a user can act on
  SchemaRef schema;
  bool required = false;
  Json default_value = {};  // null: none
};

struct Schema {
  SchemaType type = SchemaType::kFreeForm;

  // kObject. The definition's name in OpenAPI ("dev.asyncops.v1alpha1.PollStep").
  std::string name;
  std::string description;
  std::vector<SchemaField> fields;  // in the order in which they are documented

  // kArray and kMap.
  SchemaRef items;
  // Of an array that is a map by these keys (conditions by type).
  std::vector<std::string> list_map_keys;
  // Of an array that is a set: of scalars, in any order.
  bool list_set = false;
  std::optional<std::size_t> max_items;

  // kString, and kMap's and kArray's items through their own schema.
  StringFormat format = StringFormat::kNone;
  std::vector<std::string> enum_values;  // empty: any
  std::optional<std::size_t> min_length;
  std::optional<std::size_t> max_length;
  std::string pattern;       // RE2 that the whole text must match; "" for none
  std::string pattern_rule;  // the pattern in words, for the refusal
  // The pattern compiled; ApplyFieldOptions makes it. Null where there is none, and where the
  // schema was made by hand: it is then compiled for each value.
  std::shared_ptr<const expr::Regex> pattern_matcher;

  // kInteger and kNumber.
  std::optional<double> minimum;
  std::optional<double> maximum;

  // The field of that name, or null.
  const SchemaField* Find(std::string_view field) const;
};

// The pattern compiled so that it must match the whole text. It must be valid RE2.
std::shared_ptr<const expr::Regex> CompilePattern(const std::string& pattern);

}  // namespace asyncops

#endif  // ASYNCOPS_API_SCHEMA_SCHEMA_H_
