#include "api/schema/schema.h"

#include <cassert>
#include <utility>
#include <variant>

#include "api/expr/regex.h"
#include "api/schema/binding.h"

namespace asyncops {
namespace {

bool IsText(SchemaType type) { return type == SchemaType::kString; }
bool IsNumeric(SchemaType type) {
  return type == SchemaType::kInteger || type == SchemaType::kNumber;
}
bool IsContainer(SchemaType type) { return type == SchemaType::kArray || type == SchemaType::kMap; }

bool HasTextOptions(const FieldOptions& options) {
  return options.format != StringFormat::kNone || !options.enum_values.empty() ||
         options.min_length || options.max_length || !options.pattern.empty();
}
bool HasNumberOptions(const FieldOptions& options) { return options.minimum || options.maximum; }
bool HasListOptions(const FieldOptions& options) {
  return options.max_items || !options.list_map_keys.empty() || options.list_set;
}

void ApplyTextOptions(const FieldOptions& options, Schema* schema) {
  if (options.format != StringFormat::kNone) schema->format = options.format;
  schema->enum_values = options.enum_values;
  schema->min_length = options.min_length;
  schema->max_length = options.max_length;
  schema->pattern = options.pattern;
  schema->pattern_rule = options.pattern_rule;
  if (!options.pattern.empty()) schema->pattern_matcher = CompilePattern(options.pattern);
}

}  // namespace

const SchemaField* Schema::Find(std::string_view field) const {
  for (const SchemaField& candidate : fields) {
    if (candidate.name == field) return &candidate;
  }
  return nullptr;
}

std::shared_ptr<const expr::Regex> CompilePattern(const std::string& pattern) {
  auto compiled = expr::Regex::Compile("^(?:" + pattern + ")$");
  auto* regex = std::get_if<std::unique_ptr<expr::Regex>>(&compiled);
  // Patterns are constants of this program: one that does not compile is a mistake in it.
  assert(regex != nullptr);
  return std::move(*regex);
}

SchemaRef ApplyFieldOptions(SchemaRef schema, const FieldOptions& options) {
  const bool inside = IsContainer(schema->type) && schema->items != nullptr &&
                      (HasTextOptions(options) || HasNumberOptions(options));
  const bool text = IsText(schema->type) && HasTextOptions(options);
  const bool number = IsNumeric(schema->type) && HasNumberOptions(options);
  const bool list = IsContainer(schema->type) && HasListOptions(options);
  if (!inside && !text && !number && !list) return schema;
  Schema out = *schema;
  if (inside) {
    FieldOptions of_items = options;
    of_items.max_items.reset();
    of_items.list_map_keys.clear();
    of_items.list_set = false;
    out.items = ApplyFieldOptions(schema->items, of_items);
  }
  if (text) ApplyTextOptions(options, &out);
  if (number) {
    out.minimum = options.minimum;
    out.maximum = options.maximum;
  }
  if (list) {
    out.max_items = options.max_items;
    out.list_map_keys = options.list_map_keys;
    out.list_set = options.list_set;
  }
  return std::make_shared<const Schema>(std::move(out));
}

}  // namespace asyncops
