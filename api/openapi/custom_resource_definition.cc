#include <utility>

#include "api/openapi/openapi.h"
#include "api/openapi/schema_json.h"

namespace asyncops {
namespace {

Json Strings(const std::vector<std::string>& values) {
  JsonArray out;
  for (const std::string& value : values) out.push_back(value);
  return out;
}

std::string JsonPath(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out.append(".").append(name);
  return out;
}

std::string ConditionPath(const TableColumn& column, std::string_view field) {
  return ".status.conditions[?(@.type==\"" + column.path.front() + "\")]." + std::string(field);
}

// "" where a JSON path cannot say what the column shows.
std::string ColumnPath(const TableColumn& column) {
  switch (column.source) {
    case TableColumn::Source::kPath:
    case TableColumn::Source::kAge:
    case TableColumn::Source::kUntil: return JsonPath(column.path);
    case TableColumn::Source::kConditionStatus: return ConditionPath(column, "status");
    case TableColumn::Source::kConditionReason: return ConditionPath(column, "reason");
    case TableColumn::Source::kReference: return JsonPath(column.path) + ".name";
    case TableColumn::Source::kCount: return "";
  }
  return "";
}

JsonArray PrinterColumns(const ResourceInfo& resource) {
  JsonArray out;
  for (const TableColumn& column : resource.columns) {
    const std::string path = ColumnPath(column);
    // kube-apiserver adds the name by itself.
    if (path.empty() || column.format == "name" || path == ".metadata.name") continue;
    const bool age = column.source == TableColumn::Source::kAge;
    Json json =
        Json::Of({{"name", column.name}, {"type", age ? "date" : column.type}, {"jsonPath", path}});
    if (!column.description.empty()) json.Set("description", column.description);
    if (column.priority != 0) json.Set("priority", column.priority);
    out.push_back(std::move(json));
  }
  return out;
}

Json Names(const ResourceInfo& resource) {
  Json names = Json::Of({{"kind", resource.kind},
                         {"listKind", resource.kind + "List"},
                         {"plural", resource.plural},
                         {"singular", resource.singular}});
  if (!resource.short_names.empty()) names.Set("shortNames", Strings(resource.short_names));
  if (!resource.categories.empty()) names.Set("categories", Strings(resource.categories));
  return names;
}

Json StructuralSchema(const ResourceInfo& resource) {
  Json schema = openapi::DefinitionJson(*resource.schema, openapi::Dialect::kStructural);
  // kube-apiserver knows metadata, and allows nothing but its type here.
  schema.ObjectAt("properties").Set("metadata", Json::Of({{"type", "object"}}));
  return schema;
}

}  // namespace

Json MakeCustomResourceDefinition(const ResourceInfo& resource) {
  Json version =
      Json::Of({{"name", resource.version},
                {"served", true},
                {"storage", true},
                {"schema", Json::Of({{"openAPIV3Schema", StructuralSchema(resource)}})}});
  if (JsonArray columns = PrinterColumns(resource); !columns.empty())
    version.Set("additionalPrinterColumns", std::move(columns));
  if (resource.has_status) version.Set("subresources", Json::Of({{"status", JsonObject()}}));
  return Json::Of({{"apiVersion", "apiextensions.k8s.io/v1"},
                   {"kind", "CustomResourceDefinition"},
                   {"metadata", Json::Of({{"name", resource.plural + "." + resource.group}})},
                   {"spec", Json::Of({{"group", resource.group},
                                      {"names", Names(resource)},
                                      {"scope", resource.namespaced ? "Namespaced" : "Cluster"},
                                      {"versions", JsonArray{std::move(version)}}})}});
}

}  // namespace asyncops
