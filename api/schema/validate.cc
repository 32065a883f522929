#include <algorithm>
#include <set>

#include "api/expr/regex.h"
#include "api/schema/codec.h"
#include "api/schema/place.h"
#include "api/schema/walk.h"
#include "base/duration.h"
#include "base/encoding.h"
#include "base/rfc3339.h"

namespace asyncops {
namespace {

class Validator {
 public:
  void Check(const Schema& schema, const Place& place, const Json& value) {
    switch (schema.type) {
      case SchemaType::kObject: CheckObject(schema, place, value); return;
      case SchemaType::kMap: CheckMap(schema, place, value); return;
      case SchemaType::kArray: CheckArray(schema, place, value); return;
      case SchemaType::kString: CheckString(schema, place, value); return;
      case SchemaType::kInteger:
        if (!JsonInteger(value)) return WrongType(place, "an integer", value);
        CheckBounds(schema, place, value);
        return;
      case SchemaType::kNumber:
        if (!value.is_number()) return WrongType(place, "a number", value);
        CheckBounds(schema, place, value);
        return;
      case SchemaType::kBoolean:
        if (!value.is_bool()) WrongType(place, "a boolean (true or false)", value);
        return;
      case SchemaType::kFreeForm: return;
    }
  }

  FieldErrors Take() { return std::move(errors_); }

 private:
  // Shows the type, not the value: it may be large, or a secret in the wrong place.
  void WrongType(const Place& place, std::string_view expected, const Json& value) {
    errors_.push_back({FieldErrorType::kTypeInvalid, place.Path(),
                       std::string(JsonTypeName(value.type())),
                       "must be " + std::string(expected)});
  }
  void Invalid(const Place& place, const Json& value, std::string detail) {
    errors_.push_back(InvalidField(place.Path(), value, std::move(detail)));
  }

  void CheckObject(const Schema& schema, const Place& place, const Json& value) {
    if (!value.is_object()) return WrongType(place, "an object", value);
    for (const SchemaField& field : schema.fields) {
      const Json* member = value.Find(field.name);
      if (member != nullptr && !member->is_null()) {
        Check(*field.schema, Place(place, field.name), *member);
      } else if (field.required) {
        errors_.push_back(RequiredField(Place(place, field.name).Path(), ""));
      }
    }
  }

  void CheckMap(const Schema& schema, const Place& place, const Json& value) {
    if (!value.is_object()) return WrongType(place, "an object", value);
    for (const auto& [name, member] : value.as_object())
      Check(*schema.items, Place(place, name), member);
  }

  void CheckArray(const Schema& schema, const Place& place, const Json& value) {
    if (!value.is_array()) return WrongType(place, "a list", value);
    const JsonArray& items = value.as_array();
    if (schema.max_items && items.size() > *schema.max_items)
      errors_.push_back(TooManyItems(place.Path(), items.size(), *schema.max_items));
    for (std::size_t i = 0; i < items.size(); ++i) Check(*schema.items, Place(place, i), items[i]);
    if (!schema.list_map_keys.empty()) CheckKeys(schema, place, items);
  }

  // In a list that is a map, no two items have the same keys.
  void CheckKeys(const Schema& schema, const Place& place, const JsonArray& items) {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < items.size(); ++i) {
      JsonObject keys;
      for (const std::string& name : schema.list_map_keys) {
        if (const Json* key = items[i].Find(name)) keys.Set(name, *key);
      }
      if (!keys.empty() && !seen.insert(EncodeJson(keys)).second)
        errors_.push_back(DuplicateField(Place(place, i).Path(), keys));
    }
  }

  void CheckBounds(const Schema& schema, const Place& place, const Json& value) {
    if (schema.minimum && value.as_double() < *schema.minimum)
      Invalid(place, value, "must be greater than or equal to " + EncodeJson(*schema.minimum));
    if (schema.maximum && value.as_double() > *schema.maximum)
      Invalid(place, value, "must be less than or equal to " + EncodeJson(*schema.maximum));
  }

  void CheckString(const Schema& schema, const Place& place, const Json& value) {
    if (!value.is_string()) return WrongType(place, "a string", value);
    const std::string& text = value.as_string();
    const auto& supported = schema.enum_values;
    if (!supported.empty()) {
      if (std::find(supported.begin(), supported.end(), text) == supported.end())
        errors_.push_back(UnsupportedValue(place.Path(), value, supported));
      return;
    }
    CheckLength(schema, place, text);
    CheckPattern(schema, place, text);
    CheckFormat(schema.format, place, text);
  }

  // Counts characters, as JSON schema does.
  void CheckLength(const Schema& schema, const Place& place, const std::string& text) {
    if (!schema.min_length && !schema.max_length) return;
    const auto length =
        static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
          return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        }));
    if (schema.min_length && length < *schema.min_length) {
      const std::string min = std::to_string(*schema.min_length);
      Invalid(place, text,
              *schema.min_length == 1 ? "must not be empty"
                                      : "must be at least " + min + " characters long");
    }
    if (schema.max_length && length > *schema.max_length) {
      errors_.push_back({FieldErrorType::kTooLong,
                         place.Path(),
                         {},
                         "may not be more than " + std::to_string(*schema.max_length) +
                             (*schema.max_length == 1 ? " character" : " characters")});
    }
  }

  void CheckPattern(const Schema& schema, const Place& place, const std::string& text) {
    if (schema.pattern.empty()) return;
    const auto matcher =
        schema.pattern_matcher ? schema.pattern_matcher : CompilePattern(schema.pattern);
    if (matcher->Matches(text)) return;
    Invalid(
        place, text,
        schema.pattern_rule.empty() ? "must match '" + schema.pattern + "'" : schema.pattern_rule);
  }

  void CheckFormat(StringFormat format, const Place& place, const std::string& text) {
    switch (format) {
      case StringFormat::kDuration:
        if (!ParseDuration(text))
          Invalid(place, text, "must be a duration such as 30s, 5m or 1h30m");
        return;
      case StringFormat::kTime:
      case StringFormat::kMicroTime:
        if (!ParseTime(text))
          Invalid(place, text, "must be an RFC 3339 time such as 2026-01-31T12:00:00Z");
        return;
      case StringFormat::kBase64:
        // The text may be a secret's: it is not shown.
        if (!Base64Decode(text)) Invalid(place, nullptr, "must be base64 with padding");
        return;
      case StringFormat::kNone:
      case StringFormat::kExpression:
      case StringFormat::kTemplate:
      case StringFormat::kUrl: return;
    }
  }

  FieldErrors errors_;
};

}  // namespace

FieldErrors ValidateStructure(const Schema& schema, const Json& value) {
  Validator validator;
  validator.Check(schema, Place(), value);
  return validator.Take();
}

}  // namespace asyncops
