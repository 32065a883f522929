#include "tests/unit/fieldmanager/gadget.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "api/fieldmanager/managed_fields.h"
#include "api/meta/object_meta.h"
#include "api/schema/binding.h"

namespace asyncops::fieldmanager {
namespace {

SchemaRef Object(std::vector<SchemaField> fields) {
  Schema schema;
  schema.type = SchemaType::kObject;
  schema.fields = std::move(fields);
  return std::make_shared<const Schema>(std::move(schema));
}

SchemaField Member(std::string name, SchemaRef schema) {
  return {.name = std::move(name), .description = {}, .schema = std::move(schema)};
}

SchemaRef KeyedList(std::vector<std::string> keys, const SchemaRef& items) {
  return ApplyFieldOptions(MakeListSchema(SchemaType::kArray, items),
                           {.list_map_keys = std::move(keys)});
}

SchemaRef MakeSpec() {
  const SchemaRef text = MakeScalarSchema(SchemaType::kString);
  const SchemaRef limits = MakeListSchema(SchemaType::kMap, text);
  const SchemaRef texts = MakeListSchema(SchemaType::kArray, text);
  const SchemaRef port = Object({Member("name", text), Member("protocol", text),
                                 Member("number", MakeScalarSchema(SchemaType::kInteger))});
  const SchemaRef step =
      Object({Member("name", text), Member("args", texts), Member("limits", limits)});
  return Object({Member("name", text), Member("size", MakeScalarSchema(SchemaType::kInteger)),
                 Member("nested", Object({Member("first", text), Member("second", text)})),
                 Member("limits", limits), Member("command", texts),
                 Member("tags", ApplyFieldOptions(texts, {.list_set = true})),
                 Member("ports", KeyedList({"name", "protocol"}, port)),
                 Member("steps", KeyedList({"name"}, step)),
                 Member("parameters", MakeScalarSchema(SchemaType::kFreeForm))});
}

}  // namespace

const Schema& GadgetSchema() {
  static const SchemaRef kSchema =
      Object({Member("apiVersion", MakeScalarSchema(SchemaType::kString)),
              Member("kind", MakeScalarSchema(SchemaType::kString)),
              Member("metadata", ObjectMeta::Binding().schema()), Member("spec", MakeSpec()),
              Member("status", Object({Member("phase", MakeScalarSchema(SchemaType::kString))}))});
  return *kSchema;
}

Json Value(std::string_view text) {
  std::string json(text);
  std::replace(json.begin(), json.end(), '\'', '"');
  const Result<Json> parsed = ParseJson(json);
  if (!parsed.ok()) std::abort();
  return *parsed;
}

Json Gadget(std::string_view spec) {
  Json object = Value("{'apiVersion':'test/v1','kind':'Gadget','metadata':{'name':'g'}}");
  object.Set("spec", Value(spec));
  return object;
}

FieldSet Fields(std::string_view text) {
  const Result<FieldSet> set = FieldSet::Decode(Value(text));
  if (!set.ok()) std::abort();
  return *set;
}

std::string Text(const FieldSet& set) { return Text(set.Encode()); }

std::string Text(const Json& value) {
  std::string out = EncodeJson(value);
  std::replace(out.begin(), out.end(), '"', '\'');
  return out;
}

FieldManager ManagerAt(std::string manager, int second, std::string subresource) {
  const std::string two = (second < 10 ? "0" : "") + std::to_string(second);
  return {.name = std::move(manager),
          .api_version = "test/v1",
          .subresource = std::move(subresource),
          .time = "2026-11-29T12:00:" + two + "Z"};
}

std::string Owners(const Json& object) {
  const Json* list = object.FindPath({"metadata", "managedFields"});
  if (list == nullptr) return "";
  const Result<ManagerEntries> entries = DecodeManagedFields(*list);
  if (!entries.ok()) return entries.status().ToString();
  std::string out;
  for (const ManagerEntry& entry : *entries) {
    out.append(entry.manager).append(entry.is_applied ? " Apply" : " Update");
    if (!entry.subresource.empty()) out.append("/").append(entry.subresource);
    if (entry.time.size() > 3) out.append("@").append(entry.time, entry.time.size() - 3, 2);
    out.append(" ").append(Text(entry.fields)).append("\n");
  }
  return out;
}

}  // namespace asyncops::fieldmanager
