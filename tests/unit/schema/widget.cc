#include "tests/unit/schema/widget.h"

#include "api/schema/binding.h"

namespace asyncops {

const ObjectBinding<Part>& Part::Binding() {
  static const auto kBinding =
      ObjectBinding<Part>("com.example.v1.Part", "A part.")
          .Field("name", &Part::name, "Its name.", {.required = true, .min_length = 1})
          .Field("count", &Part::count, "How many.", {.default_value = 1, .minimum = 0});
  return kBinding;
}

const ObjectBinding<WidgetSpec>& WidgetSpec::Binding() {
  static const auto kBinding =
      ObjectBinding<WidgetSpec>("com.example.v1.WidgetSpec", "What a widget is.")
          .Field("color", &WidgetSpec::color, "Its color.",
                 {.default_value = "Red", .enum_values = {"Red", "Blue"}})
          .Field("code", &WidgetSpec::code, "Its code.",
                 {.required = true,
                  .max_length = 4,
                  .pattern = "[a-z]+",
                  .pattern_rule = "must be lower case letters"})
          .Field("delay", &WidgetSpec::delay, "How long to wait.")
          .Field("due", &WidgetSpec::due, "When it is due.")
          .Field("seen", &WidgetSpec::seen, "When it was seen.",
                 {.format = StringFormat::kMicroTime})
          .Field("secrets", &WidgetSpec::secrets, "Secrets by name.",
                 {.format = StringFormat::kBase64})
          .Field("parts", &WidgetSpec::parts, "Its parts.",
                 {.max_items = 2, .list_map_keys = {"name"}})
          .Field("sizes", &WidgetSpec::sizes, "Its sizes.", {.maximum = 9.5})
          .Field("mainPart", &WidgetSpec::main_part, "The most important part.")
          .Field("ratio", &WidgetSpec::ratio, "A ratio.")
          .Field("enabled", &WidgetSpec::enabled, "Whether it runs.", {.always = true})
          .Field("body", &WidgetSpec::body, "Anything.");
  return kBinding;
}

const ObjectBinding<WidgetStatus>& WidgetStatus::Binding() {
  static const auto kBinding =
      ObjectBinding<WidgetStatus>("com.example.v1.WidgetStatus", "What was seen.")
          .Field("conditions", &WidgetStatus::conditions, "Its conditions.",
                 {.list_map_keys = {"type"}});
  return kBinding;
}

const ObjectBinding<Widget>& Widget::Binding() {
  static const auto kBinding = ObjectBinding<Widget>("com.example.v1.Widget", "A widget.")
                                   .Constant("apiVersion", "example.com/v1", "Group and version.")
                                   .Constant("kind", "Widget", "The kind.")
                                   .Field("metadata", &Widget::metadata, "Name and the like.")
                                   .Field("spec", &Widget::spec, "What it is.", {.required = true})
                                   .Field("status", &Widget::status, "What was seen.");
  return kBinding;
}

ResourceInfo WidgetResource() {
  using Source = TableColumn::Source;
  ResourceInfo info{.group = "example.com",
                    .version = "v1",
                    .kind = "Widget",
                    .plural = "widgets",
                    .singular = "widget",
                    .short_names = {"wd"},
                    .categories = {"toys"},
                    .has_status = true,
                    .schema = Widget::Binding().schema()};
  info.columns = {
      {.name = "Name", .type = "string", .format = "name", .path = {"metadata", "name"}},
      {.name = "Color", .type = "string", .description = "Color.", .path = {"spec", "color"}},
      {.name = "Ready", .type = "string", .source = Source::kConditionStatus, .path = {"Ready"}},
      {.name = "Why",
       .type = "string",
       .priority = 1,
       .source = Source::kConditionReason,
       .path = {"Ready"}},
      {.name = "Part",
       .type = "string",
       .source = Source::kReference,
       .path = {"spec", "mainPart"}},
      {.name = "Parts", .type = "integer", .source = Source::kCount, .path = {"spec", "parts"}},
      {.name = "Age",
       .type = "string",
       .source = Source::kAge,
       .path = {"metadata", "creationTimestamp"}},
  };
  return info;
}

}  // namespace asyncops
