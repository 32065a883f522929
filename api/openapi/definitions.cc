#include "api/openapi/definitions.h"

#include <utility>

#include "api/openapi/meta_schemas.h"
#include "api/openapi/operations.h"

namespace asyncops::openapi {
namespace {

void Mark(std::string_view name, Json group_version_kind, JsonObject* definitions) {
  (*definitions)[name].Set("x-kubernetes-group-version-kind",
                           JsonArray{std::move(group_version_kind)});
}

}  // namespace

JsonObject MakeDefinitions(const std::vector<ResourceInfo>& resources, Dialect dialect) {
  std::map<std::string, SchemaRef> schemas;
  for (const ResourceInfo& resource : resources) CollectDefinitions(ListSchema(resource), &schemas);
  CollectDefinitions(StatusSchema(), &schemas);
  CollectDefinitions(DeleteOptionsSchema(), &schemas);
  CollectDefinitions(PatchSchema(), &schemas);

  JsonObject out;
  for (const auto& [name, schema] : schemas) out.Set(name, DefinitionJson(*schema, dialect));
  for (const ResourceInfo& resource : resources) {
    Json gvk = GroupVersionKind(resource);
    Mark(resource.schema->name, gvk, &out);
    gvk.Set("kind", resource.kind + "List");
    Mark(ListName(resource), std::move(gvk), &out);
  }
  for (const std::string_view kind : {"Status", "DeleteOptions"}) {
    Mark(kind == "Status" ? kStatusName : kDeleteOptionsName,
         Json::Of({{"group", ""}, {"kind", kind}, {"version", "v1"}}), &out);
  }
  return out;
}

}  // namespace asyncops::openapi
